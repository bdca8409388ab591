import { describe, expect, it } from "vitest";
import {
  adopted,
  durationOf,
  EMPTY,
  planOf,
  timesFor,
  withDuration,
  withEnd,
  withPoints,
  withScheme,
} from "../src/panels/planner/draft";
import { moveOfPlan } from "../src/panels/scenario/plan-step";
import { curvesOf, limitsOf } from "../src/panels/planner/curves";
import { moved, placeAt } from "../src/panels/poses/order";
import { copyName, freeName } from "../src/panels/poses/saved";
import type { JointPeak, JointRow, PlanReport } from "../src/protocol.gen";

const kept = (...names: string[]) => names.map((name, i) => ({ id: `p${i}`, name, q: [0], on: null }));

describe("lists in order", () => {
  it("moves a thing to another place", () => {
    expect(moved(["a", "b", "c"], 0, 2)).toEqual(["b", "c", "a"]);
    expect(moved(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"]);
    expect(moved(["a"], 5, 0)).toEqual(["a"]);
  });

  it("finds the row under a pointer, and the last one below all", () => {
    const rows = [
      { top: 0, bottom: 10 },
      { top: 10, bottom: 20 },
    ];
    expect([-5, 4, 6, 14, 99].map((y) => placeAt(rows, y))).toEqual([0, 0, 1, 1, 1]);
  });
});

describe("names", () => {
  it("are free ones", () => {
    expect(freeName(kept("P1", "P3"), (n) => `P${n}`)).toBe("P4");
    expect(freeName([], (n) => `P${n}`)).toBe("P1");
    expect(copyName(kept("a", "a (2)"), "a (2)")).toBe("a (3)");
  });
});

describe("the draft of a plan", () => {
  const two = withPoints(EMPTY, [[0], [1]]);

  it("is a plan from two points on", () => {
    expect(planOf(EMPTY)).toBeNull();
    expect(planOf(two)).toMatchObject({ kind: "joint", points: [[0], [1]] });
  });

  it("has one time for each segment, and none for schemes that take none", () => {
    expect(timesFor([2], 3)).toEqual([2, 2, 2]);
    expect(timesFor([2], 0)).toBeNull();
    const timed = { ...two, joint: { ...two.joint, scheme: "cubic", times: [1] } };
    expect(withPoints(timed, [[0], [1], [2]]).joint.times).toEqual([1, 1]);
    expect(withScheme(timed, "smooth").joint.times).toBeNull();
  });

  it("follows the project: another plan, undo of the second point, another arm", () => {
    const other = { ...EMPTY.tool, frames: [] };
    expect(adopted(two, other, 1, false)).toMatchObject({ mode: "tool" });
    expect(adopted(two, null, 1, true).joint.points).toEqual([[0]]);
    expect(adopted(two, null, 1, false).joint.points).toEqual([]);
    expect(adopted(withPoints(EMPTY, [[0]]), null, 6, false).joint.points).toEqual([]);
  });
});

describe("ends and times", () => {
  const plan = { ...EMPTY.joint, points: [[0], [1], [2], [3]], scheme: "4-3-4" };

  it("are dropped with a scheme that cannot have them, and rest where all are zero", () => {
    const moving = withEnd(plan, "end_acceleration", [5]);
    expect(moving.ends?.end_acceleration).toEqual([5]);
    expect(withEnd(moving, "end_acceleration", [0]).ends).toBeNull();
    expect(withScheme({ ...EMPTY, joint: moving }, "cubic").joint.ends).toBeNull();
    const both = withEnd(moving, "start_velocity", [7]);
    expect(withScheme({ ...EMPTY, joint: both }, "cubic").joint.ends?.start_velocity).toEqual([7]);
  });

  it("keep their shares of another total", () => {
    const timed = { ...plan, times: [1, 2, 1] };
    expect(withDuration(timed, 8).times).toEqual([2, 4, 2]);
    expect(durationOf(withDuration(plan, 6))).toBe(6);
  });

  it("go into the scenario with all of the plan", () => {
    const step = moveOfPlan({ ...plan, times: [1, 2, 1], speed: 40 });
    expect(step).toMatchObject({ to: [3], via: [[1], [2]], scheme: "4-3-4", times: [1, 2, 1], speed: 40 });
    const frames = [[0, 0, 0, 0, 0, 0] as const, [1, 0, 0, 0, 0, 0] as const];
    const tool = moveOfPlan({ ...EMPTY.tool, frames, blend: 5, tool_speed: 80, duration: 3 });
    expect(tool).toMatchObject({
      to: null,
      through: frames,
      path: "line",
      blend: 5,
      tool_speed: 80,
      duration: 3,
    });
  });
});

describe("curves", () => {
  const joint = { name: "A1", lower: -10, upper: 30, velocity: 100, acceleration: null } as JointRow;
  const peak = {
    joint: "A1",
    velocity: 25,
    velocity_share: 0.5,
    acceleration: 0,
    acceleration_share: 0,
  } as JointPeak;
  const report = {
    t: [0, 1],
    q: [[-10], [30]],
    qd: [[0], [25]],
    qdd: [[0], [0]],
    peaks: [peak],
  } as unknown as PlanReport;

  it("have the limits of the plan's own speed", () => {
    expect(limitsOf("qd", peak, joint)).toEqual([-50, 50]);
    expect(limitsOf("q", peak, joint)).toEqual([-10, 30]);
    expect(limitsOf("qdd", peak, joint)).toEqual([null, null]);
  });

  it("are shares of the limits, from -100 to 100", () => {
    const { curves } = curvesOf(report, "q", [joint], true, new Set());
    expect(curves[0]?.values).toEqual([-100, 100]);
    expect(curvesOf(report, "qd", [joint], true, new Set()).curves[0]?.values).toEqual([0, 50]);
    expect(curvesOf(report, "qdd", [joint], true, new Set()).curves[0]?.limits).toEqual([]);
    expect(curvesOf(report, "q", [joint], true, new Set(["A1"])).curves).toEqual([]);
  });
});
