/** The question "how can the tool get there?", its answers, and Levenberg and Marquardt's method step by step. */

import { batch, computed, effect, signal } from "@preact/signals";
import { asFailure, type Failure, fetchJson, postJson } from "../../api";
import { sheet } from "../../catalog";
import { onLanguage } from "../../i18n";
import { live } from "../../live";
import { recall, remember } from "../../memory";
import { type Pose, toolPose } from "../../poses";
import { project } from "../../project";
import type {
  FkReport,
  OutsideReport,
  PoseQuestion,
  SolutionReport,
  SolutionsReport,
  StatusTurn,
  StepsReport,
} from "../../protocol.gen";
import { session } from "../../session";
import { settings, start } from "./lm-settings";
import { familiesOf, flatFrames, type Posture, posturesOf, spread, travelOf } from "./numbers";

/** More ghosts than these hide each other. */
const MOST_GHOSTS = 48;

export type Mode = "fk" | "ik";
export type Task = NonNullable<PoseQuestion["task"]>;
export type Handles = "off" | "translate" | "rotate";

/** A solution, with KUKA's S and T where the arm is theirs. */
export type Solved = SolutionReport & { readonly kuka: StatusTurn | null };

/** Postures first … first + count − 1 of an answer: one that stands alone, or the members of a family. */
export interface Group {
  readonly first: number;
  readonly count: number;
}

/** All answers to one question: those that take the arm least far come first. */
export interface Answer {
  readonly pose: Pose;
  readonly postures: readonly Posture<Solved>[];
  readonly groups: readonly Group[];
  readonly why: SolutionsReport["why"];
  /** What only the joint limits rule out. */
  readonly outside: readonly OutsideReport[];
  /** Where every link would be: of each posture, or of the nearest pose where there is none. */
  readonly frames: readonly (readonly number[])[];
}

export const mode = signal<Mode>(recall("panel.kinematics.mode") === "fk" ? "fk" : "ik");
export const target = signal<Pose | null>(null);
/** What the target constrains; null: what the arm can be asked for. */
export const task = signal<Task | null>(null);
export const handles = signal<Handles>("off");
export const answer = signal<Answer | null>(null);
export const chosen = signal<number | null>(null);
export const failure = signal<Failure | null>(null);
export const busy = signal(false);

/** Levenberg and Marquardt: the steps, and which of them is shown. */
export const trace = signal<StepsReport | null>(null);
export const at = signal(0);
export const playing = signal(false);
export const stepFailure = signal<Failure | null>(null);
/** The arm at the step that is looked at. */
export const stepFrames = signal<readonly number[] | null>(null);

const armKey = computed(() => JSON.stringify(project.value?.arm ?? null));
const known = new Map<string, Promise<readonly number[]>>();
let round = 0;

/** Another arm: nothing that was answered holds any more. */
effect(() => {
  if (armKey.value === "null") return;
  batch(() => {
    known.clear();
    forget();
    target.value = null;
    task.value = null;
    handles.value = "off";
  });
});

export function chooseMode(to: Mode): void {
  remember("panel.kinematics.mode", to);
  mode.value = to;
  if (to === "fk") {
    forget();
    handles.value = "off";
  }
}

/** Take answers and ghosts away. */
export function forget(): void {
  round += 1;
  batch(() => {
    busy.value = false;
    answer.value = null;
    chosen.value = null;
    failure.value = null;
    trace.value = null;
    stepFrames.value = null;
    stepFailure.value = null;
    playing.value = false;
    at.value = 0;
  });
}

/** Ask for another target; what was answered before is gone. */
export function aim(at: Pose): void {
  forget();
  target.value = at;
}

/** Put the target where the tool is. */
export function aimHere(): void {
  const pose = toolPose(live.frames);
  if (pose !== null) aim(pose.map((value) => Number(value.toFixed(3))) as unknown as Pose);
}

/** Find all solutions, and show them. */
export async function findAll(): Promise<void> {
  const pose = target.peek();
  if (pose === null) return;
  await asking(failure, async (isCurrent) => {
    const body = { pose, task: task.peek() };
    const { ik, why, kuka, outside } = await postJson<SolutionsReport>(
      `api/sessions/${session.peek()}/ik`,
      body,
    );
    const turns = sheet.peek()?.joints.map(({ unit }) => unit === "°") ?? [];
    const solved = ik.solutions.map((solution, i) => ({ ...solution, kuka: kuka?.[i] ?? null }));
    const { postures, groups } = grouped(solved, turns);
    const shown = why === null ? postures.map(({ solution }) => solution.q) : [why.nearest_q];
    const frames = await Promise.all(shown.map(framesAt));
    if (!isCurrent()) return;
    batch(() => {
      answer.value = { pose, postures, groups, why, outside, frames };
      const [nearest] = groups;
      chosen.value = why === null && nearest !== undefined ? nearestOf(postures, nearest) : null;
    });
  });
}

