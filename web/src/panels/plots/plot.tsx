/** The plot itself: drawn up to 16 times a second while it runs, once when it is held. Keys zoom and move it. */

import { effect, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { language, t } from "../../i18n";
import { tick } from "../../live";
import { coloursChanged } from "../../theme";
import type { Chart, ChartOptions } from "./chart";
import {
  curves,
  frozen,
  type Held,
  hidden,
  hold,
  now,
  pointed,
  quantity,
  range,
  run,
  shiftBy,
  shotNow,
  showsCommand,
  zoom,
  zoomAbout,
  zoomBy,
  zoomTo,
} from "./state";
import { axesOf } from "./words";

const LEAST_MS = 60;

export function Plot() {
  const place = useRef<HTMLDivElement>(null);
  useSignalEffect(() => {
    const element = place.current;
    const options = optionsNow();
    const look = `${coloursChanged.value} ${language.value}`;
    return element === null || look === "" ? undefined : draw(element, options);
  });
  const isEmpty = curves.value.every(({ name }) => hidden.value.has(name));
  return (
    <div
      ref={place}
      class="plots-canvas"
      role="img"
      tabIndex={0}
      aria-label={t("plots.canvas", { what: t(`plots.long.${quantity.value}`) })}
      data-chart={quantity.value}
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || !press(event.key)) return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {isEmpty && <p class="plots-empty quiet">{t("plots.empty")}</p>}
    </div>
  );
}

/** What was there when somebody began to draw a stretch of time. */
let begun: Held | null = null;

function optionsNow(): ChartOptions {
  return {
    curves: curves.value,
    drawn: curves.value.flatMap(({ name }, i) => (hidden.value.has(name) ? [] : [i])),
    showsCommand: showsCommand.value,
    axes: axesOf(curves.value, t(`plots.short.${quantity.value}`)),
    onBegin: () => (begun = now()),
    onZoom: (part) => zoomTo(part, begun ?? now()),
    onWheel: zoomAbout,
    onWhole: () => (zoom.value = null),
    onPoint: (index) => (pointed.value = index),
  };
}

/** Do what a key means; return whether it means something. */
function press(key: string): boolean {
  if (key === " ") toggleHold();
  else if (key === "+" || key === "=") zoomBy(-1);
  else if (key === "-" || key === "−") zoomBy(1);
  else if (key === "ArrowLeft") shiftBy(-1);
  else if (key === "ArrowRight") shiftBy(1);
  else if (key === "0") zoom.value = null;
  else return false;
  return true;
}

export function toggleHold(): void {
  if (frozen.peek() === null) hold();
  else run();
}

/** Draw into an element until the returned function is called; the library is loaded on first use. */
function draw(element: HTMLElement, options: ChartOptions): () => void {
  let chart: Chart | null = null;
  let isOver = false;
  let stop = (): void => undefined;
  void import("./chart").then(({ makeChart }) => {
    if (isOver) return;
    const made = makeChart(element, options);
    chart = made;
    stop = follow(made);
  });
  return () => {
    isOver = true;
    stop();
    chart?.end();
  };
}

/** Show the newest numbers as time goes on; held ones only when another part of them is wanted. */
function follow(chart: Chart): () => void {
  let last = -Infinity;
  return effect(() => {
    const part = range.value;
    if (frozen.value === null && tick.value >= 0) {
      const time = performance.now();
      if (time - last < LEAST_MS) return;
      last = time;
    }
    chart.show(shotNow(), part);
  });
}
