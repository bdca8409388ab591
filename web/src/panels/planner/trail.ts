/** The paths in the 3D view: dashed where it is planned, solid where the tool has travelled. */

import { computed, effect, signal, untracked } from "@preact/signals";
import { player, playerNumber } from "../../events";
import { Flag, live, slowTick, tick } from "../../live";
import { project } from "../../project";
import { view } from "../../viewer/view";
import type { PointMm } from "../../viewer/viewer";
import { forgetPlan, planned } from "./ask";

const CLOSE_MM = 1;
/** A jump between two states that nobody travelled. */
const JUMP_MM = 120;
const MOST_POINTS = 2400;
const MOST_PARTS = 24;

/** What was travelled, in parts where it was interrupted. */
let parts: PointMm[][] = [];
let drawn = 0;
let isOn = false;
let isFresh = false;
/** Whether there is something to clear. */
export const hasTrail = signal(false);

/** Remove the travelled path. */
export function clearTrail(): void {
  parts = [];
  isOn = false;
  draw();
}

/** Return a path with every other point left out, and both ends kept. */
export function thinned(path: readonly PointMm[]): PointMm[] {
  return path.filter((_, i) => i % 2 === 0 || i === path.length - 1);
}

/** Tell how many points the travelled path has; tests look at it. */
function trailLength(): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function follow(): void {
  const isTravelling = (live.flags & Flag.playing) !== 0 && live.playerTime > 0;
  if (!isTravelling) {
    isOn = false;
    return;
  }
  const at = live.frames.length - 7;
  if (at < 0) return;
  const [x = 0, y = 0, z = 0] = live.frames.subarray(at, at + 3);
  const point: PointMm = [x * 1000, y * 1000, z * 1000];
  const last = parts.at(-1)?.at(-1);
  const step =
    last === undefined ? Infinity : Math.hypot(point[0] - last[0], point[1] - last[1], point[2] - last[2]);
  if (step < CLOSE_MM) return;
  if (step > JUMP_MM || (!isOn && step > 4 * CLOSE_MM)) parts = [...parts.slice(-MOST_PARTS + 1), []];
  isOn = isFresh = true;
  const part = parts.at(-1);
  part?.push(point);
  if (part !== undefined && part.length > MOST_POINTS) parts[parts.length - 1] = thinned(part);
}

function draw(): void {
  isFresh = false;
  const shown = view.peek();
  const count = Math.max(drawn, parts.length);
  for (let i = 0; i < count; i += 1)
    shown?.path(`planner.trail.${i}`, parts[i] ?? [], { colour: "--travelled", width: 3 });
  drawn = parts.length;
  hasTrail.value = trailLength() > 1;
}

/** Return the path that is planned: of what is played, else of what was planned in the panel. */
function plannedPath(): readonly PointMm[] {
  const held = player.value;
  const made = planned.value;
  if (held?.what === "poses") return held.path;
  if (made !== null) return made.path;
  return held?.what === "plan" ? held.path : [];
}

effect(() => {
  if (tick.value > 0) untracked(follow);
});
effect(() => {
  if (slowTick.value > 0 && isFresh) untracked(draw);
});
effect(() => {
  if (playerNumber.value > 0) untracked(clearTrail);
});
const armName = computed(() =>
  project.value === null ? "" : `${project.value.arm_name} ${project.value.arm.name}`,
);
effect(() => {
  if (armName.value !== "")
    untracked(() => {
      clearTrail(); // what another arm has travelled, and was planned to
      forgetPlan();
    });
});
effect(() => {
  const shown = view.value;
  const path = plannedPath();
  shown?.path("planner.plan", path, { colour: "--planned", dashed: true });
});
