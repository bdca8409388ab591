/** Numbers of the kinematics panel: matrices of frames, how far joints travel, and scales of plots. */

import type { Quaternion } from "../../poses";
import type { FrameReport } from "../../protocol.gen";

/** ° or mm */
const ALIKE = 1e-3;

export type Matrix = readonly (readonly number[])[];

/** Return frames as 7 numbers each: x y z in metres and w x y z. */
export function flatFrames(frames: readonly FrameReport[]): number[] {
  return frames.flatMap(({ xyz, quaternion }) => [...xyz.map((mm) => mm / 1000), ...quaternion]);
}

/** Return the 3×3 matrix of a turn. */
export function rotationOf([w, x, y, z]: Quaternion): Matrix {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
}

/** Return frame `index` of a row of frames as a 4×4 matrix with mm in its last column; null where there is none. */
export function matrixAt(frames: ArrayLike<number>, index: number): Matrix | null {
  const from = 7 * index;
  if (from < 0 || from + 7 > frames.length) return null;
  const [x = 0, y = 0, z = 0, ...turn] = Array.from({ length: 7 }, (_, i) => frames[from + i] ?? 0);
  const place = [x, y, z];
  const rows = rotationOf(turn as unknown as Quaternion).map((row, i) => [...row, (place[i] ?? 0) * 1000]);
  return [...rows, [0, 0, 0, 1]];
}

/** Return which joint travels farthest from `here` to `q`, and how far, in its own unit. */
export function travelOf(
  q: readonly number[],
  here: ArrayLike<number>,
): { readonly joint: number; readonly size: number } {
  let joint = 0;
  let size = 0;
  q.forEach((value, i) => {
    const travel = Math.abs(value - (here[i] ?? value));
    if (travel > size) [joint, size] = [i, travel];
  });
  return { joint, size };
}

/** Solutions that look alike: one, and those where some joint has made full turns more. */
export interface Posture<Solution> {
  readonly solution: Solution;
  readonly turned: readonly Solution[];
}

/** Return solutions as postures, the one with the shortest travel first, also within each. */
export function posturesOf<Solution extends { readonly q: readonly number[] }>(
  solutions: readonly Solution[],
  here: ArrayLike<number>,
  turns: readonly boolean[],
): Posture<Solution>[] {
  const sorted = [...solutions].sort((a, b) => travelOf(a.q, here).size - travelOf(b.q, here).size);
  const found: { solution: Solution; turned: Solution[] }[] = [];
  for (const solution of sorted) {
    const same = found.find((posture) => looksAlike(posture.solution.q, solution.q, turns));
    if (same === undefined) found.push({ solution, turned: [] });
    else same.turned.push(solution);
  }
  return found;
}

function looksAlike(a: readonly number[], b: readonly number[], turns: readonly boolean[]): boolean {
  return a.every((value, i) => {
    const apart = Math.abs(value - (b[i] ?? 0));
    return apart < ALIKE || (turns[i] === true && Math.abs(apart - 360 * Math.round(apart / 360)) < ALIKE);
  });
}

/** A solution that the target leaves a joint free in, at a value (° or mm) inside an interval. */
interface Free {
  readonly joint: string;
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
  readonly step: number;
}

/** Return solutions that stand alone, and families: samples of a continuum, in the order of their free joints. */
export function familiesOf<
  Solution extends { readonly branch: string; readonly free: readonly Free[] | null },
>(
  solutions: readonly Solution[],
): { readonly alone: readonly Solution[]; readonly families: readonly (readonly Solution[])[] } {
  const alone: Solution[] = [];
  const families = new Map<string, Solution[]>();
  for (const solution of solutions) {
    const free = solution.free ?? [];
    if (!free.some(({ step }) => step > 0)) alone.push(solution);
    else {
      const key = [
        solution.branch,
        ...free.flatMap(({ joint, lower, upper }) => [joint, lower, upper]),
      ].join();
      families.set(key, [...(families.get(key) ?? []), solution]);
    }
  }
  return { alone, families: [...families.values()].map((members) => members.toSorted(byFreeJoints)) };
}

function byFreeJoints(a: { readonly free: readonly Free[] | null }, b: typeof a): number {
  const ahead = (a.free ?? []).map(({ value }, i) => value - (b.free?.[i]?.value ?? 0));
  return ahead.find((by) => by !== 0) ?? 0;
}

/** Return at most `most` of many, evenly spread, with both ends. */
export function spread<Item>(all: readonly Item[], most: number): readonly Item[] {
  if (all.length <= most) return all;
  const picked = new Set(
    Array.from({ length: most }, (_, i) => Math.round((i * (all.length - 1)) / (most - 1))),
  );
  return all.filter((_, i) => picked.has(i));
}

export interface LogScale {
  readonly place: (value: number) => number;
  /** Powers of ten that get a line, as exponents. */
  readonly ticks: readonly number[];
}

/** Return a logarithmic scale for values > 0 that maps the least to `from` and the greatest to `to`. */
export function logScale(values: readonly number[], from: number, to: number, most = 5): LogScale {
  const logs = values.filter((value) => value > 0).map(Math.log10);
  const low = Math.floor(Math.min(...logs, 0));
  const high = Math.max(Math.ceil(Math.max(...logs, low + 1)), low + 1);
  const step = Math.max(1, Math.ceil((high - low) / most));
  const ticks: number[] = [];
  for (let tick = low; tick <= high; tick += step) ticks.push(tick);
  const place = (value: number): number => {
    const log = value > 0 ? Math.max(Math.log10(value), low) : low;
    return from + ((log - low) / (high - low)) * (to - from);
  };
  return { place, ticks };
}

/** Return a small number for a table cell: plain where that is short, else with a power of ten. */
export function compact(value: number): { readonly mantissa: number; readonly exponent: number } {
  if (value === 0) return { mantissa: 0, exponent: 0 };
  const exponent = Math.floor(Math.log10(Math.abs(value)) + 1e-12);
  return exponent >= -2 && exponent <= 3
    ? { mantissa: value, exponent: 0 }
    : { mantissa: value / 10 ** exponent, exponent };
}

/** Return how full the bar is, 0 (singular) to 1 (all directions alike): the condition number on a logarithmic scale. */
export function shareOfBar(condition: number | null): number {
  if (condition === null) return 0;
  return Math.min(Math.max(1 - Math.log10(Math.max(condition, 1)) / 3, 0), 1);
}

/** Return where a value lies between the edges of a row of cells, 0 to 1; null outside. */
export function shareOf(value: number | undefined, centres: readonly number[]): number | null {
  const first = centres[0];
  const last = centres.at(-1);
  if (value === undefined || first === undefined || last === undefined || first === last) return null;
  const half = (last - first) / (centres.length - 1) / 2;
  const share = (value - first + half) / (last - first + 2 * half);
  return share < 0 || share > 1 ? null : share;
}
