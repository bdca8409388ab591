/** What a hand does on a plot: the pointer or a finger draws a stretch of time, the wheel zooms. */

import type uPlot from "uplot";
import type { Range } from "./curves";

export interface Gestures {
  readonly onZoom: (range: Range) => void;
  readonly onWheel: (time: number, factor: number) => boolean;
}

const LEAST_DRAG_PX = 6;
/** By how much one turn of the wheel (about 100 px) zooms. */
const PER_PX = 1.0025;
const MOST_PX = 240;
const LINE_PX = 16;
const NOTHING = { left: 0, top: 0, width: 0, height: 0 } as const;

/** Listen until the returned function is called. */
export function listen(plot: uPlot, { onZoom, onWheel }: Gestures): () => void {
  const { over } = plot;
  /** Where the finger came down; uPlot itself hears the mouse alone. */
  let from: number | null = null;
  const at = (event: MouseEvent): number => {
    const { left, width } = over.getBoundingClientRect();
    return Math.min(Math.max(event.clientX - left, 0), width);
  };
  const take = (): void => {
    const { left, width } = plot.select;
    if (width >= LEAST_DRAG_PX) onZoom([plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
    plot.setSelect(NOTHING, false);
  };
  const press = (event: PointerEvent): void => {
    if (event.pointerType === "touch") from = event.isPrimary ? at(event) : null;
  };
  const draw = (event: PointerEvent): void => {
    if (from === null || event.pointerType !== "touch") return;
    const to = at(event);
    plot.setSelect(
      { left: Math.min(from, to), top: 0, width: Math.abs(to - from), height: over.clientHeight },
      false,
    );
  };
  const release = (event: PointerEvent): void => {
    if (from === null || event.pointerType !== "touch") return;
    from = null;
    take();
  };
  const cancel = (): void => {
    from = null;
    plot.setSelect(NOTHING, false);
  };
  const turn = (event: WheelEvent): void => {
    const px = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1);
    const factor = PER_PX ** Math.min(Math.max(px, -MOST_PX), MOST_PX);
    if (factor !== 1 && onWheel(plot.posToVal(at(event), "x"), factor)) event.preventDefault();
  };
  (plot.hooks.setSelect ??= []).push(take);
  const ending = new AbortController();
  const { signal } = ending;
  over.addEventListener("pointerdown", press, { signal });
  over.addEventListener("pointermove", draw, { signal });
  over.addEventListener("pointerup", release, { signal });
  over.addEventListener("pointercancel", cancel, { signal });
  over.addEventListener("wheel", turn, { signal, passive: false });
  return () => ending.abort();
}
