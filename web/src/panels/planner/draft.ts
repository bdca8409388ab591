/** The plan that is being made: points of the joints, or node frames of the tool, and how to go through them.
 *
 * What can be planned (two points or more) is the project's plan, edit by edit; fewer points wait here. */

import { effect, signal, untracked } from "@preact/signals";
import { t } from "../../i18n";
import type { Pose } from "../../poses";
import { doc, edit, project } from "../../project";
import type { JointPlan, ToolPlan } from "../../protocol.gen";

export type Mode = "joint" | "tool";
export type Plan = JointPlan | ToolPlan;
export type PathKind = ToolPlan["path"];
/** A row of joint values, or X Y Z A B C. */
export type Point = readonly number[];

export interface Draft {
  readonly mode: Mode;
  readonly joint: JointPlan;
  readonly tool: ToolPlan;
}

export const MAX_POINTS = 200;
export const PATHS: readonly PathKind[] = ["linear", "quadratic", "spline", "bspline"];
export const SCHEMES = [
  "smooth",
  "jerk",
  "fastest",
  "linear",
  "trapezoid",
  "cubic",
  "quintic",
  "natural",
  "clamped",
  "quartic-ends",
  "4-3-4",
  "3-5-3",
  "3-3-3-3-3",
] as const;
/** These go through exactly four points: start, departure, approach, end. */
const CLASSIC: ReadonlySet<string> = new Set(["4-3-4", "3-5-3", "3-3-3-3-3"]);
/** The limits give the times of these. */
const UNTIMED: ReadonlySet<string> = new Set(["smooth", "fastest"]);
/** Which derivatives may be given at the ends: 1 velocities, 2 accelerations, too; others start and end at rest. */
const END_RATES: Readonly<Record<string, 1 | 2>> = {
  jerk: 2,
  cubic: 1,
  clamped: 1,
  quintic: 2,
  "quartic-ends": 2,
  "4-3-4": 2,
  "3-5-3": 2,
  "3-3-3-3-3": 2,
};
const FIRST_TIME_S = 1;

export const EMPTY: Draft = {
  mode: "joint",
  joint: {
    kind: "joint",
    points: [],
    scheme: "smooth",
    times: null,
    duration: null,
    ends: null,
    speed: 100,
  },
  tool: { kind: "tool", frames: [], path: "linear", blend: 0, speed: 100, tool_speed: null, duration: null },
};

export const draft = signal<Draft>(EMPTY);
/** Which point is being edited in the view and marked in the list. */
export const chosen = signal<number | null>(null);
/** Counts the changes, so that what was planned knows that it is old. */
export const changes = signal(0);

/** The arm of the scene that the draft is for. */
let draftArm = "";
let underWay = 0;
let lastEdit: Promise<unknown> = Promise.resolve();

export const isClassic = (scheme: string): boolean => CLASSIC.has(scheme);
export const takesTimes = (scheme: string): boolean => !UNTIMED.has(scheme);

export const endRates = (scheme: string): 0 | 1 | 2 => END_RATES[scheme] ?? 0;

/** What can be given at the ends of a motion, by the derivative that it is. */
export const ENDS = [
  ["start_velocity", 1],
  ["end_velocity", 1],
  ["start_acceleration", 2],
  ["end_acceleration", 2],
] as const;
export type End = (typeof ENDS)[number][0];

/** Return the plan with another value at one of its ends; where all of them are zero, it starts and ends at rest. */
export function withEnd(plan: JointPlan, end: End, values: readonly number[] | null): JointPlan {
  const before = plan.ends ?? NO_ENDS;
  const given = values?.some((value) => value !== 0) === true ? values : null;
  const ends = { ...before, [end]: given };
  const isRest = ENDS.every(([name]) => ends[name] === null);
  return { ...plan, ends: isRest ? null : ends, duration: isRest ? plan.duration : null };
}

const NO_ENDS = {
  start_velocity: null,
  end_velocity: null,
  start_acceleration: null,
  end_acceleration: null,
} as const;

/** Return the plan with another duration of the whole: its times keep their shares. */
export function withDuration<One extends Plan>(plan: One, duration: number | null): One {
  if (plan.kind === "tool" || plan.times === null) return { ...plan, duration };
  if (duration === null) return { ...plan, times: null };
  const factor = duration / plan.times.reduce((sum, time) => sum + time, 0);
  return { ...plan, times: plan.times.map((time) => Math.round(time * factor * 1e6) / 1e6) };
}

