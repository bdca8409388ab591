/** How the person wants to move the arm; remembered between visits. */

import { signal } from "@preact/signals";
import type { JogFrame } from "../../acts";
import { recall, remember } from "../../memory";
import { STEPS, type Step } from "./steps";

export const MODES = ["sliders", "joints", "tool"] as const;
export type Mode = (typeof MODES)[number];

export const JOG_FRAMES = ["base", "tool", "reference"] as const satisfies readonly JogFrame[];

const SPEEDS = { lower: 1, upper: 100, start: 50 } as const;

export const mode = signal<Mode>(oneOf(MODES, recall("panel.jog.mode"), "sliders"));
export const step = signal<Step>(oneOf(STEPS, recall("panel.jog.step"), "hold"));
export const frame = signal<JogFrame>(oneOf(JOG_FRAMES, recall("panel.jog.frame"), "base"));
/** Percent of the jog speed. */
export const speed = signal(readSpeed());
export const SPEED_RANGE = SPEEDS;

/** Whether the strip in the view is unfolded; null until somebody chose, then the window decides. */
export const isStripOpen = signal<boolean | null>(readStrip());

/** Whether the tool has handles in the view, and what they do. */
export const isDraggable = signal(false);
export const handles = signal<"translate" | "rotate">("translate");

export function chooseMode(chosen: Mode): void {
  mode.value = chosen;
  remember("panel.jog.mode", chosen);
}

export function chooseStep(chosen: Step): void {
  step.value = chosen;
  remember("panel.jog.step", chosen);
}

export function chooseFrame(chosen: JogFrame): void {
  frame.value = chosen;
  remember("panel.jog.frame", chosen);
}

export function chooseSpeed(percent: number): void {
  speed.value = percent;
  remember("panel.jog.speed", String(percent));
}

export function openStrip(open: boolean): void {
  isStripOpen.value = open;
  remember("panel.jog.strip", open ? "open" : "closed");
}

function readStrip(): boolean | null {
  const kept = recall("panel.jog.strip");
  return kept === null ? null : kept === "open";
}

function readSpeed(): number {
  const kept = Number(recall("panel.jog.speed") ?? Number.NaN);
  return kept >= SPEEDS.lower && kept <= SPEEDS.upper ? kept : SPEEDS.start;
}

function oneOf<Name extends string>(names: readonly Name[], kept: string | null, otherwise: Name): Name {
  return names.find((name) => name === kept) ?? otherwise;
}
