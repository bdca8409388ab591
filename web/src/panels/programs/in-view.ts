/** The path of the program in the 3D view: cuts solid, rapid moves dashed, and the cursor's line above them. */

import { effect } from "@preact/signals";
import type { ProgramPath } from "../../protocol.gen";
import { view } from "../../viewer/view";
import type { PointMm } from "../../viewer/paths";
import { check, cursor } from "./state";

const MOST_LINES = 200;
const LINE = "program-line";

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
  return () => {
    stops.forEach((stop) => stop());
    clear();
  };
}
