import { describe, expect, test } from "vitest";
import type { Pose } from "../src/poses";
import { composed, seenFrom } from "../src/rigid";

const A: Pose = [100, -50, 20, 30, -40, 70];
const B: Pose = [-10, 25, 300, -120, 15, 5];
const C: Pose = [7, 8, 9, 80, 60, -30];
const SAME: Pose = [0, 0, 0, 0, 0, 0];

function expectNear(one: Pose, other: Pose): void {
  one.forEach((value, i) => expect(value).toBeCloseTo(other[i] ?? NaN, 9));
}

describe("poses in other frames", () => {
  test("a frame is at the origin of itself", () => expectNear(seenFrom(A, A), SAME));
  test("there and back is the same pose", () => {
    expectNear(composed(A, seenFrom(A, B)), B);
    expectNear(seenFrom(A, composed(A, B)), B);
  });
  test("frames are composed in any order", () => {
    expectNear(composed(composed(A, B), C), composed(A, composed(B, C)));
  });
  test("x of a frame that is turned by 90° about z is y of the world", () => {
    expectNear(composed([1, 2, 3, 90, 0, 0], [10, 0, 0, 0, 0, 0]), [1, 12, 3, 90, 0, 0]);
  });
});
