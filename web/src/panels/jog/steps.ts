/** Steps of the tool along and about the axes of a frame: arithmetic of poses, no kinematics. */

import { abcOf, type Pose, type Quaternion, quaternionOfAbc } from "../../poses";
import { product, rotated } from "../../rigid";

/** The axes that a tool is jogged along or about, in the order of a pose: A B C turn about z, y, x. */
export const TOOL_AXES = ["X", "Y", "Z", "A", "B", "C"] as const;
export const AXIS_LETTERS = ["x", "y", "z", "z", "y", "x"] as const;

/** How far one press moves: "hold" moves as long as it is held. Each size has a length (mm) and an angle (°). */
export const STEPS = ["hold", "1", "2", "3", "4"] as const;
export type Step = (typeof STEPS)[number];
const LENGTHS: Readonly<Record<Step, number>> = { hold: 1, 1: 0.1, 2: 1, 3: 10, 4: 50 };
const ANGLES: Readonly<Record<Step, number>> = { hold: 1, 1: 0.1, 2: 1, 3: 5, 4: 10 };

/** Return how far one press moves, in mm or °. */
export function sizeOf(step: Step, unit: string): number {
  return (unit === "mm" ? LENGTHS : ANGLES)[step];
}

/** Return `pose` moved by `by` (mm or °) along or about an axis of a frame that is turned as `base`, or of the tool itself. */
export function stepped(
  pose: Pose,
  axis: number,
  by: number,
  frame: "base" | "tool",
  base: Quaternion,
): Pose {
  const turn = quaternionOfAbc(pose[3], pose[4], pose[5]);
  const about = frame === "tool" ? turn : base;
  const direction = rotated(about, unitOf(axis));
  if (axis < 3) {
    const [x, y, z] = direction;
    return [pose[0] + by * x, pose[1] + by * y, pose[2] + by * z, pose[3], pose[4], pose[5]];
  }
  const [a, b, c] = abcOf(product(turnAbout(direction, by), turn));
  return [pose[0], pose[1], pose[2], a, b, c];
}

/** Return `pose` with another value at `index`. */
export function replaced(pose: Pose, index: number, value: number): Pose {
  const at = (i: number): number => (i === index ? value : (pose[i] ?? 0));
  return [at(0), at(1), at(2), at(3), at(4), at(5)];
}

/** Return the jog of the tool, x y z and about x y z, for shares in the order of a pose. */
export function twistOf(
  shares: readonly number[],
): readonly [number, number, number, number, number, number] {
  const at = (i: number): number => shares[i] ?? 0;
  return [at(0), at(1), at(2), at(5), at(4), at(3)];
}

/** Return how far two poses are apart: mm, and ° of the turn between them. */
export function apart(one: Pose, other: Pose): readonly [number, number] {
  const [w, x, y, z] = quaternionOfAbc(one[3], one[4], one[5]);
  const [w2, x2, y2, z2] = quaternionOfAbc(other[3], other[4], other[5]);
  const cosine = Math.min(Math.abs(w * w2 + x * x2 + y * y2 + z * z2), 1);
  const distance = Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
  return [distance, (2 * Math.acos(cosine) * 180) / Math.PI];
}

type Vector = readonly [number, number, number];

function unitOf(axis: number): Vector {
  const letter = AXIS_LETTERS[axis];
  return [letter === "x" ? 1 : 0, letter === "y" ? 1 : 0, letter === "z" ? 1 : 0];
}

function turnAbout([x, y, z]: Vector, degrees: number): Quaternion {
  const half = (degrees * Math.PI) / 360;
  const s = Math.sin(half);
  return [Math.cos(half), s * x, s * y, s * z];
}
