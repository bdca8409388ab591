/** What can be drawn: each quantity's curves, and the numbers of the shown time as columns. */

import type { Commanded, Quantity as Column } from "../../history";

export const QUANTITIES = ["q", "qd", "qdd", "tau", "xyz", "abc", "energy", "gap"] as const;
export type Quantity = (typeof QUANTITIES)[number];
export type Value = number | null;

/** A joint as far as a curve needs it. */
export interface Axis {
  readonly name: string;
  readonly unit: string;
}

export interface Curve {
  /** A joint's name, or the key of a word. */
  readonly name: string;
  readonly isWord: boolean;
  /** The unit of the joint or of the value, and how often it is divided by seconds. */
  readonly unit: string;
  readonly perSecond: 0 | 1 | 2;
  /** The token of its colour. */
  readonly colour: string;
  /** Columns of the history whose sum it is. */
  readonly of: readonly (readonly [Column, number])[];
  /** The column of what was commanded, where there is one. */
  readonly commanded: readonly [Column, number] | null;
  /** Where values jump from one end of the turn to the other. */
  readonly isAngle: boolean;
}

/** Where numbers come from: the running history, or one that is held. */
export interface Source {
  times(): Float64Array;
  column(quantity: Column, index?: number): Float64Array;
}

/** The numbers of a stretch of time: seconds before the end (0 is the newest), and one column per curve. */
export interface Shot {
  readonly t: readonly number[];
  readonly actual: readonly (readonly Value[])[];
  readonly commanded: readonly (readonly Value[] | null)[];
}

export interface Summary {
  readonly at: Value;
  readonly commanded: Value;
  readonly least: Value;
  readonly most: Value;
}

const SERIES = 7;
/** No less time than this is shown. */
const LEAST_S = 0.1;
const MOST_DIGITS = 6;
const OF_JOINTS = ["q", "qd", "qdd", "tau"] as const;
type OfJoints = (typeof OF_JOINTS)[number];
/** What a joint is told to do, for each thing that it does. */
const COMMANDED: Readonly<Record<OfJoints, Commanded>> = {
  q: "command",
  qd: "commandQd",
  qdd: "commandQdd",
  tau: "commandTau",
};
const XYZ = ["--axis-x", "--axis-y", "--axis-z"] as const;
/** A turns about z, B about y, C about x. */
const ABC = ["--axis-z", "--axis-y", "--axis-x"] as const;

/** Return the curves of a quantity for an arm with these joints. */
export function curvesOf(quantity: Quantity, joints: readonly Axis[]): readonly Curve[] {
  switch (quantity) {
    case "q":
    case "qd":
    case "qdd":
    case "tau":
      return joints.map((joint, i) => jointCurve(quantity, joint, i));
    case "xyz":
      return XYZ.map((colour, i) => plain("XYZ".charAt(i), "mm", colour, [["tool", i]]));
    case "abc":
      return ABC.map((colour, i) => ({
        ...plain("ABC".charAt(i), "°", colour, [["tool", i + 3]]),
        isAngle: true,
      }));
    case "energy":
      return [
        word("plots.kinetic", "J", "--series-1", [["energy", 0]]),
        word("plots.potential", "J", "--series-2", [["energy", 1]]),
        word("plots.total", "J", "--series-3", [
          ["energy", 0],
          ["energy", 1],
        ]),
      ];
    case "gap":
      return [word("plots.gapCurve", "mm", "--series-1", [["gap", 0]])];
  }
}

/** Copy everything of a history of an arm with `axes` joints, so that it can be looked at while time goes on. */
export function held(history: Source, axes: number): Source {
  const times = history.times();
  const columns = new Map<string, Float64Array>();
  const copy = (quantity: Column, count: number): void => {
    for (let i = 0; i < count; i += 1) columns.set(`${quantity}/${i}`, history.column(quantity, i));
  };
  for (const quantity of OF_JOINTS) {
    copy(quantity, axes);
    copy(COMMANDED[quantity], axes);
  }
  copy("tool", 6);
  copy("energy", 2);
  copy("gap", 1);
  return {
    times: () => times,
    column: (quantity, index = 0) => columns.get(`${quantity}/${index}`) ?? new Float64Array(0),
  };
}

