/** `<Plot title={…} lines={…} columns={() => …} />`: a chart that follows the signals that `columns` reads. */

import { effect, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { language, t } from "../../i18n";
import { coloursChanged } from "../../theme";
import type { Chart, Line } from "./chart";

interface PlotProps {
  readonly name: string;
  readonly title: string;
  readonly lines: readonly Line[];
  /** The first column is the horizontal axis. */
  readonly columns: () => readonly (readonly (number | null)[])[];
  readonly logX?: boolean;
  readonly logY?: boolean;
}

export function Plot({ name, title, lines, columns, logX = false, logY = false }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  useSignalEffect(() => {
    const element = place.current;
    const look = `${coloursChanged.value} ${language.value}`;
    if (element === null || look === "") return undefined;
    let chart: Chart | null = null;
    let stop = (): void => undefined;
    let isOver = false;
    void import("./chart").then(({ makeChart }) => {
      if (isOver) return;
      const made = makeChart(element, lines, { logX, logY });
      chart = made;
      stop = effect(() => made.show(columns()));
    });
    return () => {
      isOver = true;
      stop();
      chart?.end();
    };
  });
  return (
    <figure class="sensors-plot">
      <figcaption>
        {title}
        <Legend lines={lines} />
      </figcaption>
      <div ref={place} class="sensors-canvas" role="img" aria-label={title} data-chart={name} />
    </figure>
  );
}

/** The solid lines by name, and once what dashed ones mean. */
function Legend({ lines }: { lines: readonly Line[] }) {
  const dashed = lines.find(({ isDashed }) => isDashed === true);
  return (
    <ul class="sensors-legend">
      {lines
        .filter(({ isDashed }) => isDashed !== true)
        .map(({ name, colour }) => (
          <li key={name} style={{ "--swatch": `var(${colour})` }}>
            {name}
          </li>
        ))}
      {dashed !== undefined && <li data-dashed="">{t("sensors.ideal")}</li>}
    </ul>
  );
}
