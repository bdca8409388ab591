/** What a project may change about its arm, worked out without asking anybody. */

import type { ProjectOfArm } from "../../project";
import { rounded } from "../../numbers";
import type { ArmChoice, DhReportRow, DhValues, JointRow, PayloadChoice, Range } from "../../protocol.gen";

export const DH_COLUMNS = ["theta", "d", "a", "alpha"] as const;
export type DhColumn = (typeof DH_COLUMNS)[number];
export const ENDS = ["lower", "upper"] as const;
export type End = (typeof ENDS)[number];
export type Frame = ArmChoice["base"];
export const AT_ORIGIN: Frame = [0, 0, 0, 0, 0, 0];
export type Part = "dh" | "limits" | "tool" | "tcp" | "payload" | "base";

/** The server takes no longer lengths. */
export const MAX_MM = 10_000;
/** As near as two typed numbers are the same. */
const NEAR = 1e-6;
const MOST_DIGITS = 3;

export function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) < NEAR;
}

/** Return how many decimals show a value as it is, at most 3. */
export function digitsOf(value: number): number {
  for (let digits = 0; digits < MOST_DIGITS; digits++)
    if (isNear(rounded(value, digits), value)) return digits;
  return MOST_DIGITS;
}

/** Return a sheet's table as a project writes it. */
export function valuesOf(rows: readonly DhReportRow[]): readonly DhValues[] {
  return rows.map(({ theta, d, a, alpha }) => ({ theta, d, a, alpha }));
}

/** A length of the arm that a slider can change: one that is not nothing in the catalog. */
export interface Length {
  readonly index: number;
  readonly column: "d" | "a";
  readonly own: number;
}

/** Shorter ones stand in the table only: a share of next to nothing is nothing. */
const LEAST_MM = 1;
const [LEAST_SHARE, MOST_SHARE] = [0.25, 2];

/** Return the lengths of a table that are worth a slider. */
export function lengthsOf(own: readonly DhValues[]): readonly Length[] {
  return own.flatMap((row, index) =>
    (["d", "a"] as const)
      .map((column) => ({ index, column, own: row[column] }))
      .filter((length) => Math.abs(length.own) >= LEAST_MM),
  );
}

/** Return from where to where a slider goes, in the direction of the catalog's value: a quarter of it to twice as much.
 *
 * A length that was typed beyond that is still on the slider. */
export function spanOf(own: number, now: number): { readonly lower: number; readonly upper: number } {
  const length = along(own, now);
  const size = Math.abs(own);
  return { lower: Math.min(LEAST_SHARE * size, length), upper: Math.max(MOST_SHARE * size, length) };
}

/** Return a value counted in the direction of the catalog's: lengths below zero grow to the right, too. The same again
 * turns it back. */
export function along(own: number, value: number): number {
  return own < 0 ? -value + 0 : value;
}

/** Return how finely a hand can set a length: 3 digits are enough. */
export function finenessOf(own: number): number {
  const size = Math.abs(own);
  return size >= 100 ? 0 : size >= 10 ? 1 : 2;
}

export function rangesOf(joints: readonly JointRow[]): readonly Range[] {
  return joints.map(({ lower, upper }) => ({ lower, upper }));
}

/** Return the arm with one value of its table changed; a table as in the catalog is none. */
export function withDhValue(
  arm: ArmChoice,
  own: readonly DhValues[],
  index: number,
  column: DhColumn,
  value: number,
): ArmChoice {
  const rows = (arm.dh ?? own).map((row, i) => (i === index ? { ...row, [column]: value } : row));
  const isOwn = rows.every((row, i) => DH_COLUMNS.every((key) => isNear(row[key], own[i]?.[key] ?? NaN)));
  return { ...arm, dh: isOwn ? null : rows };
}

