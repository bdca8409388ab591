/** Changes of the scenario, each one edit of the project; running it, checking it, opening and saving files. */

import { computed, effect, signal } from "@preact/signals";
import { isAskedTwice } from "../../acts";
import { asFailure, ask, Failure, fetchJson } from "../../api";
import { robots } from "../../catalog";
import { player, playerNumber, progress } from "../../events";
import { builtinTitle, onLanguage, t } from "../../i18n";
import { is, live } from "../../live";
import { armIn, edit, editWhole, project, seenBy, selectedArm, wholeOf, withArm } from "../../project";
import type {
  Failed,
  FindingReport,
  MoveStep,
  Project,
  ScenarioCheck,
  ScenarioContent,
  ScenarioFile,
  ScenarioRow,
} from "../../protocol.gen";
import { deselect } from "../../selection";
import { session } from "../../session";
import { sayUndoable } from "../scene/acts";
import type { Problem } from "./problem";
import {
  failedStep,
  inserted,
  newMove,
  newScenario,
  newStep,
  reordered,
  type Step,
  type StepKind,
} from "./steps";

export const MAX_FILE_BYTES = 1_000_000;

/** The step that is being edited. */
export const chosen = signal(0);
/** Why the last change or file was refused, or which step of a run failed. */
export const problem = signal<Problem | null>(null);
export const rows = signal<readonly ScenarioRow[] | null>(null);
export const rowsFailure = signal<Failure | null>(null);
export const isBusy = signal(false);
/** What the last check found, and of which list of steps. */
const checked = signal<{ readonly steps: string; readonly found: ScenarioCheck } | null>(null);
export const isChecking = signal(false);
/** The steps as they were when the player took them. */
const played = signal("");

export const scenario = computed<ScenarioFile | null>(() => project.value?.scenario ?? null);
const stepsText = computed(() => JSON.stringify([scenario.value, project.value?.bodies, project.value?.arm]));

effect(() => {
  if (playerNumber.value === 0 || player.peek()?.what !== "scenario") return;
  played.value = stepsText.peek();
  forgetRun(); // it runs again
});

effect(() => {
  if (stepsText.value !== "") forgetRun(); // what failed is not what is there now
});

/** The step that is played now, from 0; -1 where none is. */
export const running = computed(() => {
  const held = player.value;
  if (held?.what !== "scenario") return -1;
  return progress.value?.step ?? -1;
});

/** Whether the player has a scenario that is not the one in the list any more. */
export const isOutdated = computed(
  () => player.value?.what === "scenario" && played.value !== stepsText.value && is("playing"),
);

/** What was found in the scenario as it is: by the check, or else by the player's planner; null if nobody looked. */
export const findings = computed<readonly FindingReport[] | null>(() => {
  if (checked.value?.steps === stepsText.value) return checked.value.found.findings;
  const held = player.value;
  return held?.what === "scenario" && played.value === stepsText.value ? held.findings : null;
});

/** How long the scenario takes, where that is known. */
export const duration = computed<number | null>(() => {
  if (checked.value?.steps === stepsText.value && checked.value.found.duration > 0)
    return checked.value.found.duration;
  const held = player.value;
  return held?.what === "scenario" && played.value === stepsText.value ? held.duration : null;
});

/** Take away the mark of a step that failed. */
function forgetRun(): void {
  if (problem.peek()?.isOfRun === true) problem.value = null;
}

async function change(label: string, make: (before: ScenarioFile) => ScenarioFile | null): Promise<boolean> {
  const failure = await edit(
    label,
    (before) => {
      if (before.scenario === null) return before;
      return { ...before, scenario: make(before.scenario) };
    },
    { quiet: true },
  );
  problem.value = failure === null ? null : { text: failure, step: chosen.peek() };
  return failure === null;
}

export async function beginScenario(): Promise<void> {
  const q = [...live.command];
  const label = t("scenario.edit.new");
  const failure = await edit(
    label,
    (before) => ({ ...before, scenario: newScenario(before, q, t("scenario.untitled")) }),
    { quiet: true },
  );
  problem.value = failure === null ? null : { text: failure, step: -1 };
  if (failure === null) chosen.value = 0;
}

/** Add a step after the chosen one. */
export async function addStep(kind: StepKind): Promise<void> {
  const step = newStep(kind, [...live.command]);
  const at = Math.min(chosen.peek(), (scenario.peek()?.steps.length ?? 1) - 1) + 1;
  const label = t("scenario.edit.add", { what: t(`scenario.do.${kind}`) });
  if (await change(label, (before) => ({ ...before, steps: inserted(before.steps, at, step) })))
    chosen.value = at;
}

/** Add a move at the end, in a new scenario if there is none, which then starts at `start`; return whether it is done. */
export async function addMove(move: MoveStep, start?: readonly number[]): Promise<boolean> {
  const q = start ?? [...live.command];
  const label = t("scenario.edit.add", { what: t("scenario.do.move") });
  const failure = await edit(label, (before) => {
    const made = before.scenario ?? {
      ...newScenario(before, q, t("scenario.untitled")),
      steps: [],
    };
    // A plan in joint space begins at its first point; where the arm is elsewhere then, it goes there first.
    const steps: Step[] = before.scenario === null || start === undefined ? [] : [newMove(start)];
    return { ...before, scenario: { ...made, steps: [...made.steps, ...steps, move] } };
  });
  if (failure !== null) return false;
  chosen.value = (scenario.peek()?.steps.length ?? 1) - 1;
  return true;
}

export async function changeStep(index: number, make: (step: Step) => Step): Promise<boolean> {
  return change(t("scenario.edit.change", { n: index + 1 }), (before) => ({
    ...before,
    steps: before.steps.map((step, i) => (i === index ? make(step) : step)),
  }));
}

