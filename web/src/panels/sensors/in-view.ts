/** The sensors in the 3D view: three short axes at each, the estimated arm as a ghost, and clicks that place one. */

import { effect } from "@preact/signals";
import { sheet } from "../../catalog";
import type { Quaternion } from "../../poses";
import { rotationOf } from "../kinematics/numbers";
import { followSlow } from "../../live";
import { sensed } from "../../sensed";
import { view } from "../../viewer/view";
import type { PointMm } from "../../viewer/viewer";
import { hasPlace, placedOn } from "./buffer";
import { addSensor, frameOf, isEstimated, isPlacing, movable, sensors, showsGhost } from "./state";

const AXES = ["x", "y", "z"] as const;
const AXIS_PER_REACH = 0.07;
const MOVED = 5e-4;

/** Show everything until the result is called. */
export function showInView(): () => void {
  const marked = new Set<string>();
  const markedAt = new Map<string, readonly number[]>();
  let ghostAt: readonly number[] = [];
  const stops = [
    effect(() => {
      const v = view.value;
      const frames = showsGhost.value && isEstimated.value ? [...sensed.value.frames] : [];
      if (v === null || isNear(frames, ghostAt)) return;
      ghostAt = frames;
      const style = { colour: "--warm", opacity: 0.35 };
      v.ghosts("sensors", frames.length === 0 ? [] : [frames], style);
    }),
    effect(() => {
      const v = view.value;
      if (v === null) return;
      const length = (sheet.value?.reach ?? 1000) * AXIS_PER_REACH;
      followSlow();
      const now = new Map(
        sensors.value.filter(hasPlace).map((sensor) => {
          const frame = frameOf(sensor);
          return [sensor.id, frame === null ? [] : placedOn(frame, sensor.pose)];
        }),
      );
      for (const id of new Set([...marked, ...now.keys()])) {
        const at = now.get(id) ?? [];
        if (isNear(at, markedAt.get(id) ?? [])) continue;
        markedAt.set(id, at);
        mark(v, id, at, length);
      }
      marked.clear();
      for (const id of now.keys()) marked.add(id);
    }),
    effect(() => {
      const v = view.value;
      if (v === null || !isPlacing.value) return undefined;
      return v.onPick(({ kind, name, point }) => {
        if (kind !== "link" && !(kind === "body" && movable.peek().includes(name))) return false;
        isPlacing.value = false;
        addSensor({ on: kind, link: name }, point);
        return true;
      });
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    const v = view.peek();
    if (v === null) return;
    v.ghosts("sensors", []);
    for (const id of marked) mark(v, id, [], 0);
  };
}

function mark(v: NonNullable<typeof view.value>, id: string, frame: readonly number[], length: number): void {
  AXES.forEach((axis, i) => {
    const points = frame.length === 7 ? arrow(frame, i, length) : [];
    v.path(`sensors.${id}.${axis}`, points, { colour: `--axis-${axis}`, width: 4, through: true });
  });
}

function arrow(frame: readonly number[], axis: number, length: number): PointMm[] {
  const [x = 0, y = 0, z = 0] = frame.map((value) => value * 1000);
  const turn = frame.slice(3) as unknown as Quaternion;
  const [dx = 0, dy = 0, dz = 0] = rotationOf(turn).map((row) => (row[axis] ?? 0) * length);
  return [
    [x, y, z],
    [x + dx, y + dy, z + dz],
  ];
}

function isNear(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, i) => Math.abs(value - (b[i] ?? 0)) < MOVED);
}
