/** The one place where armlab's frames become three's: wxyz to xyzw, z up to y up; metres in both. */

import { Group, Object3D, Quaternion, Vector3 } from "three";
import { abcOf, type Pose, quaternionOfAbc } from "../poses";

export const NUMBERS_PER_FRAME = 7;

/** Put `object` where frame `index` of `frames` says (7 numbers each: x y z, w x y z), in a z-up group. */
export function placeAt(object: Object3D, frames: ArrayLike<number>, index: number): void {
  const at = index * NUMBERS_PER_FRAME;
  const value = (i: number): number => frames[at + i] ?? 0;
  object.position.set(value(0), value(1), value(2));
  object.quaternion.set(value(4), value(5), value(6), value(3)).normalize();
}

/** Put `object` at a pose X Y Z A B C (mm, degrees), in a z-up group. */
export function placeAtPose(object: Object3D, [x, y, z, a, b, c]: Pose): void {
  const [qw, qx, qy, qz] = quaternionOfAbc(a, b, c);
  object.position.set(x / 1000, y / 1000, z / 1000);
  object.quaternion.set(qx, qy, qz, qw);
}

/** Return the turn of a pose, as three has it. */
export function turnOfPose([, , , a, b, c]: Pose): Quaternion {
  const [w, x, y, z] = quaternionOfAbc(a, b, c);
  return new Quaternion(x, y, z, w);
}

/** Return where `object` is in its z-up group, as X Y Z A B C (mm, degrees). */
export function poseOf({ position, quaternion }: { position: Vector3; quaternion: Quaternion }): Pose {
  const abc = abcOf([quaternion.w, quaternion.x, quaternion.y, quaternion.z]);
  return [position.x * 1000, position.y * 1000, position.z * 1000, ...abc];
}

/** Return a group in which z is up, for a scene in which y is. */
export function zUpGroup(): Group {
  const group = new Group();
  group.name = "z up";
  group.rotation.x = -Math.PI / 2;
  return group;
}

/** Return the point (x, y, z up, metres) in three's y-up world. */
export function toYUp(x: number, y: number, z: number): Vector3 {
  return new Vector3(x, z, -y);
}
