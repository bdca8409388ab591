/** Short messages over the view; parts/toasts.tsx shows them, and the help dialog the last of them once more. */

import { signal } from "@preact/signals";

export type ToastKind = "info" | "good" | "warn" | "error";

export interface ToastAction {
  readonly text: string;
  readonly run: () => void;
}

export interface Toast {
  readonly id: number;
  /** A newer toast of the same key takes the place of the older one. */
  readonly key: string;
  readonly kind: ToastKind;
  readonly text: string;
  readonly actions: readonly ToastAction[];
  /** When it was said: milliseconds, as Date counts them. */
  readonly at: number;
}

export const toasts = signal<readonly Toast[]>([]);
/** The last messages, the newest first: for whoever looked away. */
export const said = signal<readonly Toast[]>([]);

const LASTS_MS: Readonly<Record<ToastKind, number>> = { info: 6000, good: 4000, warn: 9000, error: 12_000 };
/** Whoever may still want the button gets more time. */
const WITH_ACTION_MS = 20_000;
const MOST = 3;
const MOST_KEPT = 20;

const timers = new Map<number, ReturnType<typeof setTimeout>>();
let isHeld = false;
let lastId = 0;

/** Say something that needs no answer; it goes away by itself. */
export function say(
  kind: ToastKind,
  text: string,
  { key = text, actions = [] }: { key?: string; actions?: readonly ToastAction[] } = {},
): void {
  lastId += 1;
  const toast: Toast = { id: lastId, key, kind, text, actions, at: Date.now() };
  show([...toasts.value.filter((other) => other.key !== key), toast].slice(-MOST));
  const isRepeated = said.value[0]?.text === text;
  said.value = [toast, ...said.value.slice(isRepeated ? 1 : 0)].slice(0, MOST_KEPT);
}

/** Take a toast away. */
export function dismiss(id: number): void {
  if (toasts.value.some((toast) => toast.id === id)) show(toasts.value.filter((toast) => toast.id !== id));
}

/** Take the toast of a key away: what it told is over. */
export function unsay(key: string): void {
  const found = toasts.value.find((toast) => toast.key === key);
  if (found !== undefined) dismiss(found.id);
}

/** Take all toasts away: what they say is in a language that is not read any more. */
export function unsayAll(): void {
  show([]);
}

/** Let no toast go while somebody points at one or has the focus in it; afterwards each has its full time again. */
export function hold(isWanted: boolean): void {
  if (isHeld === isWanted) return;
  isHeld = isWanted;
  for (const timer of timers.values()) clearTimeout(timer);
  timers.clear();
  show(toasts.value);
}

function show(wanted: readonly Toast[]): void {
  toasts.value = wanted;
  for (const [id, timer] of timers) {
    if (wanted.some((toast) => toast.id === id)) continue;
    clearTimeout(timer);
    timers.delete(id);
  }
  if (wanted.length === 0) isHeld = false; // what went away tells neither that the pointer nor that the focus has left
  if (isHeld) return;
  for (const { id, kind, actions } of wanted) {
    if (timers.has(id)) continue;
    const lasts = actions.length === 0 ? LASTS_MS[kind] : WITH_ACTION_MS;
    timers.set(
      id,
      setTimeout(() => dismiss(id), lasts),
    );
  }
}
