/** How Levenberg and Marquardt's method is run, and where it starts. */

import { computed, effect, signal } from "@preact/signals";
import { project } from "../../project";

export interface LmSettings {
  /** λ of the first step */
  readonly damping: number;
  /** ‖e‖ at which the target counts as reached, mm */
  readonly tolerance: number;
  readonly steps: number;
  /** What λ is multiplied by after an accepted step, and after a rejected one. */
  readonly shrink: number;
  readonly grow: number;
}

export const DEFAULTS: LmSettings = { damping: 0.01, tolerance: 1e-3, steps: 100, shrink: 0.1, grow: 10 };

export const settings = signal<LmSettings>(DEFAULTS);
/** Joint values (° or mm) to start from; null: where the arm is. */
export const start = signal<readonly number[] | null>(null);

export function change(part: Partial<LmSettings>): void {
  settings.value = { ...settings.peek(), ...part };
}

const armKey = computed(() => JSON.stringify(project.value?.arm ?? null));

/** Another arm, or other limits: a chosen start may not be one any more. */
effect(() => {
  if (armKey.value !== "null") start.value = null;
});
