/** An arm that is being brought: what was given, how it is to be read, and what the server says about it. */

import { batch, signal } from "@preact/signals";
import { ask, asFailure, type Failure } from "../api";
import { edit, project, undo, withArm } from "../project";
import { onLanguage, t } from "../i18n";
import { latestWins } from "../latest";
import type { ImportContent, ImportReport } from "../protocol.gen";
import { say } from "../toasts";
import { type Given, type GivenFile, packedUp, Unsendable } from "./given";

/** The units of length that a file may be in, in m. */
export const UNITS = { m: 1, cm: 0.01, mm: 0.001, in: 0.0254 } as const;
export type LengthUnit = keyof typeof UNITS;

export interface Reading {
  /** The last link of the chain; null leaves the choice to the server. */
  readonly tip: string | null;
  readonly base: string | null;
  /** Which file is the arm; null leaves that to the server. */
  readonly file: string | null;
  /** The unit that the file's lengths are in; null takes them as the format has them. */
  readonly unit: LengthUnit | null;
}

const AS_IT_IS: Reading = { tip: null, base: null, file: null, unit: null };

export const isOpen = signal(false);
export const isReading = signal(false);
export const given = signal<Given | null>(null);
export const reading = signal<Reading>(AS_IT_IS);
export const content = signal<ImportContent | null>(null);
export const failure = signal<Failure | null>(null);
/** Why what was given was not even sent: the key of a sentence. */
export const problem = signal<string | null>(null);
/** Why the arm did not get onto the bench. */
export const refusal = signal<Failure | null>(null);
/** The files that may be the arm, where there are several. */
export const files = signal<readonly string[]>([]);

const asker = latestWins(
  async ({ body, address }: { body: Blob; address: string }) => {
    const headers = { "Content-Type": "application/zip" };
    const answer = await ask(address, { method: "POST", body, headers });
    return (await answer.json()) as ImportContent;
  },
  (answer) => {
    batch(() => {
      isReading.value = false;
      content.value = answer;
      failure.value = null;
    });
  },
  (reason) => {
    batch(() => {
      isReading.value = false;
      const why = asFailure(reason);
      failure.value = why;
      const listed = why.parameters.files;
      if (why.code === "import_several" && Array.isArray(listed)) files.value = listed.map(String);
    });
  },
);

onLanguage(() => {
  if (isOpen.peek()) read();
});

/** Show the dialog, and read what was given. */
export async function begin(found: Promise<readonly GivenFile[]>): Promise<void> {
  asker.forget();
  batch(() => {
    isOpen.value = true;
    isReading.value = true;
    given.value = null;
    reading.value = AS_IT_IS;
    files.value = [];
    content.value = null;
    failure.value = null;
    refusal.value = null;
    problem.value = null;
  });
  try {
    given.value = await packedUp(await found);
    read();
  } catch (reason) {
    isReading.value = false;
    if (reason instanceof Unsendable) problem.value = reason.key;
    else failure.value = asFailure(reason);
  }
}

/** Read it in another way. */
export function choose(change: Partial<Reading>): void {
  reading.value = { ...reading.peek(), ...change };
  read();
}

function read(): void {
  const what = given.peek();
  if (what === null) return;
  const { tip, base, file, unit } = reading.peek();
  const query = new URLSearchParams({ name: what.name });
  const chosen = file ?? what.file;
  if (chosen !== null) query.set("file", chosen);
  if (base !== null) query.set("base", base);
  if (tip !== null) query.set("tip", tip);
  const { report } = content.peek() ?? {};
  if (unit !== null && report !== undefined) query.set("scale", String(scaleOf(report, unit)));
  isReading.value = true;
  asker.ask({ body: what.body, address: `api/imports?${query}` });
}

/** Return by how much lengths have to be scaled if the file's are in `unit`. */
export function scaleOf({ kind }: Pick<ImportReport, "kind">, unit: LengthUnit): number {
  return UNITS[unit] / UNITS[ownUnit(kind)];
}

/** Return the unit that a format's lengths are in. */
export function ownUnit(kind: ImportReport["kind"]): LengthUnit {
  return kind === "dh" || kind === "toml" ? "mm" : "m";
}

/** Put the arm on the bench, in the place of the one that stands there. */
export async function putOnBench(): Promise<void> {
  const made = content.peek();
  const before = project.peek();
  if (made === null || before === null) return;
  const { arm, row } = made;
  const lost = before.poses.filter((pose) => pose.q.length !== row.dof).length;
  const why = await edit(
    t("edit.arm", { name: row.title }),
    (now) => withArm(now, arm.name, row.dof, arm.file),
    { quiet: true },
  );
  refusal.value = why;
  if (why !== null) return;
  close();
  const text = lost > 0 ? t("arm.lostPoses", { n: lost }) : t("import.done", { name: row.title });
  say(lost > 0 ? "warn" : "good", text, {
    key: "import",
    actions: [{ text: t("edit.undo"), run: undo }],
  });
}

export function close(): void {
  asker.forget();
  isOpen.value = false;
  given.value = null; // the files' bytes are not needed any more
}

/** Return how the reader would say where a finding is: "arm.urdf:12". */
export function placeOf(where: Readonly<Record<string, number | string>>): string {
  const { file, line } = where;
  const name = file === undefined ? "" : String(file);
  return line === undefined || name === "" ? name : `${name}:${line}`;
}
