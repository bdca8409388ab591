/** The project as the page last saw it, kept in the browser: a server that was started anew gets it back. */

import { recall, recallJson, remember } from "./memory";
import type { Project } from "./protocol.gen";

const SETTLE_MS = 300;
let newest: Project | null = null;
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
