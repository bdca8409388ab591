/** Short messages in the corner; parts/toasts.tsx shows them. */

import { signal } from "@preact/signals";

export type ToastKind = "info" | "good" | "warn" | "error";

export interface Toast {
  readonly id: number;
  /** A newer toast of the same key takes the place of the older one. */
  readonly key: string;
  readonly kind: ToastKind;
  readonly text: string;
  readonly action: { readonly text: string; readonly run: () => void } | null;
}

export const toasts = signal<readonly Toast[]>([]);

const LASTS_MS: Readonly<Record<ToastKind, number>> = { info: 6000, good: 4000, warn: 9000, error: 12000 };
const MOST = 4;
let lastId = 0;

/** Say something that needs no answer; it goes away by itself. */
export function say(
  kind: ToastKind,
  text: string,
  { key = text, action = null }: { key?: string; action?: Toast["action"] } = {},
): void {
  lastId += 1;
  const toast: Toast = { id: lastId, key, kind, text, action };
  toasts.value = [...toasts.value.filter((other) => other.key !== key), toast].slice(-MOST);
  if (action === null) setTimeout(() => dismiss(toast.id), LASTS_MS[kind]);
}

/** Take a toast away. */
export function dismiss(id: number): void {
  if (toasts.value.some((toast) => toast.id === id))
    toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
