import { describe, expect, it } from "vitest";
import {
  failedStep,
  goalOf,
  newMove,
  newStep,
  reordered,
  stepAt,
  pathOf,
  withGoal,
  withoutPlace,
  withPath,
} from "../src/panels/scenario/steps";

describe("steps", () => {
  const move = newMove([1, 2, 3]);

  it("change their way and drop what only the old one could have", () => {
    const line = { ...withPath(move, "line", [0, 0, 0]), tool_speed: 100 };
    expect(pathOf(line)).toBe("line");
    const arc = withPath(line, "arc", [1, 2, 3]);
    expect([pathOf(arc), arc.path, arc.arc]).toEqual(["arc", "joint", [1, 2, 3]]);
    const joint = withPath(arc, "joint", [0, 0, 0]);
    expect([pathOf(joint), joint.arc, joint.tool_speed]).toEqual(["joint", null, null]);
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

  it("are found by time, and told without their place", () => {
    const legs = [
      { start: 0, end: 1, step: 0 },
      { start: 1, end: 2, step: 3 },
    ];
    expect([0, 0.5, 1.5, 2].map((time) => stepAt(legs, time))).toEqual([0, 0, 3, 3]);
    expect(stepAt([], 0)).toBe(-1);
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
