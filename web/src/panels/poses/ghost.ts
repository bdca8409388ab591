/** The chosen pose in the 3D view: the arm as it would stand there. */

import { signal } from "@preact/signals";
import { fetchJson } from "../../api";
import { latestWins } from "../../latest";
import type { FkReport } from "../../protocol.gen";
import { session } from "../../session";

/** The frames of the ghost, each 7 numbers as in `live.frames`; null where none is shown. */
export const ghost = signal<readonly number[] | null>(null);

const asker = latestWins(
  (q: readonly number[]) => fetchJson<FkReport>(`api/sessions/${session.peek()}/fk?q=${q.join(",")}`),
  (report) => (ghost.value = framesOf(report)),
  () => (ghost.value = null),
);

/** Show the arm at joint values; null takes the ghost away. */
export function showGhost(q: readonly number[] | null): void {
  if (q === null) {
    asker.forget();
    ghost.value = null;
  } else asker.ask(q);
}

/** Return the frames of a report as the view takes them: metres, and w x y z. */
function framesOf({ frames }: FkReport): readonly number[] {
  return (frames ?? []).flatMap(({ xyz, quaternion }) => [...xyz.map((mm) => mm / 1000), ...quaternion]);
}
