/** What the page remembers between visits; a browser that forbids storage just forgets. */

type Kept = "language" | "theme";

export function recall(what: Kept): string | null {
  try {
    return localStorage.getItem(`armlab.${what}`);
  } catch {
    return null;
  }
}

export function remember(what: Kept, value: string): void {
  try {
    localStorage.setItem(`armlab.${what}`, value);
  } catch {
    // Private windows of some browsers refuse storage: the choice then lasts until the page is closed.
  }
}
