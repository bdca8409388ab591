/** Settings of a comparison and its curves, without the page. */

import type { ComparisonQuestion, StructureCurves } from "../../protocol.gen";

export type Question = Required<ComparisonQuestion>;

export const FIRST: Question = {
  command: "standard",
  joint: 1,
  by: 20,
  duration: 2,
  timestep: 1,
  stiffness: 1,
  damping: 1,
  force_limit: 1,
  mass: 1,
  friction: 0,
};

/** A setting on a slider: its bounds, and whether equal ways on it are equal factors. */
export interface Setting {
  readonly id: "timestep" | "stiffness" | "damping" | "force_limit" | "mass" | "friction";
  readonly lower: number;
  readonly upper: number;
  readonly unit: string;
  readonly isLog: boolean;
  /** What is shown is this many times what is sent. */
  readonly scale: number;
}

export const SETTINGS: readonly Setting[] = [
  { id: "stiffness", lower: 0.01, upper: 1000, unit: "×", isLog: true, scale: 1 },
  { id: "damping", lower: 0.01, upper: 1000, unit: "×", isLog: true, scale: 1 },
  { id: "force_limit", lower: 0.01, upper: 100, unit: "×", isLog: true, scale: 1 },
  { id: "mass", lower: 0.01, upper: 100, unit: "×", isLog: true, scale: 1 },
  { id: "friction", lower: 0, upper: 100, unit: "%", isLog: false, scale: 100 },
  { id: "timestep", lower: 0.05, upper: 20, unit: "ms", isLog: true, scale: 1 },
];

/** Return the question as an arm with so many joints can be asked it: a joint that it has not is its first. */
export function askable(question: Question, joints: number): Question {
  return question.joint > joints ? { ...question, joint: 1 } : question;
}

/** The colours of the structures, everywhere. */
export const COLOURS: Readonly<Record<string, string>> = {
  hierarchy: "--series-1",
  joints: "--series-2",
  articulation: "--series-3",
};

export type Curve = "gap" | "tool_error" | "energy" | "us_per_step";
export const CURVES: readonly { readonly id: Curve; readonly isLog: boolean }[] = [
  { id: "tool_error", isLog: true },
  { id: "gap", isLog: true },
  { id: "energy", isLog: false },
  { id: "us_per_step", isLog: true },
];
/** Zeros on a logarithmic axis. */
export const LEAST: Readonly<Record<Curve, number>> = {
  gap: 1e-6,
  tool_error: 1e-6,
  energy: 0,
  us_per_step: 0.1,
};

/** Return where on its slider a value is, and back. */
export const toSlider = ({ isLog }: Setting, value: number): number =>
  isLog ? Math.log10(Math.max(value, 1e-12)) : value;
export const fromSlider = ({ isLog }: Setting, at: number): number =>
  isLog ? Number((10 ** at).toPrecision(2)) : Math.round(at);

/** Return the index of the last of rising times that is not after `time`; the first where all are. */
export function indexAt(times: readonly number[], time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((times[middle] ?? 0) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Return the columns of one plot: common times, then a column for each structure; null where it is over. */
export function columnsOf(
  structures: readonly StructureCurves[],
  curve: Curve,
  isLog: boolean,
): readonly (readonly (number | null)[])[] {
  const times = structures.reduce<readonly number[]>(
    (best, { t }) => (t.length > best.length ? t : best),
    [],
  );
  const columns = structures.map(({ t, [curve]: values }) => {
    if (values === null) return times.map(() => null);
    const end = t.at(-1) ?? 0;
    return times.map((time) => {
      if (time > end) return null;
      const value = values[indexAt(t, time)] ?? 0;
      return isLog ? Math.max(value, LEAST[curve]) : value;
    });
  });
  return [times, ...columns];
}
