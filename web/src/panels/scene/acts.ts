/** Changes of the scene, each one edit of the project; what the server refuses is kept to be shown in place. */

import { effect, signal } from "@preact/signals";
import { asFailure, Failure, fetchJson } from "../../api";

import { robots, sheet } from "../../catalog";
import { builtinTitle, isKey, t } from "../../i18n";
import { failureText } from "../../parts/failure";
import {
  armIn,
  doc,
  edit,
  editWhole,
  project,
  type ProjectOfArm,
  seenBy,
  selectedArm,
  undo,
  withArm,
} from "../../project";
import type {
  BodyTable,
  MessageCode,
  Project,
  ScenarioFile,
  SceneContent,
  SceneRow,
} from "../../protocol.gen";
import { deselect, select, selection } from "../../selection";
import { dismiss, say, toasts } from "../../toasts";
import { ALWAYS_FIXED, duplicateOf, floorFor, freePlaces, isFixed, type NewKind, newBody } from "./bodies";

/** Why the last change was refused; null after one that was not. */
export const refusal = signal<Failure | null>(null);
/** The scenes that come with armlab; null until they were asked for. */
export const scenes = signal<readonly SceneRow[] | null>(null);
export const scenesFailure = signal<Failure | null>(null);
/** The scene that is being opened. */
export const opening = signal("");

const MOST_TRIES = 8;
/** The code of bodies that would start inside each other. */
const OVERLAP: MessageCode = "overlap_at_start";
const TOAST_MS = 10_000;

/** Return the chosen body; null where none is chosen, or it is gone. */
export function chosenBody(): BodyTable | null {
  const chosen = selection.value;
  if (chosen?.kind !== "body") return null;
  return project.value?.bodies.find((body) => body.name === chosen.name) ?? null;
}

/** Put a new body in front of the arm, where there is room for it; return its name. */
export async function addBody(kind: NewKind): Promise<void> {
  const now = project.peek();
  if (now === null) return;
  const reach = sheet.peek()?.reach ?? 800;
  const places = freePlaces(kind, now.arm.base, reach, now.bodies).slice(0, MOST_TRIES);
  let failure: Failure | null = new Failure("no_room", "");
  for (const place of places) {
    let name = "";
    const add = (before: ProjectOfArm): ProjectOfArm => {
      const body = newBody(kind, place, before.bodies);
      name = body.name;
      return withFloor({ ...before, bodies: [...before.bodies, body] });
    };
    failure = await edit(t("scene.edit.add", { kind: kindWord(kind) }), add, { quiet: true });
    if (failure === null) {
      select("body", name);
      break;
    }
    if (failure.code !== OVERLAP) break;
  }
  refusal.value = failure;
}

/** Change one body; its name may change too. */
export async function changeBody(name: string, change: (body: BodyTable) => BodyTable): Promise<boolean> {
  const failure = await edit(
    t("scene.edit.change", { name }),
    (before) => {
      const bodies = before.bodies.map((body) => (body.name === name ? change(body) : body));
      const wasLoose = before.bodies.some((body) => body.name === name && !isFixed(body));
      const isLoose = before.bodies.some((body) => body.name === name && !isFixed(change(body)));
      const after = { ...before, bodies };
      return isLoose && !wasLoose ? withFloor(after) : after;
    },
    { quiet: true },
  );
  refusal.value = failure;
  return failure === null;
}

/** Give a body another name, also in the steps that pick it, for the poses that move with it and the sensors on it. */
export async function renameBody(name: string, wanted: string): Promise<void> {
  const text = wanted.trim().slice(0, 60);
  if (text === "" || text === name) return;
  const failure = await editWhole(
    t("scene.edit.change", { name }),
    (before) => withBodyName(before, name, text),
    {
      quiet: true,
    },
  );
  refusal.value = failure;
  if (failure === null) select("body", text);
}

export async function duplicateBody(name: string): Promise<void> {
  let made = "";
  const failure = await edit(
    t("scene.edit.duplicate", { name }),
    (before) => {
      const body = before.bodies.find((other) => other.name === name);
      if (body === undefined) return before;
      const copy = duplicateOf(body, before.bodies);
      made = copy.name;
      return { ...before, bodies: [...before.bodies, copy] };
    },
    { quiet: true },
  );
  refusal.value = failure;
  if (failure === null && made !== "") select("body", made);
}

