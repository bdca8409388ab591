/** The path of the program in the 3D view: cuts solid, rapid moves dashed, and the cursor's line above them. */

import { effect } from "@preact/signals";
import type { ProgramPath } from "../../protocol.gen";
import { view } from "../../viewer/view";
import type { PointMm } from "../../viewer/paths";
import { goTo } from "./editor";
import { check, cursor } from "./state";

const MOST_LINES = 200;
const LINE = "program-line";
/** How near to the path a click must be, px. */
const NEAR_PX = 12;

interface Stretch {
  readonly rapid: boolean;
  readonly points: readonly PointMm[];
}

/** Return the path as few lines: moves of one kind that follow each other are one. */
export function stretches(paths: readonly ProgramPath[]): readonly Stretch[] {
  const found: { rapid: boolean; points: PointMm[] }[] = [];
  for (const { rapid, points } of paths) {
    const last = found.at(-1);
    if (last !== undefined && (last.rapid === rapid || found.length >= MOST_LINES))
      last.points.push(...points);
    else found.push({ rapid, points: [...points] });
  }
  return found;
}

/** Return the line whose path passes nearest to a place on the screen; null where none is near. */
export function lineNear([x, y]: readonly [number, number]): number | null {
  const viewer = view.peek();
  let best: { line: number; distance: number } | null = null;
  if (viewer === null) return null;
  for (const { line, points } of check.peek()?.paths ?? []) {
    if (line === null) continue;
    const screen = points.map((point) => viewer.onScreen(point));
    for (let i = 1; i < screen.length; i++) {
      const [a, b] = [screen[i - 1], screen[i]];
      if (a === null || a === undefined || b === null || b === undefined) continue;
      const distance = toSegment(x, y, a, b);
      if (distance < (best?.distance ?? NEAR_PX)) best = { line, distance };
    }
  }
  return best?.line ?? null;
}

/** Return how far a point is from a line between two others. */
export function toSegment(
  x: number,
  y: number,
  [ax, ay]: readonly [number, number],
  [bx, by]: readonly [number, number],
): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const t = length === 0 ? 0 : Math.min(Math.max(((x - ax) * dx + (y - ay) * dy) / length, 0), 1);
  return Math.hypot(ax + t * dx - x, ay + t * dy - y);
}

/** Draw; the returned function takes the path out of the view. */
export function showPath(): () => void {
  let drawn = 0;
  const clear = (): void => {
    const viewer = view.peek();
    for (let i = 0; i < drawn; i++) viewer?.path(`program-${i}`, [], { colour: "--planned" });
    viewer?.path(LINE, [], { colour: "--accent" });
    drawn = 0;
  };
  const stops = [
    effect(() => {
      const viewer = view.value;
      const found = stretches(check.value?.paths ?? []);
      if (viewer === null) return;
      clear();
      found.forEach(({ rapid, points }, i) =>
        viewer.path(`program-${i}`, points, {
          colour: rapid ? "--series-7" : "--planned",
          dashed: rapid,
          width: rapid ? 1.5 : 2.5,
        }),
      );
      drawn = found.length;
    }),
    effect(() => {
      const own = (check.value?.paths ?? []).filter(({ line }) => line === cursor.value);
      const points = own.slice(0, 1).flatMap((path) => path.points);
      view.value?.path(LINE, points, { colour: "--series-2", width: 5, through: true });
    }),
  ];
  stops.push(
    effect(() =>
      view.value?.onPick(({ client }) => {
        const line = client === undefined ? null : lineNear(client);
        if (line !== null) goTo(line);
        return line !== null;
      }),
    ),
  );
  return () => {
    stops.forEach((stop) => stop());
    clear();
  };
}
