/** The project as the page last saw it and where the arm stood: a restarted server gets both back. */

import { recall, recallJson, remember } from "./memory";
import type { Project, SavedPositions } from "./protocol.gen";

const SETTLE_MS = 300;

type Positions = SavedPositions["arms"];

/** Where an arm stood, and which model that was. */
interface Stood {
  readonly model: string;
  readonly q: readonly number[];
}

let newest: Project | null = null;
let stood: Readonly<Record<string, Stood>> | null = null;
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

/** Save where the arms stand; written down at once, where it is new. */
export function savePositions(project: Project, at: Positions): void {
  const before = JSON.stringify(stood);
  const known = ((project as Partial<Project>).arms ?? []).flatMap(({ name, arm }) => {
    const q = at[name]?.q;
    return q === undefined ? [] : [[name, { model: arm.name, q }] as const];
  });
  stood = Object.fromEntries(known);
  const text = JSON.stringify(stood);
  if (text !== before) remember("positions", text);
}

/** Return where the arms of a project stood, as far as that is known of them. */
export function savedPositions(project: Project): Positions {
  const saved = stood ?? recallJson("positions", isStood) ?? {};
  const known = ((project as Partial<Project>).arms ?? []).flatMap(({ name, arm }) => {
    const own = saved[name];
    return own?.model === arm.name ? [[name, { q: own.q, held: null }] as const] : [];
  });
  return Object.fromEntries(known);
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
  return (
    typeof value === "object" && value !== null && "schema" in value && ("arms" in value || "arm" in value)
  );
}

function isStood(value: unknown): value is Readonly<Record<string, Stood>> {
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value as Readonly<Record<string, Partial<Stood> | null>>).every(
    (one) => typeof one?.model === "string" && Array.isArray(one.q) && one.q.every(Number.isFinite),
  );
}