export async function deleteBody(name: string): Promise<void> {
  const label = t("scene.edit.delete", { name });
  const failure = await edit(
    label,
    (before) => ({ ...before, bodies: before.bodies.filter((body) => body.name !== name) }),
    { quiet: true },
  );
  refusal.value = failure;
  if (failure !== null) return;
  deselect();
  sayUndoable(t("scene.deleted", { name }), label);
}

/** Say what was done, with a button that takes it back as long as it was the last change. */
export function sayUndoable(text: string, label: string): void {
  const key = "undoable";
  say("info", text, { key, actions: [{ text: t("edit.undo"), run: undo }] });
  const { id } = toasts.peek().find((toast) => toast.key === key) ?? { id: -1 };
  const shownLabel = label.slice(0, 60);
  const stop = effect(() => {
    if (doc.value?.undo !== shownLabel) queueMicrotask(end);
  });
  const timer = setTimeout(() => end(), TOAST_MS);
  function end(): void {
    clearTimeout(timer);
    stop();
    dismiss(id);
  }
}

/** Ask for the list of scenes, once. */
export async function loadScenes(): Promise<void> {
  if (scenes.peek() !== null) return;
  scenesFailure.value = null;
  try {
    scenes.value = await fetchJson<readonly SceneRow[]>("api/scenes");
  } catch (reason) {
    scenesFailure.value = asFailure(reason);
  }
}

/** Put a scene on the bench: its arm, base, tool and bodies, in one edit. */
export async function openScene(name: string): Promise<void> {
  opening.value = name;
  try {
    const scene = await fetchJson<SceneContent>(`api/scenes/${encodeURIComponent(name)}`);
    const label = t("scene.edit.open", { name: builtinTitle("scene", name, scene.title) });
    const arm = selectedArm.peek();
    refusal.value = await editWhole(label, (before) => withScene(before, arm, scene), { quiet: true });
    if (refusal.value === null) {
      deselect();
      sayUndoable(t("scene.opened", { name: builtinTitle("scene", name, scene.title) }), label);
    }
  } catch (reason) {
    refusal.value = asFailure(reason);
  }
  opening.value = "";
}

/** Return the words for a refusal: the server's own, but for what the page found. */
export function refusalText(failure: Failure): string {
  if (failure.code === "no_room") return t("scene.refused.noRoom");
  return failureText(failure);
}

/** Return the word for a kind of body. */
export function kindWord(kind: string): string {
  const key = `scene.kind.${kind}`;
  return isKey(key) ? t(key) : kind;
}

function withFloor(before: ProjectOfArm): ProjectOfArm {
  const needsOne = before.bodies.some((body) => !isFixed(body) && !ALWAYS_FIXED.has(body.kind));
  const floor = needsOne ? floorFor(before.bodies) : null;
  return floor === null ? before : { ...before, bodies: [floor, ...before.bodies] };
}

function withScene(whole: Project, arm: string, { arms: [first, ...others], bodies }: SceneContent): Project {
  const before = seenBy(arm, whole);
  if (before === null || first === undefined) return { ...whole, bodies };
  const dof = robots.peek()?.find((row) => row.name === first.arm.name)?.dof ?? 0;
  const isSame = first.arm.name === before.arm.name;
  const kept = isSame ? before : { ...withArm(before, first.arm.name, dof), scenario: null };
  return { ...whole, bodies, arms: [{ ...armIn(kept), name: first.name, arm: first.arm }, ...others] };
}

/** Return the project with a body called otherwise, for all its arms. */
export function withBodyName(before: Project, from: string, to: string): Project {
  const bodies = before.bodies.map((body) => (body.name === from ? { ...body, name: to } : body));
  const arms = before.arms.map((own) => ({
    ...own,
    scenario: own.scenario === null ? null : renamedIn(own.scenario, from, to),
    poses: own.poses.map((pose) =>
      pose.on?.body === from ? { ...pose, on: { ...pose.on, body: to } } : pose,
    ),
    sensors: own.sensors.map((sensor) =>
      sensor.on === "body" && sensor.link === from ? { ...sensor, link: to } : sensor,
    ),
  }));
  return { ...before, bodies, arms };
}

function renamedIn(scenario: ScenarioFile, from: string, to: string) {
  const steps = scenario.steps.map((step) =>
    step.do === "pick" && step.body === from ? { ...step, body: to } : step,
  );
  return { ...scenario, steps };
}
