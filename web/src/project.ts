/** The document of the session, and changing it: the server keeps it, checks it, and can take changes back. */

import { computed, signal } from "@preact/signals";
import { Failure } from "./api";
import { isKey, t } from "./i18n";
import type { Command } from "./messages";
import { applied, difference } from "./patch";
import type { ArmChoice, Changed, Document, Failed, Project, ProjectArm, UserFrame } from "./protocol.gen";
import { say } from "./toasts";
import { send } from "./wire";

/** The last document that the server told. */
export const doc = signal<Document | null>(null);
/** The arm that this page shows in its panels, by its name in the scene. */
export const selectedArm = computed(() => doc.value?.selected ?? "");

/** The document as one arm of it sees it: what is of the scene, and what that arm has of its own. */
export type ProjectOfArm = Project & Omit<ProjectArm, "name"> & { readonly arm_name: string };

/** Return the document as the arm called `name` sees it; null where there is none. */
export function seenBy(name: string, whole: Project): ProjectOfArm | null {
  const found = whole.arms.find((arm) => arm.name === name);
  if (found === undefined) return null;
  const { name: arm_name, ...own } = found;
  return { ...whole, ...own, arm_name };
}

/** Return what is the arm's own. */
export function armIn(seen: ProjectOfArm): ProjectArm {
  const { arm_name: name, arm, poses, plan, scenario, sensors, program, real } = seen;
  return { name, arm, poses, plan, scenario, sensors, program, real };
}

/** Return the document that one arm's view is of. */
export function wholeOf(seen: ProjectOfArm): Project {
  const { schema, title, notes, structure, bodies, frames, positions } = seen;
  const arms = seen.arms.map((one) => (one.name === seen.arm_name ? armIn(seen) : one));
  return { schema, title, notes, arms, structure, bodies, frames, positions };
}

/** The document as the selected arm sees it. */
export const project = computed<ProjectOfArm | null>(() =>
  doc.value === null ? null : seenBy(selectedArm.value, doc.value.project),
);
const NO_FRAMES: readonly UserFrame[] = [];
/** The frames of the project; changes only when they do. */
export const userFrames = computed(() => project.value?.frames ?? NO_FRAMES);
/** The names that the numbers of a state belong to. */
export const layout = computed(() => doc.value?.layout ?? null);

export type Change = (project: Project) => Project;

interface Waiting {
  readonly label: string;
  readonly change: Change;
  readonly quiet: boolean;
  /** Whether it goes on with the last edit: one step of undo takes back both. */
  readonly coalesce: boolean;
  readonly tell: ((failure: Failure | null) => void)[];
  tries: number;
  /** The revision that it was made from. */
  from: number;
}

const MAX_LABEL = 60;
const MAX_TRIES = 3;

/** Sends edits one after the other: each is made from the newest document, so that none is out of date. */
export class Editor {
  readonly #send: (command: Command) => boolean;
  readonly #document: () => Document | null;
  #underWay: Waiting | null = null;
  #queue: Waiting[] = [];

  constructor(sendCommand: (command: Command) => boolean, document: () => Document | null) {
    this.#send = sendCommand;
    this.#document = document;
  }

  edit(label: string, change: Change, quiet: boolean, coalesce = false): Promise<Failure | null> {
    return new Promise((resolve) => {
      const last = this.#queue.at(-1);
      if (last?.label === label && last.quiet === quiet && (coalesce || !last.coalesce)) {
        // Edits of one kind that wait together become one, and one step of undo.
        const both: Change = (before) => change(last.change(before));
        this.#queue[this.#queue.length - 1] = { ...last, change: both, tell: [...last.tell, resolve] };
      } else this.#queue.push({ label, change, quiet, coalesce, tell: [resolve], tries: 0, from: 0 });
      this.#next();
    });
  }

  /** The server has told a document: is it the one that the edit under way was to make? */
  onDocument(document: Document): void {
    const made = this.#underWay;
    if (made !== null) {
      const isOurs = document.revision === made.from + 1 && document.undo === made.label;
      if (!isOurs && document.revision !== made.from) return; // another page's; ours will be refused as stale
      this.#underWay = null;
      made.tell.forEach((tell) => tell(null));
    }
    this.#next();
  }

  /** The server has refused; return whether it was an edit of ours, whose maker is told. */
  onFailed(failed: Failed): boolean {
    const refused = this.#underWay;
    if (failed.command !== "edit" || refused === null) return false;
    this.#underWay = null;
    refused.tries += 1;
    if (failed.code === "stale" && refused.tries < MAX_TRIES) {
      this.#queue.unshift(refused); // another page was quicker: make it again from the newer document
      this.#next();
      return true;
    }
    refused.tell.forEach((tell) => tell(new Failure(failed.code, failed.message)));
    this.#next();
    return true;
  }

