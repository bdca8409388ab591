/** Steps of a scenario: made, changed and put in order. Pure functions. */

import type { ProjectOfArm } from "../../project";
import type { MoveStep, ScenarioFile } from "../../protocol.gen";

export type Step = ScenarioFile["steps"][number];
export type StepKind = Step["do"];
export const STEP_KINDS = ["move", "pick", "place", "wait", "stop"] as const;

/** How a move gets to its goal: "curve" stands for the paths of the tool through several frames. */
export type PathKind = "joint" | "line" | "arc" | "curve";
/** What the goal of a move is given as. */
export type GoalKind = "named" | "joints" | "pose" | "frames";
export type Frame = readonly [number, number, number, number, number, number];

export function newMove(q: readonly number[]): MoveStep {
  return {
    do: "move",
    to: q.map((value) => rounded(value, 3)),
    to_pose: null,
    through: null,
    via: [],
    arc: null,
    path: "joint",
    scheme: null,
    times: null,
    blend: 0,
    speed: 100,
    tool_speed: null,
    duration: null,
    task: "pose",
    note: "",
  };
}

/** Return a new step; a move goes to where the arm is. */
export function newStep(kind: StepKind, q: readonly number[]): Step {
  switch (kind) {
    case "move":
      return newMove(q);
    case "pick":
      return { do: "pick", body: null, note: "" };
    case "place":
      return { do: "place", note: "" };
    case "wait":
      return { do: "wait", seconds: 1, note: "" };
    case "stop":
      return { do: "stop", note: "" };
  }
}

/** Return a scenario for the arm on the bench that begins where the arm is. */
export function newScenario(project: ProjectOfArm, q: readonly number[], title: string): ScenarioFile {
  return {
    schema: 1,
    name: "scenario",
    title,
    notes: "",
    arm: project.arm.name,
    tool: project.arm.tool,
    scene: null,
    start: q.map((value) => rounded(value, 3)),
    steps: [newMove(q)],
  };
}

export function pathOf(step: MoveStep): PathKind {
  if (step.arc !== null) return "arc";
  if (step.path === "joint") return "joint";
  return step.path === "line" && step.through === null ? "line" : "curve";
}

/** Return six numbers as a frame. */
export function asFrame(row: readonly number[]): Frame {
  const [x = 0, y = 0, z = 0, a = 0, b = 0, c = 0] = row.map((value) => rounded(value, 3));
  return [x, y, z, a, b, c];
}

/** Return the move through other points before its goal; the times of its segments come and go with them. */
export function withVia(step: MoveStep, via: readonly (readonly number[])[]): MoveStep {
  const last = step.times?.at(-1) ?? 1;
  const times = step.times === null ? null : [...via, 0].map((_, i) => step.times?.[i] ?? last);
  return { ...step, via, times };
}

export function goalOf(step: MoveStep): GoalKind {
  if (step.through !== null) return "frames";
  if (step.to_pose !== null) return "pose";
  return typeof step.to === "string" ? "named" : "joints";
}

/** Return the move with another goal. */
export function withGoal(step: MoveStep, goal: string | readonly number[] | { pose: Frame }): MoveStep {
  const isPose = typeof goal === "object" && "pose" in goal;
  return { ...step, through: null, to: isPose ? null : goal, to_pose: isPose ? goal.pose : null };
}

/** Return the list with the step at `from` moved to `to`. */
export function reordered(steps: readonly Step[], from: number, to: number): readonly Step[] {
  const step = steps[from];
  if (step === undefined || to < 0 || to >= steps.length || from === to) return steps;
  const rest = steps.filter((_, i) => i !== from);
  return [...rest.slice(0, to), step, ...rest.slice(to)];
}

export function inserted(steps: readonly Step[], at: number, step: Step): readonly Step[] {
  return [...steps.slice(0, at), step, ...steps.slice(at)];
}

interface FailedAt {
  /** From 0. */
  readonly step?: number | null;
  /** `step` counts from 1 here, as the message shows it. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** Return the step that failed: told, or else the one that runs. */
export function failedStep({ step, parameters }: FailedAt, running: number): number {
  const shown = parameters?.step;
  return step ?? (typeof shown === "number" ? shown - 1 : running);
}

interface Told {
  readonly message: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Return a message without the place that it begins with: the list shows it at its step. */
export function withoutPlace({ message, parameters }: Told): string {
  return typeof parameters.problem === "string" ? parameters.problem : message;
}

/** Tell whether joint values are the same, as a person would see it. */
export function isSame(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((value, i) => Math.abs(value - (other[i] ?? 0)) < 5e-3);
}

export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits)) + 0;
}
