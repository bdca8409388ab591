/** What the plots show, and whether they are held; it lasts while the page is open. */

import { batch, computed, signal } from "@preact/signals";
import { selectedArm } from "../../arms";
import { sheet } from "../../catalog";
import { history } from "../../history";
import { recall, remember } from "../../memory";
import {
  type Curve,
  curvesOf,
  held,
  QUANTITIES,
  type Quantity,
  type Range,
  shifted,
  type Shot,
  shotOf,
  type Source,
  zoomed,
} from "./curves";

export const WINDOWS = ["5", "15", "60"] as const;
export type Window = (typeof WINDOWS)[number];
const LONGEST_S = 60;

/** A history that stays as it is, and the arm that it is of. */
export interface Held {
  readonly arm: string;
  readonly source: Source;
}

export const quantity = signal<Quantity>(
  QUANTITIES.find((id) => id === recall("panel.plots.quantity")) ?? "q",
);
export const seconds = signal<Window>("15");
/** Names of the curves that are not drawn. */
export const hidden = signal<ReadonlySet<string>>(new Set());
export const showsCommand = signal(true);
/** The history as it was when the plots were held; null while they run. */
export const frozen = signal<Held | null>(null);
/** The part of the held time that is shown; null for the whole window. */
export const zoom = signal<Range | null>(null);
/** Which sample the pointer is at. */
export const pointed = signal<number | null>(null);

export const curves = computed<readonly Curve[]>(() => curvesOf(quantity.value, sheet.value?.joints ?? []));
export const range = computed<Range>(() => zoom.value ?? [-Number(seconds.value), 0]);

/** Return the numbers to draw now. */
export function shotNow(): Shot {
  const span = frozen.peek() === null ? Number(seconds.peek()) : LONGEST_S;
  return shotOf(frozen.peek()?.source ?? history, curves.peek(), span);
}

export function chooseQuantity(id: Quantity): void {
  quantity.value = id;
  remember("panel.plots.quantity", id);
}

/** Show what an experiment wants to be shown, running; the person's own choice is remembered as it was. */
export function setUp(wanted: { readonly quantity: Quantity; readonly seconds: Window }): void {
  batch(() => {
    run();
    quantity.value = wanted.quantity;
    seconds.value = wanted.seconds;
    hidden.value = new Set();
  });
}

/** What the arm is called whose curves are shown. */
export function plottedArm({ name }: { readonly name: string }): string {
  return `${selectedArm.value} ${name}`;
}

/** Hold the plots as they are, or as they were; the arm moves on. */
export function hold(then: Held = now()): void {
  if (frozen.peek() === null) frozen.value = then;
}

/** Return what the plots would hold now: a stretch that is being drawn belongs to the time when that began. */
export function now(): Held {
  const data = sheet.peek();
  return (
    frozen.peek() ?? {
      arm: data === null ? "" : plottedArm(data),
      source: held(history, data?.joints.length ?? 0),
    }
  );
}

/** Let the plots run again. */
export function run(): void {
  batch(() => {
    frozen.value = null;
    zoom.value = null;
    pointed.value = null;
  });
}

/** Choose how much time is shown; a zoom is given up. */
export function chooseWindow(id: Window): void {
  batch(() => {
    seconds.value = id;
    zoom.value = null;
  });
}

/** Show a part of the time: it is held for that, as it is or as it was when somebody began to choose. */
export function zoomTo(part: Range, then: Held = now()): void {
  batch(() => {
    hold(then);
    zoom.value = zoomed(part, 1, LONGEST_S);
  });
}

/** Zoom in (-1) or out (1): running plots change their window, held ones zoom about the middle. */
export function zoomBy(direction: -1 | 1): void {
  if (frozen.peek() !== null) zoom.value = zoomed(range.peek(), 2 ** direction, LONGEST_S);
  else {
    const next = WINDOWS[WINDOWS.indexOf(seconds.peek()) + direction];
    if (next !== undefined) seconds.value = next;
  }
}

/** Zoom by a factor about a time, as the wheel does; return whether that changes anything. */
export function zoomAbout(time: number, factor: number): boolean {
  const before = range.peek();
  const next = zoomed(before, factor, LONGEST_S, time);
  if (Math.abs(next[0] - before[0]) + Math.abs(next[1] - before[1]) < 1e-6) return false;
  batch(() => {
    hold();
    zoom.value = next;
  });
  return true;
}

/** Go to earlier (-1) or later (1) times; this holds the plots. */
export function shiftBy(direction: -1 | 1): void {
  batch(() => {
    hold();
    zoom.value = shifted(range.peek(), direction / 4, LONGEST_S);
  });
}

export function toggleCurve(name: string): void {
  const next = new Set(hidden.peek());
  if (!next.delete(name)) next.add(name);
  hidden.value = next;
}
