/** The project as the page last saw it and where the arm stood: a server that was started anew gets both back. */

import { recall, recallJson, remember } from "./memory";
import type { Project } from "./protocol.gen";

const SETTLE_MS = 300;
/** The state comes as 32-bit floats: what is behind these digits is noise. */
const STANCE_DIGITS = 4;

/** Where an arm stood: joint values in ° or mm. */
export interface Stance {
  readonly arm: string;
  readonly q: readonly number[];
}

let newest: Project | null = null;
let stance: Stance | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Keep `project`; many changes in a row are written once. */
export function keepProject(project: Project): void {
  newest = project;
  clearTimeout(timer);
  timer = setTimeout(writeDown, SETTLE_MS);
}

/** Return the project that was kept last, or null. */
export function keptProject(): Project | null {
  return newest ?? recallJson("project", isProject);
}

/** Keep where the arm stands; written down at once, where it is new. */
export function keepStance(arm: string, q: Iterable<number>): void {
  const before = stance === null ? "" : JSON.stringify(stance);
  stance = { arm, q: Array.from(q, (value) => Number(value.toFixed(STANCE_DIGITS))) };
  const text = JSON.stringify(stance);
  if (text !== before) remember("stance", text);
}

/** Return where this arm stood, or null where that is not known of it. */
export function keptStance(arm: string): readonly number[] | null {
  const kept = stance ?? recallJson("stance", isStance);
  return kept?.arm === arm ? kept.q : null;
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
