/** What the panel shows in the 3D view: ghosts of all answers, the target's axes, and handles to move it by. */

import { effect } from "@preact/signals";
import { frameOf, type Pose, type Quaternion } from "../../poses";
import { sheet } from "../../catalog";
import { view } from "../../viewer/view";
import type { Viewer } from "../../viewer/viewer";
import { rotationOf } from "./numbers";
import { aim, answer, chosen, findAll, forget, handles, mode, stepFrames, target } from "./state";

const AXES = ["x", "y", "z"] as const;
const ARROW_PER_REACH = 0.09;
let hasHandles = false;

/** Show everything until the result is called. */
export function showInView(): () => void {
  const stops = [effect(showAnswers), effect(showStep), effect(showTarget), effect(showHandles)];
  return () => {
    for (const stop of stops) stop();
    const v = view.peek();
    if (v === null) return;
    v.ghosts("kinematics", []);
    v.ghosts("kinematics.step", []);
    for (const axis of AXES) v.path(`kinematics.${axis}`, [], { colour: "--text" });
    letGo(v);
  };
}

function showAnswers(): void {
  const v = view.value;
  if (v === null) return;
  const found = answer.value;
  if (found === null) v.ghosts("kinematics", []);
  else if (found.why !== null)
    v.ghosts("kinematics", found.frames, { chosen: 0, chosenColour: "--warm", chosenOpacity: 0.45 });
  else
    v.ghosts("kinematics", found.frames, {
      chosen: chosen.value ?? -1,
      opacity: 0.2,
      onChoose: (index) => (chosen.value = index),
    });
}

function showStep(): void {
  const frames = stepFrames.value;
  view.value?.ghosts("kinematics.step", frames === null ? [] : [frames], {
    chosen: 0,
    chosenColour: "--series-4",
    chosenOpacity: 0.5,
  });
}

/** Three short lines at the target. */
function showTarget(): void {
  const v = view.value;
  if (v === null) return;
  const pose = mode.value === "ik" ? target.value : null;
  const length = (sheet.value?.reach ?? 1000) * ARROW_PER_REACH;
  AXES.forEach((axis, i) => {
    v.path(`kinematics.${axis}`, pose === null ? [] : arrow(pose, i, length), {
      colour: `--axis-${axis}`,
      width: 3,
      through: true,
    });
  });
}

function arrow(
  pose: Pose,
  axis: number,
  length: number,
): [[number, number, number], [number, number, number]] {
  const [x, y, z] = pose;
  const turn = frameOf(pose).slice(3) as unknown as Quaternion;
  const [dx = 0, dy = 0, dz = 0] = rotationOf(turn).map((row) => (row[axis] ?? 0) * length);
  return [
    [x, y, z],
    [x + dx, y + dy, z + dz],
  ];
}

function showHandles(): void {
  const v = view.value;
  if (v === null) return;
  const pose = target.value;
  const wanted = handles.value;
  if (mode.value !== "ik" || wanted === "off" || pose === null) letGo(v);
  else attach(v, pose, wanted);
}

/** The handles may belong to another panel by now. */
function letGo(v: Viewer): void {
  if (hasHandles) v.gizmo.detach();
  hasHandles = false;
}

function attach(v: Viewer, pose: Pose, wanted: "translate" | "rotate"): void {
  if (v.gizmo.isDragging) return;
  hasHandles = true;
  v.gizmo.attach({
    pose,
    mode: wanted,
    frame: "tool",
    onStart: forget,
    onMove: (to) => (target.value = to),
    onEnd: (to) => {
      aim(to);
      void findAll();
    },
  });
}