  /** The line is cut: what was not answered is not done. */
  onLost(): void {
    const all = [...(this.#underWay === null ? [] : [this.#underWay]), ...this.#queue];
    this.#underWay = null;
    this.#queue = [];
    for (const one of all) one.tell.forEach((tell) => tell(offline()));
  }

  #next(): void {
    const document = this.#document();
    const next = this.#queue[0];
    if (this.#underWay !== null || next === undefined) return;
    this.#queue.shift();
    if (document === null) {
      next.tell.forEach((tell) => tell(offline()));
      return;
    }
    const changed = next.change(document.project);
    if (changed === document.project) {
      next.tell.forEach((tell) => tell(null));
      this.#next();
      return;
    }
    const { revision } = document;
    const { label, coalesce } = next;
    next.from = revision;
    this.#underWay = next;
    if (
      !this.#send({ type: "edit", changes: difference(document.project, changed), label, revision, coalesce })
    )
      this.onLost();
  }
}

function offline(): Failure {
  return new Failure("network", "the server does not answer");
}

export const editor = new Editor(send, () => doc.value);

interface EditOptions {
  readonly quiet?: boolean;
  readonly coalesce?: boolean;
}

/** Change the project as one arm sees it, by default the selected one; else as `editWhole`. */
export function edit(
  label: string,
  change: (project: ProjectOfArm) => ProjectOfArm,
  options: EditOptions & { readonly arm?: string } = {},
): Promise<Failure | null> {
  const { arm = selectedArm.peek() } = options;
  return editWhole(
    label,
    (before) => {
      const seen = seenBy(arm, before);
      const changed = seen === null ? null : change(seen);
      return changed === null || changed === seen ? before : wholeOf(changed);
    },
    options,
  );
}

/** Change the project; `label` is what undo will say. Resolves to null when it is done, else to why not.
 *
 * What was not done is told as a toast too, unless `quiet` says that the caller shows it in place. One that is to `coalesce`
 * continues the last edit, if that has the same label: undo takes back both at once. */
export async function editWhole(
  label: string,
  change: Change,
  { quiet = false, coalesce = false }: EditOptions = {},
): Promise<Failure | null> {
  const failure = await editor.edit(label.slice(0, MAX_LABEL), change, quiet, coalesce);
  if (failure !== null && !quiet) {
    const known = `failed.${failure.code}`;
    const message = isKey(known) ? t(known) : failure.message;
    say("error", t("edit.refused", { label, message }), { key: `edit/${failure.code}` });
  }
  return failure;
}

/** Take the last edit back. */
export function undo(): void {
  if (doc.value?.undo != null) send({ type: "undo" });
}

/** Do again what was taken back. */
export function redo(): void {
  if (doc.value?.redo != null) send({ type: "redo" });
}

/** Return the document after a change; null where it is of another revision than the one that has changed. */
export function afterChange(before: Document | null, event: Changed): Document | null {
  if (before === null || event.revision !== before.revision + 1) return null;
  const { changes, layout: now, revision, selected, undo: undone, redo: redone } = event;
  try {
    const made = applied(before.project, changes);
    const shown = now ?? before.layout;
    return { ...before, project: made, revision, layout: shown, selected, undo: undone, redo: redone };
  } catch {
    return null;
  }
}

/** Tell whether a project refers to files that it does not hold itself. */
export function hasAssets(made: Project): boolean {
  return /"sha256:[0-9a-f]{64}"/.test(JSON.stringify(made));
}

/** Return an arm as the catalog, or its own file, has it. */
export function plainArm(name: string, file: string | null = null): ArmChoice {
  return {
    name,
    file,
    tool: "none",
    tcp: null,
    payload: null,
    base: [0, 0, 0, 0, 0, 0],
    dh: null,
    limits: null,
  };
}

/** Put another arm on the bench, on the same base: poses for another number of joints go with the old one, and its plan,
 * the sensors on its links and its real arm. */
export function withArm(
  before: ProjectOfArm,
  name: string,
  dof: number,
  file: string | null = null,
): ProjectOfArm {
  const poses = before.poses.filter((pose) => pose.q.length === dof);
  const arm = { ...plainArm(name, file), base: before.arm.base };
  const sensors = before.sensors.filter(({ on }) => on === "body");
  return { ...before, arm, poses, plan: null, sensors, real: null };
}
