/** The three runs in the 3D view: a ghost for each structure, where it was at the shown time. */

import { effect } from "@preact/signals";
import { view } from "../../viewer/view";
import type { GhostStyle } from "../../viewer/viewer";
import { COLOURS, indexAt } from "./curves";
import { structures, time } from "./state";

const STYLES: Readonly<Record<string, GhostStyle>> = Object.fromEntries(
  Object.entries(COLOURS).map(([structure, colour]) => [structure, { colour, opacity: 0.5 }]),
);

/** Show them until the result is called. */
export function showInView(): () => void {
  const off = effect(() => {
    const v = view.value;
    if (v === null) return;
    const now = time.value;
    for (const [structure, style] of Object.entries(STYLES)) {
      const curves = structures.value.find((one) => one.structure === structure);
      const frames = curves?.frames[indexAt(curves.t, now)];
      v.ghosts(nameOf(structure), frames === undefined ? [] : [frames], style);
    }
  });
  return () => {
    off();
    for (const structure of Object.keys(STYLES)) view.peek()?.ghosts(nameOf(structure), []);
  };
}

const nameOf = (structure: string): string => `compare.${structure}`;