/** Return the last `seconds` of the curves. */
export function shotOf(source: Source, curves: readonly Curve[], seconds: number): Shot {
  const times = source.times();
  const end = times.at(-1) ?? 0;
  let from = times.findIndex((time) => time >= end - seconds);
  if (from > 0) from -= 1; // the line enters from outside
  const first = Math.max(from, 0);
  const read = ([quantity, index]: readonly [Column, number]): Float64Array =>
    source.column(quantity, index).subarray(first);
  return {
    t: Array.from(times.subarray(first), (time) => time - end),
    actual: curves.map(({ of, isAngle }) => {
      const values = summed(of.map(read));
      return isAngle ? broken(values) : values;
    }),
    commanded: curves.map(({ commanded }) => (commanded === null ? null : summed([read(commanded)]))),
  };
}

/** Return the value at an index (the newest where it is null), and the least and the most between two times. */
export function summaryOf(shot: Shot, curve: number, index: number | null, [from, to]: Range): Summary {
  const values = shot.actual[curve] ?? [];
  const commanded = shot.commanded[curve] ?? [];
  const here = index ?? lastUpTo(shot.t, to);
  let [least, most]: [Value, Value] = [null, null];
  values.forEach((value, i) => {
    const time = shot.t[i] ?? NaN;
    if (value === null || time < from || time > to) return;
    least = least === null ? value : Math.min(least, value);
    most = most === null ? value : Math.max(most, value);
  });
  return { at: values[here] ?? null, commanded: commanded[here] ?? null, least, most };
}

export type Range = readonly [number, number];

/** Return a range zoomed by a factor about a time, or about its middle; it stays inside [-seconds, 0]. */
export function zoomed([from, to]: Range, factor: number, seconds: number, about = (from + to) / 2): Range {
  const width = Math.min(Math.max((to - from) * factor, LEAST_S), seconds);
  const before = to > from ? ((about - from) / (to - from)) * width : width / 2;
  return inside([about - before, about - before + width], seconds);
}

/** Return a range moved by a share of its width, inside [-seconds, 0]. */
export function shifted([from, to]: Range, share: number, seconds: number): Range {
  const by = (to - from) * share;
  return inside([from + by, to + by], seconds);
}

function inside([from, to]: Range, seconds: number): Range {
  const back = Math.max(to, 0);
  const on = Math.max(-seconds - (from - back), 0);
  return [from - back + on, to - back + on];
}

/** Return how many decimals tell apart the numbers at an axis, which are this far from each other. */
export function digitsFor(step: number): number {
  let digits = 0;
  while (
    digits < MOST_DIGITS &&
    Math.abs(Math.round(step * 10 ** digits) / 10 ** digits - step) > step * 1e-6
  )
    digits += 1;
  return digits;
}

function lastUpTo(t: readonly number[], to: number): number {
  const index = t.findLastIndex((time) => time <= to);
  return index < 0 ? t.length - 1 : index;
}

function summed(columns: readonly Float64Array[]): Value[] {
  const [first = new Float64Array(0), ...others] = columns;
  return Array.from(first, (value, i) => {
    const sum = others.reduce((total, column) => total + (column[i] ?? NaN), value);
    return Number.isFinite(sum) ? sum : null;
  });
}

/** Return the name of the scale that a curve is drawn on: curves of one unit share it. */
export const scaleOf = ({ unit, perSecond }: Curve): string => `${unit}/${perSecond}`;

/** Leave a hole where an angle goes from one end of the turn to the other, in place of a line across the plot. */
export function broken(values: readonly Value[]): Value[] {
  return values.map((value, i) => {
    const before = values[i - 1] ?? null;
    return value !== null && before !== null && Math.abs(value - before) > 180 ? null : value;
  });
}

function jointCurve(quantity: OfJoints, joint: Axis, i: number): Curve {
  const effort = joint.unit === "mm" ? "N" : "N·m";
  return {
    name: joint.name,
    isWord: false,
    unit: quantity === "tau" ? effort : joint.unit,
    perSecond: quantity === "qd" ? 1 : quantity === "qdd" ? 2 : 0,
    colour: `--series-${(i % SERIES) + 1}`,
    of: [[quantity, i]],
    commanded: [COMMANDED[quantity], i],
    isAngle: false,
  };
}

function plain(name: string, unit: string, colour: string, of: Curve["of"]): Curve {
  return { name, isWord: false, unit, perSecond: 0, colour, of, commanded: null, isAngle: false };
}

function word(name: string, unit: string, colour: string, of: Curve["of"]): Curve {
  return { ...plain(name, unit, colour, of), isWord: true };
}
