/** The frame that the tool position and the target are shown and typed in: the world, or a user frame of the project. */

import { computed, signal } from "@preact/signals";
import { t } from "./i18n";
import { recall, remember } from "./memory";
import type { Pose } from "./poses";
import { project } from "./project";
import type { UserFrame } from "./protocol.gen";
import { composed, seenFrom } from "./rigid";

const chosen = signal(recall("reference") ?? "");

/** The chosen user frame; null for the world, also where the frame is gone. */
export const reference = computed<UserFrame | null>(
  () => project.value?.frames.find(({ id }) => id === chosen.value) ?? null,
);

/** Choose a user frame by its id; "" is the world. */
export function chooseReference(id: string): void {
  chosen.value = id;
  remember("reference", id);
}

/** What the reference is called. */
export function referenceName(): string {
  return reference.value?.name ?? t("frames.world");
}

/** Return a pose of the world as it is in the reference. */
export function inReference(pose: Pose): Pose {
  const frame = reference.value;
  return frame === null ? pose : seenFrom(frame.pose, pose);
}

/** Return a pose of the reference as it is in the world. */
export function inWorld(pose: Pose): Pose {
  const frame = reference.peek();
  return frame === null ? pose : composed(frame.pose, pose);
}
