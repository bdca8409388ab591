import { describe, expect, test } from "vitest";
import {
  broken,
  curvesOf,
  digitsFor,
  held,
  QUANTITIES,
  shifted,
  shotOf,
  type Source,
  summaryOf,
  zoomed,
} from "../src/panels/plots/curves";

const JOINTS = [
  { name: "A1", unit: "°" },
  { name: "Z", unit: "mm" },
];

/** Ten seconds, one sample each: joint i is i + t, what is commanded 0.5 more; energies 1 and 2. */
function source(): Source {
  const times = Float64Array.from({ length: 11 }, (_, i) => 100 + i);
  return {
    times: () => times,
    column: (quantity, index = 0) =>
      times.map((time) => {
        if (quantity.startsWith("command")) return index + time + 0.5;
        return quantity === "energy" ? index + 1 : index + time;
      }),
  };
}

describe("the curves", () => {
  test("of a joint have its unit, per second where it is a speed", () => {
    expect(curvesOf("q", JOINTS).map(({ unit }) => unit)).toEqual(["°", "mm"]);
    expect(curvesOf("qdd", JOINTS).map(({ perSecond }) => perSecond)).toEqual([2, 2]);
    expect(curvesOf("tau", JOINTS).map(({ unit }) => unit)).toEqual(["N·m", "N"]);
  });

  test("are there for every quantity, and all of a joint's have a command of their own", () => {
    const commanded = QUANTITIES.map((quantity) => {
      const curves = curvesOf(quantity, JOINTS);
      expect(curves.length).toBeGreaterThan(0);
      return curves[1]?.commanded ?? null;
    });
    expect(commanded.slice(0, 4)).toEqual([
      ["command", 1],
      ["commandQd", 1],
      ["commandQdd", 1],
      ["commandTau", 1],
    ]);
    expect(commanded.slice(4).every((one) => one === null)).toBe(true);
  });

  test("of energy add up to the total", () => {
    const shot = shotOf(source(), curvesOf("energy", JOINTS), 60);
    expect(shot.actual.map((values) => values[0])).toEqual([1, 2, 3]);
  });

  test("end at zero, and begin one sample before the window", () => {
    const shot = shotOf(source(), curvesOf("q", JOINTS), 5);
    expect(shot.t).toEqual([-6, -5, -4, -3, -2, -1, 0]);
    expect(shot.actual[1]?.at(-1)).toBe(111);
    expect(shot.commanded[0]?.at(-1)).toBe(110.5);
  });

  test("have no line across the plot where an angle passes the half turn", () => {
    expect(broken([178, 179, -179, -178])).toEqual([178, 179, null, -178]);
  });

  test("are summed up over the shown time only", () => {
    const shot = shotOf(source(), curvesOf("q", JOINTS), 60);
    expect(summaryOf(shot, 0, null, [-4, -2])).toEqual({ at: 108, commanded: 108.5, least: 106, most: 108 });
    expect(summaryOf(shot, 0, 0, [-4, 0]).at).toBe(100);
    expect(summaryOf({ t: [], actual: [[]], commanded: [null] }, 0, null, [-4, 0]).at).toBeNull();
  });
});

test("a held history stays as it was", () => {
  const values = Float64Array.of(1, 2);
  const running: Source = { times: () => values.slice(), column: () => values.slice() };
  const copy = held(running, 1);
  values[1] = 9;
  expect([...copy.column("q", 0)]).toEqual([1, 2]);
  expect([...copy.column("commandTau", 0)]).toEqual([1, 2]);
  expect([...copy.column("q", 3)]).toEqual([]);
});

describe("a zoom", () => {
  test("keeps its middle where there is room, and stays inside the minute", () => {
    expect(zoomed([-20, -10], 0.5, 60)).toEqual([-17.5, -12.5]);
    expect(zoomed([-10, 0], 2, 60)).toEqual([-20, 0]);
    expect(zoomed([-60, 0], 2, 60)).toEqual([-60, 0]);
  });

  test("about a time keeps that time where it is seen", () => {
    expect(zoomed([-20, 0], 0.5, 60, -5)).toEqual([-12.5, -2.5]);
    expect(zoomed([-20, 0], 0.5, 60, 0)).toEqual([-10, 0]);
    expect(zoomed([-60, -40], 2, 60, -60)).toEqual([-60, -20]);
  });

  test("moves by a share of its width and stops at both ends", () => {
    expect(shifted([-20, -10], -0.5, 60)).toEqual([-25, -15]);
    expect(shifted([-10, 0], 1, 60)).toEqual([-10, 0]);
    expect(shifted([-60, -50], -1, 60)).toEqual([-60, -50]);
  });
});

test("numbers at an axis have as many decimals as tell them apart", () => {
  expect([50, 1, 2.5, 0.5, 0.02, 0.025, 1e-9].map(digitsFor)).toEqual([0, 0, 1, 1, 2, 3, 6]);
});
