/** Where the tool can be: asked for until the server has it, dropped when the arm changes; and the plane that cuts it. */

import { batch, computed, effect, signal } from "@preact/signals";
import { asFailure, type Failure, fetchJson } from "../../api";
import { doc, project } from "../../project";
import type { VolumeReport, WorkspaceProgress } from "../../protocol.gen";
import { session } from "../../session";
import type { Axis, Colouring, Cut } from "./volume";

const AGAIN_MS = 250;

export type Plane = "none" | "x" | "y" | "z";
export const AXES: Readonly<Record<Exclude<Plane, "none">, Axis>> = { x: 0, y: 1, z: 2 };

export const isShown = signal(false);
export const volume = signal<VolumeReport | null>(null);
/** How much of the work is done, 0 to 1; null where nothing is computed. */
export const progress = signal<number | null>(null);
export const failure = signal<Failure | null>(null);
export const colouring = signal<Colouring>("manipulability");
export const plane = signal<Plane>("y");
/** mm; null: through the middle of the world's axis, or of the workspace where that is outside. */
export const at = signal<number | null>(null);
export const isFlipped = signal(false);

/** From where to where a plane can be moved, mm. */
export function rangeOf({ low, cell, shape }: VolumeReport, axis: Axis): readonly [number, number] {
  return [low[axis], low[axis] + cell * shape[axis]];
}

export const cut = computed<Cut | null>(() => {
  const known = volume.value;
  if (known === null || plane.value === "none") return null;
  const axis = AXES[plane.value];
  const [lower, upper] = rangeOf(known, axis);
  const middle = lower < 0 && upper > 0 ? 0 : (lower + upper) / 2;
  return { axis, at: at.value ?? middle, keeps: isFlipped.value ? "below" : "above" };
});

/** A workspace that is one layer thick is not cut along its thin side. */
export function isFlat({ shape }: VolumeReport, axis: Axis): boolean {
  return shape[axis] === 1;
}

export function choosePlane(to: Plane): void {
  batch(() => {
    plane.value = to;
    at.value = null;
  });
}

const armKey = computed(() => JSON.stringify(project.value?.arm ?? null));

/** Keep the workspace that of the arm on the bench, while it is shown, until the result is called. */
export function followWorkspace(): () => void {
  let round = 0;
  const stop = effect(() => {
    round += 1;
    const name = session.value;
    const key = armKey.value;
    const wanted = isShown.value;
    batch(() => {
      volume.value = null;
      progress.value = null;
      failure.value = null;
      at.value = null;
    });
    if (!wanted || name === "" || key === "null") return;
    const mine = round;
    void ask(name, () => mine === round);
  });
  return () => {
    round += 1;
    stop();
    volume.value = null;
  };
}

async function ask(name: string, isCurrent: () => boolean): Promise<void> {
  try {
    while (isCurrent()) {
      const answer = await fetchJson<WorkspaceProgress>(`api/sessions/${name}/workspace`);
      if (!isCurrent()) return;
      if (answer.volume !== null && answer.revision >= (doc.peek()?.revision ?? 0)) {
        const known = answer.volume;
        batch(() => {
          progress.value = null;
          if (known.branches === null) colouring.value = "manipulability";
          if (plane.peek() !== "none" && isFlat(known, AXES[plane.peek() as Exclude<Plane, "none">]))
            plane.value = "none";
          volume.value = known;
        });
        return;
      }
      progress.value = answer.share;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  } catch (reason) {
    if (!isCurrent()) return;
    batch(() => {
      failure.value = asFailure(reason);
      progress.value = null;
    });
  }
}
