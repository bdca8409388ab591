/** The chosen pose in the 3D view: the arm as it would stand there. */

import { signal } from "@preact/signals";
import { fetchJson } from "../../api";
import { latestWins } from "../../latest";
import type { FkReport, SavedPose } from "../../protocol.gen";
import { session } from "../../session";
import { jointsNow } from "./attached";

/** The frames of the ghost, each 7 numbers as in `live.frames`; null where none is shown. */
export const ghost = signal<readonly number[] | null>(null);

const asker = latestWins(
  async (pose: SavedPose) => {
    const q = await jointsNow(pose);
    return fetchJson<FkReport>(`api/sessions/${session.peek()}/fk?q=${q.join(",")}`);
  },
  (report) => (ghost.value = framesOf(report)),
  () => (ghost.value = null),
);

/** Show the arm at a pose; null takes the ghost away. */
export function showGhost(pose: SavedPose | null): void {
  if (pose === null) {
    asker.forget();
    ghost.value = null;
  } else asker.ask(pose);
}

/** Return the frames of a report as the view takes them: metres, and w x y z. */
function framesOf({ frames }: FkReport): readonly number[] {
  return (frames ?? []).flatMap(({ xyz, quaternion }) => [...xyz.map((mm) => mm / 1000), ...quaternion]);
}
