import { describe, expect, test } from "vitest";
import { added, columnsOf, lastTime, NOTHING, pointInFrame } from "../src/panels/sensors/buffer";
import type { SignalsReport } from "../src/protocol.gen";

function report(record: number, t: readonly number[]): SignalsReport {
  const rows = t.map((time) => [time, 0, 0, 0, 0, 9.81]);
  return {
    record,
    t,
    sensors: [{ id: "a", ideal: rows, read: rows.map((row) => row.map((v) => v + 1)), frame: [] }],
    frames: [],
    estimated_error: null,
    commanded_error: null,
  };
}

describe("what sensors read", () => {
  test("is put together from pieces, as long as the window is", () => {
    const first = added(NOTHING, report(1, [0, 1, 2]), 3);
    const both = added(first, report(1, [3, 4]), 3);
    expect(both.t).toEqual([1, 2, 3, 4]);
    expect(lastTime(both)).toBe(4);
    const [t, ideal, read] = columnsOf(both, "a", 0);
    expect(t).toEqual([-3, -2, -1, 0]);
    expect(ideal).toEqual([1, 2, 3, 4]);
    expect(read).toEqual([2, 3, 4, 5]);
  });

  test("begins anew with another record", () => {
    const old = added(NOTHING, report(1, [8, 9]), 10);
    expect(added(old, report(2, []), 10).t).toEqual([]);
    expect(added(old, report(2, [0.1]), 10).t).toEqual([0.1]);
  });
});

test("a clicked point is found in the axes of its link", () => {
  const half = Math.SQRT1_2; // a quarter turn about z
  const [x, y, z] = pointInFrame([1000, 2100, 50], [1, 2, 0, half, 0, 0, half]);
  expect(x).toBeCloseTo(100, 6);
  expect(y).toBeCloseTo(0, 6);
  expect(z).toBeCloseTo(50, 6);
});
