/** Steps of a scenario: made, changed and put in order. Pure functions. */

import type { MoveStep, Project, ScenarioFile } from "../../protocol.gen";

export type Step = ScenarioFile["steps"][number];
export type StepKind = Step["do"];
export const STEP_KINDS = ["move", "pick", "place", "wait", "stop"] as const;

/** How a move gets to its goal: "curve" stands for the paths through several frames, which are made elsewhere. */
export type Way = "joint" | "line" | "arc" | "curve";
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
export function newScenario(project: Project, q: readonly number[], title: string): ScenarioFile {
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

export function wayOf(step: MoveStep): Way {
  if (step.arc !== null) return "arc";
  if (step.path === "joint") return "joint";
  return step.path === "line" && step.through === null ? "line" : "curve";
}

/** Return the move on another way; what only the old way could have is dropped. */
export function withWay(step: MoveStep, way: Way, middle: readonly [number, number, number]): MoveStep {
  const last = step.through?.at(-1) ?? null;
  const goal = step.through === null ? step : { ...step, through: null, to_pose: last };
  if (way === "curve") return step;
  if (way === "joint") return { ...goal, path: "joint", arc: null, blend: 0, tool_speed: null };
  const plain = { ...goal, via: [], scheme: null, times: null };
  if (way === "line") return { ...plain, path: "line", arc: null };
  return { ...plain, path: "joint", arc: middle, blend: 0 };
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

/** Return which step of the list is played at a time; -1 where none is. */
export function stepAt(
  legs: readonly { readonly start: number; readonly end: number; readonly step: number }[],
  time: number,
): number {
  const leg = legs.find(({ end }) => time < end - 1e-4) ?? legs.at(-1);
  return leg?.step ?? -1;
}

/** Return the number (from 0) of the step that a sentence of the server's is about; -1 where it names none. */
export function stepIn(message: string): number {
  const found = /^step (\d+)\b/.exec(message);
  return found === null ? -1 : Number(found[1]) - 1;
}

/** Return the step that failed: told, or named in the sentence, or else the one that runs. */
export function failedStep(
  { step, message }: { readonly step?: number | null; readonly message: string },
  running: number,
): number {
  const named = step ?? stepIn(message);
  return named >= 0 ? named : running;
}

/** Return a sentence without the step that it begins with. */
export function withoutStep(message: string): string {
  return message.replace(/^step \d+: /, "");
}

/** Tell whether joint values are the same, as a person would see it. */
export function isSame(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((value, i) => Math.abs(value - (other[i] ?? 0)) < 5e-3);
}

export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits)) + 0;
}
