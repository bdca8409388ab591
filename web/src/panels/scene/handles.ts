/** The handles in the 3D view that move the chosen body; while they are dragged an outline shows where it was. */

import { computed, signal, useSignalEffect } from "@preact/signals";
import { live, slowTick, tick } from "../../live";
import { layout } from "../../project";
import { type Pose, poseAt } from "../../poses";
import type { BodyTable } from "../../protocol.gen";
import { view } from "../../viewer/view";
import type { Viewer } from "../../viewer/viewer";
import { changeBody, chosenBody } from "./acts";
import { bodyAt, boundsOf, isFixed, poseOfBody } from "./bodies";

export const handles = signal<"translate" | "rotate">("translate");
export const handleAxes = signal<"world" | "tool">("tool");
/** Where a body is being dragged to; its fields show it. */
export const dragged = signal<{ readonly name: string; readonly pose: Pose } | null>(null);

/** What the handles depend on, as text, so that other changes of the project leave them alone. */
const attachment = computed(() => {
  const body = chosenBody();
  return JSON.stringify([body?.name, body?.xyz, body?.rpy, handles.value, handleAxes.value]);
});

/** Show the handles as long as the component is shown. */
export function useHandles(): void {
  useSignalEffect(() => {
    const viewer = view.value;
    if (viewer === null || attachment.value === "") return;
    const body = chosenBody();
    if (body === null) return;
    const { name } = body;
    const kept = dragged.peek(); // just dropped: the simulation will have it there soon
    const start = (kept?.name === name ? kept.pose : placeNow(name)) ?? poseOfBody(body);
    viewer.gizmo.attach({
      pose: start,
      mode: handles.value,
      frame: handleAxes.value,
      onStart: () => void outline(viewer, body, placeNow(name) ?? start),
      onMove: (pose) => {
        dragged.value = { name, pose };
        viewer.holdBody(name, pose);
      },
      onEnd: (pose) => void drop(viewer, name, pose),
      onCancel: () => letGo(viewer, name),
    });
    return () => {
      viewer.gizmo.detach();
      void outline(viewer, body, null);
    };
  });
  useSignalEffect(() => {
    const viewer = view.value;
    const body = chosenBody();
    if (slowTick.value < 0 || viewer === null || body === null || isFixed(body)) return;
    const pose = placeNow(body.name);
    if (pose !== null && dragged.peek() === null) viewer.gizmo.follow(pose);
  });
}

/** Return where a body is in the simulation now. */
export function placeNow(name: string): Pose | null {
  const index = layout.peek()?.bodies.indexOf(name) ?? -1;
  return index < 0 ? null : poseAt(live.bodies, index);
}

/** Put the body where it was dragged to: one edit. Until the simulation has it there, or refuses, it is shown there. */
async function drop(viewer: Viewer, name: string, pose: Pose): Promise<void> {
  if (dragged.peek() !== null && (await changeBody(name, (body) => bodyAt(body, pose)))) await states(2);
  letGo(viewer, name);
}

/** Show the body where the simulation has it. */
function letGo(viewer: Viewer, name: string): void {
  if (viewer.gizmo.isDragging) return; // the next drag has begun already
  dragged.value = null;
  viewer.holdBody(name, null);
  void outline(viewer, null, null);
  const now = placeNow(name);
  if (now !== null && chosenBody()?.name === name) viewer.gizmo.follow(now);
}

/** Wait until some more states have come. */
function states(count: number): Promise<void> {
  const last = tick.peek() + count;
  return new Promise((resolve) => {
    const stop = tick.subscribe((now) => {
      if (now < last) return;
      resolve();
      queueMicrotask(() => stop());
    });
  });
}

async function outline(viewer: Viewer, body: BodyTable | null, pose: Pose | null): Promise<void> {
  const { drawOutline } = await import("./outline-view");
  const box = body === null ? null : boundsOf({ ...body, xyz: [0, 0, 0], rpy: [0, 0, 0] });
  drawOutline(viewer, viewer.gizmo.isDragging ? box : null, pose);
}
