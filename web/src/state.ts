/** What the page knows: signals, and the acts that change them. The server computes; the page asks and shows. */

import { batch, computed, signal } from "@preact/signals";
import { asFailure, type Failure, fetchFk, fetchModel, fetchRobots, fetchSheet, fetchVersion } from "./api";
import { latestWins } from "./latest";
import { clamp } from "./numbers";
import type { FkReport, RobotRow, RobotSheet } from "./protocol.gen";

export const robots = signal<readonly RobotRow[] | null>(null);
export const robotsFailure = signal<Failure | null>(null);
export const chosen = signal<string>("");
export const sheet = signal<RobotSheet | null>(null);
export const sheetFailure = signal<Failure | null>(null);
/** The arm's shape, once it is there. */
export const model = signal<{ readonly name: string; readonly glb: ArrayBuffer } | null>(null);
export const modelFailure = signal<Failure | null>(null);
/** Joint values in degrees and millimetres: what the page last asked for. */
export const q = signal<readonly number[]>([]);
/** Where everything is, as the server last said. */
export const fk = signal<FkReport | null>(null);
export const fkFailure = signal<Failure | null>(null);

export const isOffline = computed(() =>
  [robotsFailure, sheetFailure, modelFailure, fkFailure].some((failure) => failure.value?.code === "network"),
);

const RETRY_MS = 2000;
const GLIDE_MS = 450;
let retryTimer: ReturnType<typeof setTimeout> | undefined;
let glide = 0;

interface Question {
  readonly name: string;
  readonly q: readonly number[];
}

const fkAsker = latestWins(
  (question: Question) => fetchFk(question.name, question.q),
  (report) => {
    batch(() => {
      fk.value = report;
      fkFailure.value = null;
    });
  },
  (reason) => noteFailure(fkFailure, reason),
);

const sheetAsker = latestWins(fetchSheet, showSheet, (reason) => noteFailure(sheetFailure, reason));

const modelAsker = latestWins(
  fetchModel,
  (glb, name) => {
    batch(() => {
      model.value = { name, glb };
      modelFailure.value = null;
    });
  },
  (reason) => noteFailure(modelFailure, reason),
);

/** Load the list, then the arm that the address names (or the first one). */
export async function start(): Promise<void> {
  addEventListener("hashchange", chooseFromAddress);
  await loadRobots();
}

export async function loadRobots(): Promise<void> {
  try {
    const rows = await fetchRobots();
    batch(() => {
      robots.value = rows;
      robotsFailure.value = null;
    });
    chooseFromAddress();
  } catch (reason) {
    noteFailure(robotsFailure, reason);
  }
}

/** Show the arm whose name stands behind the # of the address; without one, the first of the list. */
export function chooseFromAddress(): void {
  const named = decoded(location.hash.slice(1));
  const name = named === "" ? (robots.value?.[0]?.name ?? "") : named;
  if (name === "" || (name === chosen.value && sheet.value?.name === name)) return;
  stopGlide();
  for (const asker of [sheetAsker, modelAsker, fkAsker]) asker.forget();
  batch(() => {
    chosen.value = name;
    sheet.value = null;
    sheetFailure.value = null;
    model.value = null;
    modelFailure.value = null;
    fk.value = null;
    fkFailure.value = null;
    q.value = [];
  });
  sheetAsker.ask(name);
}

/** Set one joint, kept inside its limits, and ask where the arm is then. */
export function setJoint(index: number, value: number): void {
  stopGlide();
  const joint = sheet.value?.joints[index];
  if (joint === undefined) return;
  setJoints(q.value.with(index, clamp(value, joint.lower, joint.upper)));
}

/** Set every joint at once. */
export function setJoints(values: readonly number[]): void {
  q.value = values;
  fkAsker.ask({ name: chosen.value, q: values });
}

/** Move to `goal` in a short glide, or at once where the reader asked for less motion. */
export function goTo(goal: readonly number[]): void {
  stopGlide();
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    setJoints(goal);
    return;
  }
  const from = q.value;
  const began = performance.now();
  const step = (now: number): void => {
    const share = clamp((now - began) / GLIDE_MS, 0, 1);
    const eased = share * share * (3 - 2 * share);
    const between = (end: number, i: number): number => end + ((from[i] ?? end) - end) * (1 - eased);
    setJoints(share < 1 ? goal.map(between) : goal);
    glide = share < 1 ? requestAnimationFrame(step) : 0;
  };
  glide = requestAnimationFrame(step);
}

/** Ask everything again that got no answer. */
export async function retry(): Promise<void> {
  clearTimeout(retryTimer);
  retryTimer = undefined;
  try {
    await fetchVersion();
  } catch (reason) {
    if (asFailure(reason).code === "network") scheduleRetry();
    return;
  }
  if (robotsFailure.value !== null || robots.value === null) await loadRobots();
  if (sheetFailure.value?.code === "network") sheetAsker.ask(chosen.value);
  if (modelFailure.value !== null) modelAsker.ask(chosen.value);
  if (fkFailure.value !== null && sheet.value !== null) setJoints(q.value);
}

function showSheet(answer: RobotSheet): void {
  batch(() => {
    sheet.value = answer;
    sheetFailure.value = null;
  });
  modelAsker.ask(answer.name);
  setJoints(answer.joints.map((joint) => joint.home));
}

function noteFailure(where: { value: Failure | null }, reason: unknown): void {
  const failure = asFailure(reason);
  where.value = failure;
  if (failure.code === "network") scheduleRetry();
}

function scheduleRetry(): void {
  retryTimer ??= setTimeout(() => void retry(), RETRY_MS);
}

function stopGlide(): void {
  cancelAnimationFrame(glide);
  glide = 0;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
