/** Keeps the points in the 3D view in step with the draft, and lets them be chosen and dragged there. */

import { effect, signal, untracked } from "@preact/signals";
import { sheet } from "../../catalog";
import { t } from "../../i18n";
import { latestWins } from "../../latest";
import type { Pose } from "../../poses";
import { view } from "../../viewer/view";
import type { Viewer } from "../../viewer/viewer";
import { jointsFor, toolPoses } from "./ask";
import { change, chosen, draft, preview, pointsOf, withPoints } from "./draft";

/** Where the tool is at each point. */
const poses = signal<readonly Pose[]>([]);
/** Whether handles shift or turn. */
export const handles = signal<"translate" | "rotate">("translate");
/** A dragged joint point that no joints reach. */
export const isOutOfReach = signal(false);

const asker = latestWins(
  toolPoses,
  (found) => (poses.value = found),
  () => (poses.value = []),
);
const solver = latestWins(
  async ({ pose, index }: { pose: Pose; index: number }) => {
    const from = draft.peek().joint.points[index] ?? [];
    return { q: await jointsFor(pose, from), index };
  },
  ({ q, index }) => {
    isOutOfReach.value = q === null;
    if (q !== null) preview((made) => withPoints(made, pointsOf(made).with(index, q.map(tidy))));
    if (isLetGo) commit();
  },
  () => (isOutOfReach.value = true),
);
let isLetGo = false;

/** Start; the returned function takes the points out of the view. */
export function showPoints(): () => void {
  let isOver = false;
  const stops: (() => void)[] = [effect(followPoints)];
  void import("./view").then(({ drawPoints, clearPoints, PICK }) => {
    if (isOver) return;
    stops.push(
      effect(() => {
        const viewer = view.value;
        const reach = sheet.value?.reach ?? 1000;
        const isTool = draft.value.mode === "tool";
        if (viewer !== null) drawPoints(viewer, poses.value, chosen.value, reach, isTool);
      }),
      effect(() => {
        const viewer = view.value;
        return viewer?.onPick(({ kind, name }) => {
          if (kind !== "overlay" || !name.startsWith(PICK)) return false;
          chosen.value = Number(name.slice(PICK.length));
          return true;
        });
      }),
      effect(() => attach(view.value)),
      () => {
        const viewer = view.peek();
        if (viewer !== null) clearPoints(viewer);
      },
    );
  });
  return () => {
    isOver = true;
    for (const stop of stops) stop();
    if (isAttached) view.peek()?.gizmo.detach();
    isAttached = false;
  };
}

function followPoints(): void {
  const made = draft.value;
  if (made.mode === "tool") {
    asker.forget();
    poses.value = made.tool.frames;
  } else if (made.joint.points.length === 0) {
    asker.forget();
    poses.value = [];
  } else asker.ask(made.joint.points);
}

let isAttached = false;

/** Give the chosen point handles. */
function attach(viewer: Viewer | null): void {
  const index = chosen.value;
  const pose = index === null ? undefined : poses.value[index];
  const mode = handles.value;
  if (viewer === null) return;
  untracked(() => {
    if (index === null || pose === undefined) {
      if (isAttached) viewer.gizmo.detach();
      isAttached = false;
      return;
    }
    if (viewer.gizmo.isDragging) return;
    isAttached = true;
    viewer.gizmo.attach({
      pose,
      mode,
      frame: "world",
      onStart: () => (isLetGo = false),
      onMove: (to) => drag(index, to),
      onEnd: (to) => {
        isLetGo = true;
        drag(index, to);
        if (draft.peek().mode === "tool") commit();
      },
    });
  });
}

function drag(index: number, pose: Pose): void {
  if (draft.peek().mode === "joint") solver.ask({ pose, index });
  else preview((made) => withPoints(made, pointsOf(made).with(index, pose.map(tidy))));
}

function commit(): void {
  change(t("planner.edit.drag"), (made) => ({ ...made }));
}

function tidy(value: number): number {
  return Math.round(value * 1000) / 1000 + 0;
}
