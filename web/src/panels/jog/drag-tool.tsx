/** Handles in the view to drag the tool by; the arm follows on the branch that it is on. */

import { effect, useSignalEffect } from "@preact/signals";
import { releaseArm } from "../../acts";
import { selectedArm } from "../../arms";
import { dragged } from "../../events";
import { t } from "../../i18n";
import { is, live, tick } from "../../live";
import { Icon } from "../../parts/icon";
import { Segments } from "../../parts/segments";
import { type Pose, toolPose } from "../../poses";
import { reference } from "../../reference";
import { view } from "../../viewer/view";
import type { GizmoOptions, Viewer } from "../../viewer/viewer";
import { halted } from "../../stopping";
import { link } from "../../wire";
import { DragSender } from "./drag-sender";
import { refusal, sendTool, target } from "./moving";
import { Frames } from "./settings";
import { frame, handles, isDraggable, mode } from "./state";

const LINE = "jog.target";

export function DragTool() {
  return (
    <button
      type="button"
      class="jog-drag"
      aria-pressed={isDraggable.value}
      title={t("jog.dragHint")}
      disabled={view.value === null}
      onClick={() => (isDraggable.value = !isDraggable.value)}
    >
      <Icon name="jog" />
      {t("jog.drag")}
    </button>
  );
}

/** What the handles do; shown while there are any. */
export function DragChoices() {
  if (!isDraggable.value) return null;
  const choices = (["translate", "rotate"] as const).map((id) => ({ id, title: t(`jog.handles.${id}`) }));
  return (
    <div class="row jog-handles">
      <Segments
        label={t("jog.handles")}
        choices={choices}
        chosen={handles.value}
        onChoose={(id) => (handles.value = id)}
      />
      {mode.value !== "tool" && <Frames label={t("jog.handles.frame")} />}
    </div>
  );
}

/** Keep handles at the tool while they are wanted. */
export function useHandles(): void {
  useSignalEffect(() => {
    const viewer = view.value;
    if (viewer === null || !isDraggable.value) return;
    const axes = frame.value === "reference" ? (reference.value?.pose ?? "world") : frame.value;
    return attach(viewer, handles.value, axes, selectedArm.value);
  });
}

/** Put handles at the tool until the returned function is called, or somebody else takes them. */
function attach(
  viewer: Viewer,
  what: "translate" | "rotate",
  axes: GizmoOptions["frame"],
  arm: string,
): (() => void) | undefined {
  const pose = toolPose(live.frames);
  if (pose === null) return undefined;
  const sender = new DragSender(sendTool);
  let isTaken = false;
  let isSettling = false;
  const hear = dragged.subscribe((answer) => {
    if (answer !== null) sender.answered(answer.sequence);
  });
  const options = {
    pose,
    mode: what,
    frame: axes,
    onMove: (to: Pose) => sender.ask(to),
    onEnd: () => (isSettling = true),
    onCancel: () => {
      sender.forget(); // what still waits must not move an arm that was stopped
      isSettling = false;
      releaseArm(arm);
    },
    onTaken: () => {
      isTaken = true;
      isDraggable.value = false;
    },
  };
  viewer.gizmo.attach(options);
  const watch = effect(() => {
    if (link.value !== "open") viewer.gizmo.cancel();
  });
  const watchStops = halted.subscribe(() => {
    if (!isTaken) viewer.gizmo.cancel();
  });
  const follow = effect(() => {
    if (tick.value === 0) return;
    const here = toolPose(live.frames);
    if (here === null || isTaken) return;
    isSettling &&= refusal.value === null && is("moving");
    showMiss(viewer, here);
    if (!isSettling) viewer.gizmo.follow(here);
  });
  return () => {
    hear();
    watch();
    watchStops();
    follow();
    sender.forget();
    if (!isTaken) viewer.gizmo.detach();
    viewer.path(LINE, [], { colour: "--danger" });
  };
}

/** While the handle is where the tool cannot go, a dashed line says so. */
function showMiss(viewer: Viewer, [x, y, z]: Pose): void {
  const sent = target.value;
  const isMissed = viewer.gizmo.isDragging && refusal.value !== null && sent !== null;
  const points = isMissed
    ? ([
        [x, y, z],
        [sent[0], sent[1], sent[2]],
      ] as const)
    : [];
  if (isMissed || hasLine) viewer.path(LINE, points, { colour: "--danger", dashed: true, through: true });
  hasLine = isMissed;
}

let hasLine = false;