/** Return how long a plan is told to take; null where that is left to the limits. */
export function durationOf(plan: Plan): number | null {
  if (plan.kind === "joint" && plan.times !== null) return plan.times.reduce((sum, time) => sum + time, 0);
  return plan.duration;
}

/** Return the points of the mode that is shown. */
export function pointsOf({ mode, joint, tool }: Draft): readonly Point[] {
  return mode === "joint" ? joint.points : tool.frames;
}

/** Return the draft as a plan; null where it has too few points. */
export function planOf(made: Draft): Plan | null {
  if (pointsOf(made).length < 2) return null;
  return made.mode === "joint" ? made.joint : made.tool;
}

/** Return the draft with other points; the times of its segments come and go with them. */
export function withPoints(made: Draft, points: readonly Point[]): Draft {
  if (made.mode === "tool") return { ...made, tool: { ...made.tool, frames: points as readonly Pose[] } };
  const times = made.joint.times === null ? null : timesFor(made.joint.times, points.length - 1);
  return { ...made, joint: { ...made.joint, points, times } };
}

/** Return the draft with another scheme; one whose times come from the limits has none of its own. */
export function withScheme(made: Draft, scheme: string): Draft {
  const times = takesTimes(scheme) ? made.joint.times : null;
  const rates = endRates(scheme);
  const ends = ENDS.filter(([, order]) => order > rates).map(([name]) => name);
  const joint = ends.reduce((plan, name) => withEnd(plan, name, null), made.joint);
  return { ...made, joint: { ...joint, scheme, times } };
}

/** Return as many times as there are segments; null for none. */
export function timesFor(times: readonly number[], segments: number): readonly number[] | null {
  if (segments < 1) return null;
  return Array.from({ length: segments }, (_, i) => times[i] ?? times.at(-1) ?? FIRST_TIME_S);
}

/** Return what a point is called: S2's names for four, else start, numbers and end. */
export function roleOf(index: number, count: number): string {
  if (index === 0) return t("planner.role.start");
  if (index === count - 1) return t("planner.role.end");
  if (count === 4) return t(index === 1 ? "planner.role.departure" : "planner.role.approach");
  return t("planner.role.via", { n: index });
}

/** Change the draft, and the project's plan with it. */
export function change(label: string, make: (made: Draft) => Draft): void {
  const next = make(draft.peek());
  draft.value = next;
  changes.value += 1;
  keepChosen(next);
  const plan = planOf(next);
  underWay += 1;
  lastEdit = edit(label, (before) => (same(before.plan, plan) ? before : { ...before, plan })).then(() => {
    underWay -= 1;
    if (underWay === 0) adopt();
  });
}

/** Change the draft for the eye only, such as while a point is dragged. */
export function preview(make: (made: Draft) => Draft): void {
  draft.value = make(draft.peek());
}

/** Wait until the project holds the plan. */
export async function settled(): Promise<void> {
  await lastEdit;
}

/** Return the draft after the project came to hold another plan: by undo, another page, or another arm. */
export function adopted(made: Draft, plan: Plan | null, axes: number, isFirstPointLeft: boolean): Draft {
  if (plan?.kind === "joint") return { ...made, mode: "joint", joint: plan };
  if (plan?.kind === "tool") return { ...made, mode: "tool", tool: plan };
  const points = pointsOf(made).filter(
    (point) => made.mode === "tool" || axes === 0 || point.length === axes,
  );
  if (points.length < 2) return points.length === pointsOf(made).length ? made : withPoints(made, points);
  return withPoints(made, isFirstPointLeft ? points.slice(0, 1) : []);
}

function adopt(): void {
  const document = doc.peek();
  if (document === null || underWay > 0) return;
  const seen = project.peek();
  if (seen === null) return;
  const isOtherArm = draftArm !== seen.arm_name;
  if (isOtherArm && draftArm !== "") draft.value = EMPTY; // points of another arm
  draftArm = seen.arm_name;
  const made = draft.peek();
  if (same(seen.plan, planOf(made)) && !isOtherArm) return;
  const isFirstPointLeft = document.redo === t("planner.edit.add").slice(0, 60);
  draft.value = adopted(made, seen.plan, document.layout.joints.length, isFirstPointLeft);
  changes.value += 1;
  keepChosen(draft.peek());
}

/** A point that is gone is not chosen. */
function keepChosen(made: Draft): void {
  const index = chosen.peek();
  if (index !== null && index >= pointsOf(made).length) chosen.value = null;
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

effect(() => {
  if (doc.value !== null) untracked(adopt);
});
