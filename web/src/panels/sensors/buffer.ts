/** What the charts of a sensor show, and where it sits: arithmetic without a page. */

import type { Pose } from "../../poses";
import type { SensorChoice } from "../../protocol.gen";
import { product, rotated, turnOf } from "../../rigid";
import type { Sensed } from "../../sensed";

/** Kinds that belong to the joints or the flange of the arm, and sit nowhere else. */
const OF_ARMS: readonly string[] = ["encoders", "torques", "wrench"];

export function hasPlace({ kind }: Pick<SensorChoice, "kind">): boolean {
  return !OF_ARMS.includes(kind);
}

/** Return columns for a chart: seconds before the newest, then per number the ideal value and the one read. */
export function columnsOf(shown: Sensed, id: string, from: number, count: number): (number | null)[][] {
  const trace = shown.traces.get(id);
  const t = trace?.t ?? [];
  const end = t.at(-1) ?? 0;
  const column = (values: readonly number[] | undefined): (number | null)[] =>
    t.map((_, i) => finite(values?.[i]));
  const numbers = Array.from({ length: count }, (_, i) => [
    column(trace?.ideal[from + i]),
    column(trace?.read[from + i]),
  ]);
  return [t.map((time) => time - end), ...numbers.flat()];
}

/** A sensor of distance says infinity where there is nothing: there is no line there. */
function finite(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}

/** Return where a sensor is, x y z (m) and w x y z, on a frame given so and at `pose` (mm, degrees) on it. */
export function placedOn(frame: ArrayLike<number>, pose: Pose): number[] {
  const at = (i: number): number => frame[i] ?? 0;
  const turn = [at(3), at(4), at(5), at(6)] as const;
  const [x, y, z] = rotated(turn, [pose[0] / 1000, pose[1] / 1000, pose[2] / 1000]);
  return [at(0) + x, at(1) + y, at(2) + z, ...product(turn, turnOf(pose))];
}

/** Return a point of the world (mm) in the axes of a frame: x y z (m) and the quaternion w x y z. */
export function pointInFrame(
  point: readonly [number, number, number],
  frame: ArrayLike<number>,
): [number, number, number] {
  const at = (i: number): number => frame[i] ?? 0;
  const p = [point[0] - at(0) * 1000, point[1] - at(1) * 1000, point[2] - at(2) * 1000] as const;
  const w = at(3);
  const u = [-at(4), -at(5), -at(6)] as const;
  const c = cross(u, p).map((value) => 2 * value) as [number, number, number];
  const d = cross(u, c);
  const tidy = (value: number): number => Math.round(value * 10) / 10 + 0;
  return [tidy(p[0] + w * c[0] + d[0]), tidy(p[1] + w * c[1] + d[1]), tidy(p[2] + w * c[2] + d[2])];
}

type Three = readonly [number, number, number];

function cross(a: Three, b: Three): [number, number, number] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
