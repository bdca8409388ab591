/** Poses that move with an object: the server says where the tool is on it, and the joints for where it is now. */

import { moveJoints } from "../../acts";
import { selectedArm } from "../../arms";
import { asFailure, fetchJson } from "../../api";
import { t } from "../../i18n";
import { failureText } from "../../parts/failure";
import { edit, type ProjectOfArm } from "../../project";
import type { FramePose, PoseJoints, SavedPose } from "../../protocol.gen";
import { session } from "../../session";
import { say } from "../../toasts";

/** Return the joint values of a pose as they are now: those of an attached one follow its object. */
export async function jointsNow(pose: SavedPose): Promise<readonly number[]> {
  if (pose.on === null) return pose.q;
  const { q } = await fetchJson<PoseJoints>(`api/sessions/${session.peek()}/poses/${pose.id}`);
  return q;
}

/** Go to a saved pose; where that cannot be, say why. */
export async function goTo(pose: SavedPose): Promise<void> {
  const arm = selectedArm.peek();
  try {
    const q = await jointsNow(pose);
    if (selectedArm.peek() === arm) moveJoints(q); // and not an arm that was selected in the meantime
  } catch (reason) {
    tell(pose, reason);
  }
}

/** Let a pose move with an object, or with nothing (""): it stays where it is now. */
export async function attach(pose: SavedPose, body: string): Promise<void> {
  try {
    const q = await jointsNow(pose).catch(() => pose.q); // of an object that is gone: where it was
    const on = body === "" ? null : await attachment(body, q);
    const { name } = pose;
    const label = on === null ? t("poses.edit.detach", { name }) : t("poses.edit.attach", { name, body });
    void edit(label, replaced(pose, { q, on }));
  } catch (reason) {
    tell(pose, reason);
  }
}

/** Return how joint values are attached to an object, as it stands now. */
export async function attachment(body: string, q: readonly number[]): Promise<SavedPose["on"]> {
  const query = `body=${encodeURIComponent(body)}&q=${q.join(",")}`;
  const { pose } = await fetchJson<FramePose>(`api/sessions/${session.peek()}/tool-on-object?${query}`);
  return { body, pose };
}

function replaced(pose: SavedPose, change: Partial<SavedPose>): (before: ProjectOfArm) => ProjectOfArm {
  return (before) => ({
    ...before,
    poses: before.poses.map((one) => (one.id === pose.id ? { ...one, ...change } : one)),
  });
}

/** Say why something cannot be done with a pose. */
function tell(pose: SavedPose, reason: unknown): void {
  say("error", failureText(asFailure(reason)), { key: `poses.on/${pose.id}` });
}
