import { describe, expect, test } from "vitest";
import { afterState, type Goal, withJoints } from "../src/goal";
import { Flag, live, type Live } from "../src/live";

const state = (revision: number, flags: number, command: readonly number[], time = 0): Live => ({
  ...live,
  time,
  revision,
  flags,
  command: Float32Array.from(command),
});
const goal: Goal = withJoints(null, 3, [[1, 20]]);

describe("a goal", () => {
  test("names the joints that were sent, and no other", () => {
    expect([...goal.q]).toEqual([[1, 20]]);
    expect([
      ...withJoints(goal, 3, [
        [0, 5],
        [1, 21],
      ]).q,
    ]).toEqual([
      [1, 21],
      [0, 5],
    ]);
  });

  test("of an older revision does not mix with a newer one", () => {
    expect([...withJoints(goal, 4, [[0, 5]]).q]).toEqual([[0, 5]]);
  });

  test("waits for the motion to begin, lasts as long as it, and ends with it", () => {
    const waiting = afterState(goal, state(3, 0, [0, 0]));
    expect(waiting).toBe(goal);
    const under = afterState(goal, state(3, Flag.moving, [0, 4]));
    expect(under).toEqual({ ...goal, hasStarted: true });
    if (under === null) return;
    expect(afterState(under, state(3, Flag.moving, [0, 9]))).toBe(under);
    expect(afterState(under, state(3, 0, [0, 7], 0.1))).toBe(under); // that was the motion before it
    expect(afterState(under, state(3, 0, [0, 7], 1))).toBeNull(); // stopped on the way: by us, or by another page
  });

  test("that is reached at once ends at once", () => {
    expect(afterState(goal, state(3, 0, [0, 20]))).toBeNull();
  });

  test.each([
    ["a newer revision", state(4, 0, [0, 0])],
    ["a jog", state(3, Flag.moving | Flag.jogging, [0, 0])],
    ["the player", state(3, Flag.moving | Flag.playing, [0, 0])],
  ])("ends with %s", (_what, now) => {
    expect(afterState(goal, now)).toBeNull();
  });

  test("is not ended by a state from before its revision", () => {
    expect(afterState(goal, state(2, 0, [0, 0, 0]))).toBe(goal);
  });
});
