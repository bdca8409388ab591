/** The real arm in the 3D view: a ghost beside the nominal one, and a line from tool to tool. */

import { effect } from "@preact/signals";
import { live, NUMBERS_PER_FRAME } from "../../live";
import { view } from "../../viewer/view";
import type { PointMm } from "../../viewer/viewer";
import { pose, showsGhost } from "./state";

const GHOST = { colour: "--series-4", opacity: 0.45 };
const LINE = { colour: "--danger", width: 3, through: true };
const MOVED = 1e-5;

/** Show it until the result is called. */
export function showInView(): () => void {
  let shown: readonly number[] = [];
  const stop = effect(() => {
    const v = view.value;
    const frames = showsGhost.value ? (pose.value?.frames ?? []) : [];
    const isShown = frames.length === 0 || (v?.hasGhosts("real") ?? false); // another shape of the arm takes it away
    if (v === null || (isShown && isNear(frames, shown))) return;
    shown = frames;
    v.ghosts("real", frames.length === 0 ? [] : [frames], GHOST);
    v.path("real", frames.length === 0 ? [] : [pointOf(live.frames), pointOf(frames)], LINE);
  });
  return () => {
    stop();
    const v = view.peek();
    v?.ghosts("real", []);
    v?.path("real", [], LINE);
  };
}

/** Return where the tool is, which comes last. */
function pointOf(frames: ArrayLike<number>): PointMm {
  const from = frames.length - NUMBERS_PER_FRAME;
  const at = (i: number): number => (frames[from + i] ?? 0) * 1000;
  return [at(0), at(1), at(2)];
}

function isNear(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, i) => Math.abs(value - (b[i] ?? 0)) < MOVED);
}
