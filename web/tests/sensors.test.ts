import { describe, expect, test } from "vitest";
import { columnsOf, hasPlace, placedOn, pointInFrame } from "../src/panels/sensors/buffer";
import { STATE_VERSION } from "../src/protocol.gen";
import { added, decodeSensed, NOTHING, sensed, takeSensed, WINDOW_S } from "../src/sensed";

/** Write a frame byte by byte, as src/armlab/cell/wire.py says: one sensor "a" with two numbers a sample. */
function frame(
  record: number,
  t: readonly number[],
  links = 0,
  version = STATE_VERSION as number,
): ArrayBuffer {
  const buffer = new ArrayBuffer(24 + 24 + 24 * t.length + 28 * links);
  const view = new DataView(buffer);
  view.setUint8(0, 2);
  view.setUint8(1, version);
  view.setUint16(2, 1, true);
  view.setUint16(4, links, true);
  view.setUint32(12, record, true);
  view.setFloat32(16, links > 0 ? 0.5 : NaN, true);
  view.setFloat32(20, NaN, true);
  view.setUint8(24, "a".charCodeAt(0));
  view.setUint16(40, 2, true);
  view.setUint32(44, t.length, true);
  t.forEach((time, i) => {
    view.setFloat64(48 + 8 * i, time, true);
    const rows = 48 + 8 * t.length;
    [time, -time].forEach((value, k) => {
      view.setFloat32(rows + 8 * i + 4 * k, value, true);
      view.setFloat32(rows + 8 * t.length + 8 * i + 4 * k, value + 1, true);
    });
  });
  for (let i = 0; i < 7 * links; i += 1) view.setFloat32(48 + 24 * t.length + 4 * i, i, true);
  return buffer;
}

const shown = (record: number, t: readonly number[]) => decodeSensed(frame(record, t)) ?? NOTHING;

describe("a frame of samples", () => {
  test("is read number by number, in the order of the wire", () => {
    const found = decodeSensed(frame(3, [0.5, 1], 2));
    expect(found?.record).toBe(3);
    expect(found?.traces.get("a")).toEqual({
      t: [0.5, 1],
      ideal: [
        [0.5, 1],
        [-0.5, -1],
      ],
      read: [
        [1.5, 2],
        [0.5, 0],
      ],
    });
    expect([...(found?.frames ?? [])].slice(0, 3)).toEqual([0, 1, 2]);
    expect(found?.frames).toHaveLength(14);
    expect([found?.estimatedError, found?.commandedError]).toEqual([0.5, null]);
  });

  test.each([
    ["another kind", new ArrayBuffer(64)],
    ["another version", frame(1, [1], 0, 255)],
    ["too short", frame(1, [1]).slice(0, 20)],
    ["cut off", frame(1, [1, 2]).slice(0, 80)],
  ])("of %s is refused", (_what, buffer) => {
    expect(decodeSensed(buffer)).toBeNull();
    expect(takeSensed(buffer)).toBe(false);
  });

  test("is put together with those before, as long as the window is", () => {
    const both = added(shown(1, [0, 1, 2]), shown(1, [3, 4]), 3);
    expect(both.traces.get("a")?.t).toEqual([1, 2, 3, 4]);
    const [t, ideal, read] = columnsOf(both, "a", 0, 1);
    expect(t).toEqual([-3, -2, -1, 0]);
    expect(ideal).toEqual([1, 2, 3, 4]);
    expect(read).toEqual([2, 3, 4, 5]);
    expect(WINDOW_S).toBeGreaterThan(0);
  });

  test("begins anew with another record", () => {
    expect(takeSensed(frame(1, [8, 9]))).toBe(true);
    expect(takeSensed(frame(2, [0.1]))).toBe(true);
    expect(sensed.peek().traces.get("a")?.t).toEqual([0.1]);
  });

  test("where a distance is infinite, no line is drawn", () => {
    expect(columnsOf(shown(1, [Infinity]), "a", 0, 1)[1]).toEqual([null]);
    expect(columnsOf(NOTHING, "b", 0, 2)).toEqual([[], [], [], [], []]);
  });
});

test("encoders, torques and the wrench belong to the arm, other sensors have a place", () => {
  expect((["imu", "encoders", "wrench", "contact"] as const).map((kind) => hasPlace({ kind }))).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

const half = Math.SQRT1_2; // a quarter turn about z

test("a clicked point is found in the axes of its link", () => {
  const [x, y, z] = pointInFrame([1000, 2100, 50], [1, 2, 0, half, 0, 0, half]);
  expect(x).toBeCloseTo(100, 6);
  expect(y).toBeCloseTo(0, 6);
  expect(z).toBeCloseTo(50, 6);
});

test("a sensor sits on its link where its pose says", () => {
  const [x, y, z, w, i, j, k] = placedOn([1, 2, 0, half, 0, 0, half], [100, 0, 50, 90, 0, 0]);
  expect([x, y, z].map((value) => Math.round((value ?? 0) * 1e9) / 1e9)).toEqual([1, 2.1, 0.05]);
  expect([w, i, j, k].map((value) => Math.round((value ?? 0) * 1e9) / 1e9)).toEqual([0, 0, 0, 1]);
});
