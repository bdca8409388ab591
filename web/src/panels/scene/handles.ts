/** The handles in the 3D view that move the chosen body; while they are dragged an outline shows where it would be. */

import { computed, signal, useSignalEffect } from "@preact/signals";
import { live, slowTick } from "../../live";
import { layout } from "../../project";
import { type Pose, poseAt } from "../../poses";
import { view } from "../../viewer/view";
import type { Viewer } from "../../viewer/viewer";
import { changeBody, chosenBody } from "./acts";
import { bodyAt, boundsOf, isFixed, poseOfBody } from "./bodies";

export const handles = signal<"translate" | "rotate">("translate");
export const handleAxes = signal<"base" | "tool">("tool");
/** Where a body is being dragged to; its fields show it. */
export const dragged = signal<{ readonly name: string; readonly pose: Pose } | null>(null);

/** What the handles depend on, as text, so that other changes of the project leave them alone. */
const wish = computed(() => {
  const body = chosenBody();
  return JSON.stringify([body?.name, body?.xyz, body?.rpy, handles.value, handleAxes.value]);
});

/** Show the handles as long as the component is shown. */
export function useHandles(): void {
  useSignalEffect(() => {
    const viewer = view.value;
    if (viewer === null || wish.value === "") return;
    const body = chosenBody();
    if (body === null) return;
    const { name } = body;
    viewer.gizmo.attach({
      pose: placeNow(name) ?? poseOfBody(body),
      mode: handles.value,
      frame: handleAxes.value,
      onMove: (pose) => {
        dragged.value = { name, pose };
        void outline(viewer, name, pose);
      },
      onEnd: (pose) => void drop(viewer, name, pose),
    });
    return () => {
      viewer.gizmo.detach();
      void outline(viewer, name, null);
    };
  });
  useSignalEffect(() => {
    const viewer = view.value;
    const body = chosenBody();
    if (slowTick.value < 0 || viewer === null || body === null || isFixed(body)) return;
    const pose = placeNow(body.name);
    if (pose !== null) viewer.gizmo.follow(pose);
  });
}

/** Return where a body is in the simulation now. */
export function placeNow(name: string): Pose | null {
  const index = layout.peek()?.bodies.indexOf(name) ?? -1;
  return index < 0 ? null : poseAt(live.bodies, index);
}

async function drop(viewer: Viewer, name: string, pose: Pose): Promise<void> {
  const moved = dragged.peek();
  if (moved !== null) await changeBody(name, (body) => bodyAt(body, pose));
  dragged.value = null;
  void outline(viewer, name, null);
  const now = placeNow(name);
  if (now !== null) viewer.gizmo.follow(now);
}

async function outline(viewer: Viewer, name: string, pose: Pose | null): Promise<void> {
  const { drawOutline } = await import("./outline-view");
  const body = chosenBody();
  const isCurrent = body?.name === name && dragged.peek()?.name === name;
  const box = body === null ? null : boundsOf({ ...body, xyz: [0, 0, 0], rpy: [0, 0, 0] });
  drawOutline(viewer, isCurrent && pose !== null ? box : null, pose);
}
