/** Poses as people write them: X Y Z in mm, and A B C in degrees, KUKA's turns about Z, Y', X''. */

export type Pose = readonly [number, number, number, number, number, number];
/** w x y z */
export type Quaternion = readonly [number, number, number, number];

const DEG = 180 / Math.PI;
/** So near to B = ±90° A and C turn about the same axis: C is 0 then, as on the server, and A takes the whole turn. */
const UPRIGHT = 1e-5;

/** Return A B C of a rotation; next to B = ±90° C is what is left after A, and makes up for it. */
export function abcOf([w, x, y, z]: Quaternion): readonly [number, number, number] {
  const r00 = 1 - 2 * (y * y + z * z);
  const r01 = 2 * (x * y - w * z);
  const r02 = 2 * (x * z + w * y);
  const r10 = 2 * (x * y + w * z);
  const r11 = 1 - 2 * (x * x + z * z);
  const r12 = 2 * (y * z - w * x);
  const r20 = 2 * (x * z - w * y);
  const level = Math.hypot(r00, r10);
  const isUpright = level < UPRIGHT;
  const a = isUpright ? Math.atan2(-r01, r11) : Math.atan2(r10, r00);
  const [s, c] = [Math.sin(a), Math.cos(a)];
  const left = isUpright ? 0 : Math.atan2(s * r02 - c * r12, c * r11 - s * r01);
  return [a * DEG, Math.atan2(-r20, level) * DEG, left * DEG];
}

/** Return the rotation of A B C: Rz(A)·Ry(B)·Rx(C). */
export function quaternionOfAbc(a: number, b: number, c: number): Quaternion {
  const [ca, sa] = halves(a);
  const [cb, sb] = halves(b);
  const [cc, sc] = halves(c);
  return [
    ca * cb * cc + sa * sb * sc,
    ca * cb * sc - sa * sb * cc,
    ca * sb * cc + sa * cb * sc,
    sa * cb * cc - ca * sb * sc,
  ];
}

/** Return the pose of frame `index` of a row of frames (7 numbers each, metres), or null where there is none. */
export function poseAt(frames: ArrayLike<number>, index: number): Pose | null {
  const at = 7 * index;
  if (at < 0 || at + 7 > frames.length) return null;
  const value = (i: number): number => frames[at + i] ?? 0;
  const abc = abcOf([value(3), value(4), value(5), value(6)]);
  const [a, b, c] = abc.map(tidy);
  return [value(0) * 1000, value(1) * 1000, value(2) * 1000, a ?? 0, b ?? 0, c ?? 0];
}

/** -180° and 180° are the same turn: a state that is not quite still must not jump between them. */
function tidy(degrees: number): number {
  return degrees < -179.9995 ? degrees + 360 : degrees;
}

/** Return the pose of the last frame, which is the tool's. */
export function toolPose(frames: ArrayLike<number>): Pose | null {
  return poseAt(frames, frames.length / 7 - 1);
}

/** Return a pose as 7 numbers: x y z in metres and w x y z. */
export function frameOf([x, y, z, a, b, c]: Pose): number[] {
  return [x / 1000, y / 1000, z / 1000, ...quaternionOfAbc(a, b, c)];
}

function halves(degrees: number): readonly [number, number] {
  const half = degrees / DEG / 2;
  return [Math.cos(half), Math.sin(half)];
}