/** Return the arm with one end of a joint changed; limits as in the catalog are none. */
export function withLimit(
  arm: ArmChoice,
  own: readonly Range[],
  index: number,
  end: End,
  value: number,
): ArmChoice {
  const ranges = (arm.limits ?? own).map((range, i) => (i === index ? { ...range, [end]: value } : range));
  const isOwn = ranges.every((range, i) => ENDS.every((key) => isNear(range[key], own[i]?.[key] ?? NaN)));
  return { ...arm, limits: isOwn ? null : ranges };
}

export function withBaseValue(arm: ArmChoice, index: number, value: number): ArmChoice {
  return { ...arm, base: frameWith(arm.base, index, value) };
}

/** Return the arm with one value of its TCP changed; one as in the catalog is none. */
export function withTcpValue(arm: ArmChoice, own: Frame, index: number, value: number): ArmChoice {
  const tcp = frameWith(arm.tcp ?? own, index, value);
  return { ...arm, tcp: tcp.every((now, i) => isNear(now, own[i] ?? NaN)) ? null : tcp };
}

const NO_LOAD: PayloadChoice = { mass: 0, com: [0, 0, 0] };

/** Return the arm with another payload; one without mass at the TCP is none. */
export function withPayload(arm: ArmChoice, change: Partial<PayloadChoice>): ArmChoice {
  const payload = { ...(arm.payload ?? NO_LOAD), ...change };
  return { ...arm, payload: payload.mass === 0 && payload.com.every((v) => v === 0) ? null : payload };
}

export function withComValue(arm: ArmChoice, index: number, value: number): ArmChoice {
  const [x, y, z] = (arm.payload ?? NO_LOAD).com.map((old, i) => (i === index ? value : old));
  return withPayload(arm, { com: [x ?? 0, y ?? 0, z ?? 0] });
}

function frameWith(frame: Frame, index: number, value: number): Frame {
  const [x, y, z, a, b, c] = frame.map((old, i) => (i === index ? value : old));
  return [x ?? 0, y ?? 0, z ?? 0, a ?? 0, b ?? 0, c ?? 0];
}

/** Return what is not as in the catalog. */
export function changedParts(arm: ArmChoice): readonly Part[] {
  const parts: Part[] = [];
  if (arm.dh !== null) parts.push("dh");
  if (arm.limits !== null) parts.push("limits");
  if (arm.tool !== "none") parts.push("tool");
  if (arm.tcp !== null) parts.push("tcp");
  if (arm.payload !== null) parts.push("payload");
  if (arm.base.some((value) => !isNear(value, 0))) parts.push("base");
  return parts;
}

export interface Misfits {
  /** The names of saved poses that the arm cannot take. */
  readonly poses: readonly string[];
  /** Whether the planned motion has points that the arm cannot take. */
  readonly plan: boolean;
}

/** Return what of the project lies outside the limits of the joints. */
export function misfits({ poses, plan }: ProjectOfArm, joints: readonly JointRow[]): Misfits {
  const fits = (q: readonly number[]): boolean =>
    q.length === joints.length &&
    joints.every(({ lower, upper }, i) => {
      const value = q[i] ?? NaN;
      return value >= lower - NEAR && value <= upper + NEAR;
    });
  return {
    poses: poses.filter((pose) => !fits(pose.q)).map((pose) => pose.name),
    plan: plan?.kind === "joint" && !plan.points.every(fits),
  };
}

/** Return which card an arrow key leads to, in a grid of `columns`; null for other keys. */
export function cardAfter(key: string, index: number, count: number, columns: number): number | null {
  const goals: Readonly<Record<string, number>> = {
    ArrowLeft: index - 1,
    ArrowRight: index + 1,
    ArrowUp: index - columns,
    ArrowDown: index + columns,
    Home: 0,
    End: count - 1,
  };
  const goal = goals[key];
  if (goal === undefined) return null;
  return goal < 0 || goal >= count ? index : goal;
}

/** Return the title without the maker that it begins with: both stand on the card. */
export function shortTitle(title: string, maker: string): string {
  return maker !== "" && title.startsWith(`${maker} `) ? title.slice(maker.length + 1) : title;
}
