/** What the page remembers between visits; a browser that forbids storage just forgets. */

export type Kept =
  | "language"
  | "theme"
  | "session"
  | "project"
  | "positions"
  | "layout"
  | "heights"
  | "panels"
  | "visited"
  | "reference"
  | `panel.${string}`;

/**
 * In a frame, as a notebook shows the page, nothing is taken from the visits before and nothing is left behind: each
 * frame has a session of its own, and no guide.
 */
const framed: Map<string, string> | null = isFramed() ? new Map([["visited", "yes"]]) : null;

export function recall(what: Kept): string | null {
  if (framed !== null) return framed.get(what) ?? null;
  try {
    return localStorage.getItem(`armlab.${what}`);
  } catch {
    return null;
  }
}

export function remember(what: Kept, value: string): void {
  if (framed !== null) {
    framed.set(what, value);
    return;
  }
  try {
    localStorage.setItem(`armlab.${what}`, value);
  } catch {
    // Private windows of some browsers refuse storage: the choice then lasts until the page is closed.
  }
}

export function forget(what: Kept): void {
  framed?.delete(what);
  if (framed !== null) return;
  try {
    localStorage.removeItem(`armlab.${what}`);
  } catch {
    // As above.
  }
}

/** Return what was remembered as JSON, where it is there and passes `check`. */
export function recallJson<Value>(what: Kept, check: (value: unknown) => value is Value): Value | null {
  const text = recall(what);
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return check(value) ? value : null;
  } catch {
    return null;
  }
}

function isFramed(): boolean {
  return typeof window !== "undefined" && window.self !== window.top;
}
