/** Lists that a person puts in order: by dragging a handle, by arrow keys on it, or by buttons. */

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";

/** Return the list with the thing at `from` put at `to`. */
export function moved<Thing>(list: readonly Thing[], from: number, to: number): readonly Thing[] {
  const next = [...list];
  const [thing] = next.splice(from, 1);
  if (thing === undefined) return list;
  next.splice(Math.min(Math.max(to, 0), next.length), 0, thing);
  return next;
}

/** Return which place among rows, given by their top and bottom edges, the height `y` is at. */
export function placeAt(
  rows: readonly { readonly top: number; readonly bottom: number }[],
  y: number,
): number {
  const below = rows.findIndex(({ top, bottom }) => y < (top + bottom) / 2);
  return below < 0 ? rows.length - 1 : below;
}

export interface Order {
  /** The element around the rows; each row carries `data-order`. */
  readonly list: (element: HTMLElement | null) => void;
  /** What the handle of row `index` needs. */
  readonly handle: (index: number) => {
    readonly onPointerDown: (event: PointerEvent) => void;
    readonly onKeyDown: (event: KeyboardEvent) => void;
  };
  /** Where a row is being dragged from and to, or null. */
  readonly drag: { readonly from: number; readonly to: number } | null;
}

/** Let rows be put in order; `onMove(from, to)` is called once, when a row is let go or moved by key. */
export function useOrder(onMove: (from: number, to: number) => void): Order {
  const list = useRef<HTMLElement | null>(null);
  const drag = useSignal<Order["drag"]>(null);
  const rows = (): HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>("[data-order]") ?? [])];
  const start = (from: number, event: PointerEvent): void => {
    const handle = event.currentTarget;
    if (event.button !== 0 || !(handle instanceof HTMLElement)) return;
    const edges = rows().map((row) => row.getBoundingClientRect());
    handle.setPointerCapture(event.pointerId);
    const follow = ({ clientY }: PointerEvent): void => {
      drag.value = { from, to: placeAt(edges, clientY) };
    };
    const end = ({ type }: PointerEvent): void => {
      handle.removeEventListener("pointermove", follow);
      handle.removeEventListener("pointerup", end);
      handle.removeEventListener("pointercancel", end);
      const to = drag.value?.to ?? from;
      drag.value = null;
      if (type === "pointerup" && to !== from) onMove(from, to);
    };
    handle.addEventListener("pointermove", follow);
    handle.addEventListener("pointerup", end);
    handle.addEventListener("pointercancel", end);
  };
  const press = (from: number, event: KeyboardEvent): void => {
    const last = rows().length - 1;
    const to = { ArrowUp: from - 1, ArrowDown: from + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (to >= 0 && to <= last && to !== from) onMove(from, to);
  };
  return {
    list: (element) => (list.current = element),
    handle: (index) => ({
      onPointerDown: (event) => start(index, event),
      onKeyDown: (event) => press(index, event),
    }),
    drag: drag.value,
  };
}

/** Return how a row shows that something is dragged to it: the line is before or after it. */
export function dropMark(drag: Order["drag"], index: number): "before" | "after" | "dragged" | undefined {
  if (drag === null) return undefined;
  if (drag.from === index) return "dragged";
  if (drag.to !== index) return undefined;
  return drag.to < drag.from ? "before" : "after";
}
