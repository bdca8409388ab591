/** What the person has chosen in the tree or in the 3D view. */

import { signal } from "@preact/signals";

export type Kind = "arm" | "link" | "tool" | "body" | "pose" | "frame";

/** A link or body by its name, a saved pose or user frame by its id; the arm and the tool need none. */
export interface Selected {
  readonly kind: Kind;
  readonly name: string;
}

export const selection = signal<Selected | null>(null);

export function select(kind: Kind, name = ""): void {
  if (!isSelected(kind, name)) selection.value = { kind, name };
}

export function deselect(): void {
  selection.value = null;
}

export function isSelected(kind: Kind, name = ""): boolean {
  const chosen = selection.value;
  return chosen?.kind === kind && chosen.name === name;
}