export async function moveStep(from: number, to: number): Promise<void> {
  const count = scenario.peek()?.steps.length ?? 0;
  if (to < 0 || to >= count || from === to) return;
  const label = t("scenario.edit.move", { n: from + 1 });
  if (await change(label, (before) => ({ ...before, steps: reordered(before.steps, from, to) })))
    chosen.value = to;
}

export async function duplicateStep(index: number): Promise<void> {
  const step = scenario.peek()?.steps[index];
  if (step === undefined) return;
  const label = t("scenario.edit.duplicate", { n: index + 1 });
  if (await change(label, (before) => ({ ...before, steps: inserted(before.steps, index + 1, step) })))
    chosen.value = index + 1;
}

/** Delete a step; with the last one the scenario is gone too. */
export async function deleteStep(index: number): Promise<void> {
  const label = t("scenario.edit.delete", { n: index + 1 });
  const isDone = await change(label, (before) => {
    const steps = before.steps.filter((_, i) => i !== index);
    return steps.length === 0 ? null : { ...before, steps };
  });
  if (!isDone) return;
  chosen.value = Math.max(0, Math.min(index, (scenario.peek()?.steps.length ?? 1) - 1));
  sayUndoable(t("scenario.deleted", { n: index + 1 }), label);
}

export const changeHead = (make: Partial<ScenarioFile>): Promise<boolean> =>
  change(t("scenario.edit.head"), (before) => ({ ...before, ...make }));

export async function loadRows(): Promise<void> {
  if (rows.peek() !== null) return;
  rowsFailure.value = null;
  try {
    rows.value = await fetchJson<readonly ScenarioRow[]>("api/scenarios");
  } catch (reason) {
    rowsFailure.value = asFailure(reason);
  }
}

/** Open one of armlab's scenarios, with its scene. */
export async function openScenario(name: string): Promise<void> {
  await open(name, () => fetchJson<ScenarioContent>(`api/scenarios/${encodeURIComponent(name)}`));
}

/** Open a file; the server checks it first, and a broken one changes nothing. */
export async function openFile(file: File): Promise<void> {
  if (file.size > MAX_FILE_BYTES) {
    problem.value = { text: new Failure("too_long", ""), step: -1, file: file.name };
    return;
  }
  await open(file.name, async () => {
    const address = `api/sessions/${encodeURIComponent(session.peek())}/scenario-file`;
    const request = { method: "POST", body: file, headers: { "Content-Type": "application/json" } };
    const response = await ask(address, request);
    return (await response.json()) as ScenarioContent;
  });
}

async function open(name: string, read: () => Promise<ScenarioContent>): Promise<void> {
  isBusy.value = true;
  try {
    const content = await read();
    const label = t("scenario.edit.open", { name: builtinTitle("scenario", name, content.scenario.title) });
    const arm = selectedArm.peek();
    const failure = await editWhole(label, (before) => withContent(before, arm, content), { quiet: true });
    problem.value = failure === null ? null : { text: failure, step: -1, file: name };
    if (failure === null) {
      chosen.value = 0;
      deselect();
      sayUndoable(
        t("scenario.opened", { name: builtinTitle("scenario", name, content.scenario.title) }),
        label,
      );
    }
  } catch (reason) {
    problem.value = { text: asFailure(reason), step: -1, file: name };
  }
  isBusy.value = false;
}

/** A scenario brings its scene; one without a scene is for what is on the bench, if its arm is there. */
function withContent(whole: Project, arm: string, { scenario, project: made }: ScenarioContent): Project {
  const before = seenBy(arm, whole);
  const [first, ...others] = made.arms;
  if (before === null || first === undefined) return whole;
  const isSame = first.arm.name === before.arm.name;
  if (isSame && scenario.scene === null) return wholeOf({ ...before, scenario });
  const dof = robots.peek()?.find((row) => row.name === first.arm.name)?.dof ?? 0;
  const kept = { ...(isSame ? before : withArm(before, first.arm.name, dof)), arm: first.arm, scenario };
  if (scenario.scene === null) return wholeOf(kept);
  return { ...whole, bodies: made.bodies, arms: [{ ...armIn(kept), name: first.name }, ...others] };
}

/** Let the person save the scenario as a file. */
export function saveScenario(): void {
  const now = scenario.peek();
  if (now === null) return;
  const text = JSON.stringify(now, null, 2);
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = `${now.title.replace(/[^\p{L}\p{N}._-]+/gu, "-").toLowerCase()}.json`;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Plan the scenario and look for contacts, without running it. */
export async function check(): Promise<void> {
  const steps = stepsText.peek();
  isChecking.value = true;
  try {
    const address = `api/sessions/${encodeURIComponent(session.peek())}/scenario-check`;
    checked.value = { steps, found: await fetchJson<ScenarioCheck>(address) };
  } catch (reason) {
    problem.value = { text: asFailure(reason), step: -1 };
  }
  isChecking.value = false;
}

/** A command of the player failed: show it at its step, if that is still in the list. */
export function hearFailed(event: Failed): void {
  const isOfAll = isOutdated.peek() || isAskedTwice(event.code);
  const step = isOfAll ? -1 : failedStep(event, running.peek());
  problem.value = { text: new Failure(event.code, event.message, event.parameters), step, isOfRun: true };
  if (step >= 0) chosen.value = step;
}

onLanguage(() => {
  problem.value = null; // it was said in the other language
  if (checked.peek() !== null) void check();
});

/** Forget what was found when the project is another one. */
effect(() => {
  if (project.value?.scenario == null) chosen.value = 0;
});
