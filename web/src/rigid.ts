/** Poses in other frames: arithmetic of coordinates, no kinematics. Poses are X Y Z A B C, mm and degrees. */

import { abcOf, type Pose, type Quaternion, quaternionOfAbc } from "./poses";

type Vector = readonly [number, number, number];

/** Return the product of two turns: first `b`, then `a`. */
export function product([w, x, y, z]: Quaternion, [w2, x2, y2, z2]: Quaternion): Quaternion {
  return [
    w * w2 - x * x2 - y * y2 - z * z2,
    w * x2 + x * w2 + y * z2 - z * y2,
    w * y2 - x * z2 + y * w2 + z * x2,
    w * z2 + x * y2 - y * x2 + z * w2,
  ];
}

export function rotated(turn: Quaternion, [x, y, z]: Vector): Vector {
  const [, i, j, k] = product(product(turn, [0, x, y, z]), back(turn));
  return [i, j, k];
}

/** Return T_a_c for T_a_b and T_b_c. */
export function composed(ab: Pose, bc: Pose): Pose {
  const turn = turnOf(ab);
  const [x, y, z] = rotated(turn, [bc[0], bc[1], bc[2]]);
  const abc = abcOf(product(turn, turnOf(bc)));
  return [ab[0] + x, ab[1] + y, ab[2] + z, ...abc];
}

/** Return T_b_c for T_a_b and T_a_c: where `ac` is, seen from `ab`. */
export function seenFrom(ab: Pose, ac: Pose): Pose {
  const turn = back(turnOf(ab));
  const [x, y, z] = rotated(turn, [ac[0] - ab[0], ac[1] - ab[1], ac[2] - ab[2]]);
  const abc = abcOf(product(turn, turnOf(ac)));
  return [x, y, z, ...abc];
}

export function turnOf(pose: Pose): Quaternion {
  return quaternionOfAbc(pose[3], pose[4], pose[5]);
}

function back([w, x, y, z]: Quaternion): Quaternion {
  return [w, -x, -y, -z];
}