onLanguage(() => {
  if (failure.peek() !== null || (answer.peek()?.why ?? null) !== null) void findAll();
  else if (stepFailure.peek() !== null) void descend();
});

/** Return the postures of all solutions, and which of them belong together. */
function grouped(solutions: readonly Solved[], turns: readonly boolean[]) {
  const { alone, families } = familiesOf(solutions);
  const most = Math.max(2, Math.floor(MOST_GHOSTS / Math.max(families.length, 1)));
  const parts = [
    ...posturesOf(alone, live.q, turns).map((posture) => [posture]),
    ...families.map((family) => spread(family, most).map((solution) => ({ solution, turned: [] }))),
  ].toSorted((a, b) => travelOfAny(a) - travelOfAny(b));
  const postures = parts.flat();
  let first = 0;
  const groups = parts.map(({ length: count }) => ({ first: (first += count) - count, count }));
  return { postures, groups };
}

/** Return which member of a group the arm is nearest to. */
export function nearestOf(postures: readonly Posture<Solved>[], { first, count }: Group): number {
  const travels = postures.slice(first, first + count).map((posture) => travelOfAny([posture]));
  return first + travels.indexOf(Math.min(...travels));
}

function travelOfAny(postures: readonly Posture<Solved>[]): number {
  return Math.min(...postures.map(({ solution }) => travelOf(solution.q, live.q).size));
}

/** Go from the chosen start, or from where the arm is, towards the target by Levenberg and Marquardt's method. */
export async function descend(): Promise<void> {
  const pose = target.peek();
  if (pose === null) return;
  await asking(stepFailure, async (isCurrent) => {
    const body = { pose, task: task.peek(), ...settings.peek(), start: start.peek() };
    const report = await postJson<StepsReport>(`api/sessions/${session.peek()}/lm`, body);
    if (!isCurrent()) return;
    trace.value = report;
    await lookAt(0);
    playing.value = true;
  });
}

/** Show a step; after the last one comes where it ended. */
export async function lookAt(step: number): Promise<void> {
  const report = trace.peek();
  if (report === null) return;
  const to = Math.min(Math.max(step, 0), report.steps.length);
  at.value = to;
  if (to === report.steps.length) playing.value = false;
  try {
    const frames = await framesAt(report.steps[to]?.q ?? report.q);
    if (trace.peek() === report && at.peek() === to) stepFrames.value = frames;
  } catch (reason) {
    stepFailure.value = asFailure(reason);
    playing.value = false;
  }
}

/** Return the pose that the tool has at some joint values, to a tenth of a millimetre and degree. */
export async function targetAt(q: readonly number[]): Promise<Pose | null> {
  try {
    const pose = toolPose(await framesAt(q));
    return pose === null ? null : (pose.map((value) => Number(value.toFixed(1))) as unknown as Pose);
  } catch (reason) {
    stepFailure.value = asFailure(reason);
    return null;
  }
}

/** Return where every link would be, as `live.frames`; the server computes it. */
async function framesAt(q: readonly number[]): Promise<readonly number[]> {
  const key = q.join(",");
  const before = known.get(key);
  if (before !== undefined) return before;
  const asked = fetchJson<FkReport>(`api/sessions/${session.peek()}/fk?q=${key}`).then(({ frames }) =>
    flatFrames(frames ?? []),
  );
  asked.catch(() => known.delete(key));
  known.set(key, asked);
  return asked;
}

/** Ask, unless something newer is asked before the answer is there. */
async function asking(
  problem: typeof failure,
  question: (isCurrent: () => boolean) => Promise<void>,
): Promise<void> {
  forget();
  const mine = round;
  const isCurrent = (): boolean => mine === round;
  busy.value = true;
  try {
    await question(isCurrent);
  } catch (reason) {
    if (isCurrent()) problem.value = asFailure(reason);
  }
  if (isCurrent()) busy.value = false;
}
