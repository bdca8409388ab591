/** A curve of all structures over time, with a mark at the time that the view shows. */

import { effect, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { language } from "../../i18n";
import { coloursChanged } from "../../theme";
import type { Chart, Line } from "../sensors/chart";

interface PlotProps {
  readonly name: string;
  readonly title: string;
  readonly isLog: boolean;
  readonly lines: readonly Line[];
  readonly columns: () => readonly (readonly (number | null)[])[];
  readonly mark: () => number;
}

export function Plot({ name, title, isLog, lines, columns, mark }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  useSignalEffect(() => {
    const element = place.current;
    const look = `${coloursChanged.value} ${language.value}`;
    if (element === null || look === "") return undefined;
    let end = (): void => undefined;
    let isOver = false;
    void import("../sensors/chart").then(({ makeChart }) => {
      if (!isOver) end = start(makeChart(element, lines, { logY: isLog }), columns, mark);
    });
    return () => {
      isOver = true;
      end();
    };
  });
  return (
    <figure class="compare-plot">
      <figcaption>{title}</figcaption>
      <div ref={place} class="compare-canvas" role="img" aria-label={title} data-chart={name} />
    </figure>
  );
}

/** Draw what the signals say until the result is called. */
function start(chart: Chart, columns: PlotProps["columns"], mark: PlotProps["mark"]): () => void {
  const stops = [effect(() => chart.show(columns())), effect(() => chart.mark(mark()))];
  return () => {
    for (const stop of stops) stop();
    chart.end();
  };
}
