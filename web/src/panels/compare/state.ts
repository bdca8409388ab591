/** The comparison: what is asked, how far it is, its result, and the time that is shown of it. */

import { batch, computed, effect, signal } from "@preact/signals";
import { asFailure, ask, Failure } from "../../api";
import { onLanguage } from "../../i18n";
import { layout, project } from "../../project";
import type {
  ComparisonPage,
  ComparisonProgress,
  ComparisonQuestion,
  StructureCurves,
} from "../../protocol.gen";
import { session } from "../../session";
import { askable, FIRST, type Question } from "./curves";

export const question = signal<Question>(FIRST);
export const result = signal<ComparisonPage | null>(null);
/** The share that is done; null while nothing is computed. */
export const share = signal<number | null>(null);
export const failure = signal<Failure | null>(null);
/** s: the time of the runs that the view shows. */
export const time = signal(0);
export const isPlaying = signal(false);
export const rate = signal(1);
/** What the shown result is of. */
const answered = signal("");

const armKey = computed(() => JSON.stringify(project.value?.arm ?? null));
/** What is asked: the plan is part of it where that is what the arm is told to do. */
const askedNow = computed(() =>
  JSON.stringify([question.value, question.value.command === "plan" ? (project.value?.plan ?? null) : null]),
);
export const isStale = computed(() => result.value !== null && answered.value !== askedNow.value);

let running: AbortController | null = null;
/** The arm that the shown result is of. */
let answeredFor = "";
let isOpen = false;

export function change(part: Partial<Question>): void {
  question.value = { ...question.peek(), ...part };
}

/** Compute it; what was under way is given up. */
export async function run(): Promise<void> {
  stop();
  const mine = new AbortController();
  running = mine;
  question.value = askable(question.peek(), layout.peek()?.joints.length ?? FIRST.joint);
  const asked = askedNow.peek();
  answeredFor = armKey.peek();
  batch(() => {
    share.value = 0;
    failure.value = null;
    isPlaying.value = false;
  });
  try {
    const page = await answer(question.peek(), mine.signal);
    if (running !== mine) return;
    batch(() => {
      answered.value = asked;
      result.value = page;
      time.value = 0;
      isPlaying.value = true;
    });
  } catch (reason) {
    if (running === mine) failure.value = asFailure(reason);
  }
  if (running !== mine) return;
  running = null;
  share.value = null;
}

/** Give up what is being computed. */
export function stop(): void {
  running?.abort();
  running = null;
  share.value = null;
}

/** Take away what is shown. */
export function clear(): void {
  stop();
  batch(() => {
    result.value = null;
    failure.value = null;
    isPlaying.value = false;
    time.value = 0;
  });
}

/** Another arm has another comparison, also where it came while the panel was closed. */
export function follow(): () => void {
  isOpen = true;
  const off = effect(() => {
    if (armKey.value !== answeredFor) clear();
  });
  return () => {
    isOpen = false;
    off();
  };
}

/** Another language has other words; nobody waits for them while the panel is closed. */
onLanguage(() => {
  if (result.peek() === null) return;
  if (isOpen) void run();
  else clear();
});

async function answer(asked: ComparisonQuestion, signal: AbortSignal): Promise<ComparisonPage> {
  const response = await ask(`api/sessions/${session.peek()}/comparison`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(asked),
    signal,
  });
  for await (const line of linesOf(response)) {
    const told = JSON.parse(line) as ComparisonProgress; // the generated types say what the server promises
    if (told.failure !== null) throw new Failure(told.failure.code, told.failure.message, {}, true);
    if (told.result !== null) return told.result;
    share.value = told.share;
  }
  throw new Failure("network", "the answer ended too soon");
}

/** Yield the lines of an answer as they come. */
async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/** Play the runs at the chosen rate until the result is called. */
export function playOn(): () => void {
  let frame = 0;
  let last: number | null = null;
  const step = (now: number): void => {
    frame = requestAnimationFrame(step);
    const end = result.peek()?.duration ?? 0;
    const passed = last === null ? 0 : ((now - last) / 1000) * rate.peek();
    last = now;
    time.value = Math.min(time.peek() + passed, end);
    if (time.peek() >= end) isPlaying.value = false;
  };
  const off = effect(() => {
    cancelAnimationFrame(frame);
    last = null;
    if (isPlaying.value) frame = requestAnimationFrame(step);
  });
  return () => {
    off();
    cancelAnimationFrame(frame);
  };
}

export function togglePlay(): void {
  if (!isPlaying.peek() && time.peek() >= (result.peek()?.duration ?? 0)) time.value = 0;
  isPlaying.value = !isPlaying.peek();
}

export const structures = computed<readonly StructureCurves[]>(() => result.value?.structures ?? []);
