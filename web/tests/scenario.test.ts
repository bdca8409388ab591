import { describe, expect, it } from "vitest";
import { converted } from "../src/panels/scenario/convert";
import {
  failedStep,
  goalOf,
  newMove,
  newStep,
  reordered,
  pathOf,
  withGoal,
  withoutPlace,
  withVia,
} from "../src/panels/scenario/steps";

describe("steps", () => {
  const move = newMove([1, 2, 3]);

  it("go another path with their points, and name what it cannot have", async () => {
    const here = [9, 8, 7, 0, 0, 0] as const;
    const line = await converted({ ...move, scheme: "cubic", times: [2] }, "line", here);
    expect([pathOf(line.step), line.lost]).toEqual(["line", ["scheme", "times"]]);
    const arc = await converted({ ...line.step, tool_speed: 100 }, "arc", here);
    expect([pathOf(arc.step), arc.step.path, arc.step.arc]).toEqual(["arc", "joint", [9, 8, 7]]);
    expect([arc.step.tool_speed, arc.lost]).toEqual([100, []]);
    const joint = await converted(arc.step, "joint", here);
    expect([pathOf(joint.step), joint.step.arc, joint.lost]).toEqual(["joint", null, ["arc", "toolSpeed"]]);
    const goal = [1, 2, 3, 4, 5, 6] as const;
    const curve = await converted({ ...withGoal(arc.step, { pose: goal }) }, "curve", here);
    expect(curve.step.through).toEqual([[9, 8, 7, 4, 5, 6], goal]);
    const back = await converted(curve.step, "arc", here);
    expect([back.step.arc, back.step.to_pose, back.lost]).toEqual([[9, 8, 7], goal, []]);
  });

  it("have a time for each segment when points come and go", () => {
    const timed = { ...move, times: [2] };
    expect(withVia(timed, [[1], [2]]).times).toEqual([2, 2, 2]);
    expect(withVia({ ...move, via: [[1]], times: [2, 3] }, []).times).toEqual([2]);
  });

  it("have exactly one goal", () => {
    for (const goal of ["home", [1, 2, 3], { pose: [1, 2, 3, 4, 5, 6] as const }]) {
      const step = withGoal(move, goal);
      expect([step.to, step.to_pose, step.through].filter((one) => one !== null)).toHaveLength(1);
    }
    expect(goalOf(withGoal(move, "home"))).toBe("named");
  });

  it("are put in another order without loss", () => {
    const steps = [move, newStep("wait", []), newStep("place", [])];
    expect(reordered(steps, 0, 2).map((step) => step.do)).toEqual(["wait", "place", "move"]);
    expect(reordered(steps, 2, 0).map((step) => step.do)).toEqual(["place", "move", "wait"]);
    expect(reordered(steps, 0, 3)).toBe(steps);
  });

  it("are told without their place", () => {
    const placed = { message: "step 2: too far", parameters: { where: "step 2", problem: "too far" } };
    expect(withoutPlace(placed)).toBe("too far");
    expect(withoutPlace({ message: "no scenario", parameters: {} })).toBe("no scenario");
  });

  it("fail where the session says, or else where it runs", () => {
    expect(failedStep({ step: 4 }, 7)).toBe(4);
    expect(failedStep({ step: null, parameters: { step: 2 } }, 7)).toBe(1);
    expect(failedStep({ step: null }, 7)).toBe(7);
    expect(failedStep({}, 7)).toBe(7);
  });
});
