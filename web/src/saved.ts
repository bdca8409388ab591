/** The project as the page last saw it and where the arm stood: a restarted server gets both back. */

import { recall, recallJson, remember } from "./memory";
import type { Project } from "./protocol.gen";

const SETTLE_MS = 300;
/** The state comes as 32-bit floats: what is behind these digits is noise. */
const STANCE_DIGITS = 4;

/** Where an arm stood: joint values in ° or mm. */
export interface Stance {
  readonly arm: string;
  readonly q: readonly number[];
  /** The other arms of the scene by their names there. */
  readonly others?: Readonly<Record<string, readonly number[]>>;
}

let newest: Project | null = null;
let stance: Stance | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Save `project`; many changes in a row are written once. */
export function saveProject(project: Project): void {
  newest = project;
  clearTimeout(timer);
  timer = setTimeout(writeDown, SETTLE_MS);
}

/** Return the project that was saved last, or null. */
export function savedProject(): Project | null {
  return newest ?? recallJson("project", isProject);
}

/** Save where the arm stands; written down at once, where it is new. */
export function saveStance(
  arm: string,
  q: Iterable<number>,
  others: ReadonlyMap<string, Iterable<number>> = new Map(),
): void {
  const before = stance === null ? "" : JSON.stringify(stance);
  const plain = (values: Iterable<number>): number[] =>
    Array.from(values, (value) => Number(value.toFixed(STANCE_DIGITS)));
  stance = { arm, q: plain(q) };
  if (others.size > 0)
    stance = { ...stance, others: Object.fromEntries([...others].map(([name, own]) => [name, plain(own)])) };
  const text = JSON.stringify(stance);
  if (text !== before) remember("stance", text);
}

/** Return where this arm stood, or null where that is not known of it. */
export function savedStance(arm: string): readonly number[] | null {
  const saved = stance ?? recallJson("stance", isStance);
  return saved?.arm === arm ? saved.q : null;
}

/** Return where the other arms of the scene stood, by name. */
export function savedOthers(): Readonly<Record<string, readonly number[]>> {
  return (stance ?? recallJson("stance", isStance))?.others ?? {};
}

/** Write down what still waits; called when the page is left. */
export function writeDown(): void {
  clearTimeout(timer);
  if (newest === null) return;
  const text = JSON.stringify(newest);
  if (recall("project") !== text) remember("project", text);
}

/** Tell whether `value` looks like a project; the server checks the rest. */
export function isProject(value: unknown): value is Project {
  return typeof value === "object" && value !== null && "schema" in value && "arm" in value;
}

function isStance(value: unknown): value is Stance {
  if (typeof value !== "object" || value === null || !("arm" in value) || !("q" in value)) return false;
  return typeof value.arm === "string" && Array.isArray(value.q) && value.q.every(Number.isFinite);
}
