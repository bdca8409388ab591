/** The one place where armlab's frames become three's: mm to m, wxyz to xyzw, z up to y up. */

import { Object3D, Quaternion, Vector3 } from "three";
import type { FrameReport } from "../protocol.gen";

const METRES_PER_MM = 1e-3;

/** Put `object` where `frame` says, in the coordinates of a z-up group. */
export function placeAt(object: Object3D, frame: FrameReport): void {
  object.position.copy(positionOf(frame));
  object.quaternion.copy(quaternionOf(frame));
}

/** Return the frame's origin in metres. */
export function positionOf(frame: FrameReport): Vector3 {
  const [x, y, z] = frame.xyz;
  return new Vector3(x, y, z).multiplyScalar(METRES_PER_MM);
}

/** Return the frame's rotation; the wire says w x y z, three wants x y z w. */
export function quaternionOf(frame: FrameReport): Quaternion {
  const [w, x, y, z] = frame.quaternion;
  return new Quaternion(x, y, z, w);
}

/** Return a group in which z is up, for a scene in which y is. */
export function zUpGroup(): Object3D {
  const group = new Object3D();
  group.name = "z up";
  group.rotation.x = -Math.PI / 2;
  return group;
}

/** Return the point (x, y, z up, metres) in three's y-up world. */
export function toYUp(x: number, y: number, z: number): Vector3 {
  return new Vector3(x, z, -y);
}
