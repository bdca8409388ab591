/** The program that is being written: its text, what the server found in it, and where it runs. */

import { batch, computed, effect, signal } from "@preact/signals";
import { asFailure, type Failure, fetchJson, postJson } from "../../api";
import { setBreakpoints, switchInput } from "../../acts";
import { arms, selectedArm } from "../../arms";
import { player, progress } from "../../events";
import { onLanguage, t } from "../../i18n";
import { latestWins } from "../../latest";
import { edit, project } from "../../project";
import type { ProgramExample, ProgramText, ProgramTextCheck } from "../../protocol.gen";
import { session } from "../../session";

export type ProgramLanguage = ProgramText["language"];
export const LANGUAGES: readonly ProgramLanguage[] = ["gcode", "krl", "python", "scenario"];
const MAX_LETTERS = 200_000;
/** How long to wait for the next key before the text is checked. */
const SETTLE_MS = 350;
const FIRST: ProgramText = { language: "gcode", text: "", dialect: "linuxcnc", inputs: {} };

export const program = signal<ProgramText>(project.peek()?.program ?? FIRST);
export const check = signal<ProgramTextCheck | null>(null);
export const isChecking = signal(false);
export const failure = signal<Failure | null>(null);
/** Why the program was not played. */
export const refusal = signal<string | null>(null);
export const cursor = signal(1);
export const breakpoints = signal<readonly number[]>([]);
export const examples = signal<readonly ProgramExample[]>([]);
export const isTooLong = computed(() => program.value.text.length > MAX_LETTERS);

const asker = latestWins(
  ({ made, address }: { made: ProgramText; address: string }) => postJson<ProgramTextCheck>(address, made),
  (found) => {
    batch(() => {
      check.value = found;
      failure.value = null;
      isChecking.value = false;
    });
  },
  (reason) => {
    failure.value = asFailure(reason);
    isChecking.value = false;
  },
);

let timer: ReturnType<typeof setTimeout> | undefined;
/** Whether the text is newer than the project's, and the arm of the scene that it was typed for. */
let isTyping = false;
let typedFor = "";

function isSame(a: ProgramText, b: ProgramText): boolean {
  return (
    a.text === b.text &&
    a.language === b.language &&
    a.dialect === b.dialect &&
    JSON.stringify(a.inputs) === JSON.stringify(b.inputs)
  );
}

/** Take what was typed: after a moment it is kept in the project, and checked. */
export function write(made: ProgramText): void {
  program.value = made;
  if (!isTyping) typedFor = selectedArm.peek();
  isTyping = true;
  clearTimeout(timer);
  timer = setTimeout(() => void settle(), SETTLE_MS);
}

/** Keep the text in the project, and check it. */
export async function settle(): Promise<Failure | null> {
  clearTimeout(timer);
  const made = program.peek();
  if (isTooLong.peek()) return null;
  ask();
  const of = isTyping ? typedFor : selectedArm.peek();
  const kept = arms.peek().find(({ name }) => name === of)?.program ?? null;
  const isKept = kept !== null && isSame(kept, made);
  const refused = isKept
    ? null
    : await edit(t("programs.edit"), (before) => ({ ...before, program: made }), {
        arm: of,
        coalesce: true,
      });
  if (program.peek() === made) isTyping = false;
  return refused;
}

function ask(): void {
  const made = program.peek();
  if (session.peek() === "") return;
  if (made.text.trim() === "") {
    asker.forget();
    check.value = null;
    isChecking.value = false;
    return;
  }
  isChecking.value = true;
  asker.ask({ made, address: `api/sessions/${encodeURIComponent(session.peek())}/program-check` });
}

/** What the program is checked against; a change of it needs another check. */
const surroundings = computed(() => JSON.stringify([project.value?.arm, project.value?.bodies]));

/** Follow the project and the arm; return how to stop. */
export function follow(): () => void {
  void loadExamples();
  const stops = [
    effect(() => {
      if (project.value === null) return;
      if (isTyping && typedFor !== project.value.arm_name) {
        clearTimeout(timer); // another arm is selected: what was typed is kept for the one before
        void settle();
        isTyping = false;
      }
      if (isTyping) return;
      const kept = project.value.program ?? FIRST; // opened, a new one, undone, or another page's
      if (isSame(kept, program.peek())) return;
      program.value = kept;
      ask();
    }),
    effect(() => {
      if (surroundings.value !== "" && session.value !== "") ask();
    }),
  ];
  return () => stops.forEach((stop) => stop());
}

/** Breakpoints of the programs of arms that are not selected. */
const breakpointsOf = new Map<string, readonly number[]>();
let breakpointsFor = "";
selectedArm.subscribe((name) => {
  if (name === "" || name === breakpointsFor) return;
  if (breakpointsFor !== "") {
    breakpointsOf.set(breakpointsFor, breakpoints.peek());
    breakpoints.value = breakpointsOf.get(name) ?? [];
    refusal.value = null; // it was another arm's
  }
  breakpointsFor = name;
});

onLanguage(ask);
breakpoints.subscribe((lines) => {
  if (session.peek() !== "") setBreakpoints(lines);
});

async function loadExamples(): Promise<void> {
  if (examples.peek().length > 0) return;
  try {
    examples.value = await fetchJson<readonly ProgramExample[]>("api/programs");
  } catch (reason) {
    failure.value = asFailure(reason);
  }
}

/** Where the program is that is played; null where another thing is. */
const now = computed(() => (player.value?.what === "program" ? progress.value : null));
/** The line that runs, or 0. */
export const running = computed(() => now.value?.line ?? 0);
export const outputs = computed(() => Object.entries(now.value?.outputs ?? {}));
export const variables = computed(() => Object.entries(now.value?.variables ?? {}));

/** Give a digital input the other value, for the program that runs, the check and the next run. */
export function toggleInput(name: string): void {
  const { inputs, ...rest } = program.peek();
  const value = !(inputs[name] ?? false);
  write({ ...rest, inputs: { ...inputs, [name]: value } });
  if (player.peek()?.what === "program") switchInput(name, value);
}

/** What the program waits for now, in words; null where it goes on. */
export const waiting = computed(() => {
  const names = now.value?.waits ?? null;
  if (names === null) return null;
  return names.length === 0 ? t("programs.waits") : t("programs.waitsFor", { names: names.join(", ") });
});

/** Return the language of a file, by its ending. */
export function languageOf(name: string): ProgramLanguage {
  if (/\.(?:src|dat|sub)$/i.test(name)) return "krl";
  if (/\.py$/i.test(name)) return "python";
  return /\.json$/i.test(name) ? "scenario" : "gcode";
}
