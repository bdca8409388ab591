/** A chart of a sensor by uPlot, plain or with logarithmic axes. Loaded when first needed. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { formatNumber } from "../../i18n/messages";
import { language } from "../../i18n";

export interface Line {
  readonly name: string;
  /** The token of its colour. */
  readonly colour: string;
  readonly isDashed?: boolean;
}

export interface Chart {
  /** A null is a place where a line is not drawn. */
  show(columns: readonly (readonly (number | null)[])[]): void;
  /** Mark a place on the horizontal axis. */
  mark(at: number): void;
  end(): void;
}

const HEIGHT_PX = 132;
const LEAST_WIDTH_PX = 160;
/** uPlot declares names for kinds of axes that are not there at run time, so that only their numbers can be given. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment
const [LINEAR, LOG] = [1 as uPlot.Scale.Distr, 3 as uPlot.Scale.Distr];

export function makeChart(
  element: HTMLElement,
  lines: readonly Line[],
  { logX = false, logY = false } = {},
): Chart {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis: uPlot.Axis = {
    stroke: colour("--text-quiet"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
    font: `11px ${style.fontFamily}`,
    gap: 4,
    values: (_, ticks) => ticks.map((tick: number | null) => (tick === null ? "" : shortText(tick))),
  };
  const size = (): { width: number; height: number } => ({
    width: Math.max(element.clientWidth, LEAST_WIDTH_PX),
    height: HEIGHT_PX,
  });
  const plot = new uPlot(
    {
      ...size(),
      legend: { show: false },
      cursor: { y: false, points: { size: 5 }, drag: { x: false, y: false } },
      scales: { x: { time: false, distr: logX ? LOG : LINEAR }, y: { distr: logY ? LOG : LINEAR } },
      axes: [
        { ...axis, size: 22 },
        { ...axis, size: 50 },
      ],
      series: [
        {},
        ...lines.map(({ name, colour: token, isDashed = false }) => ({
          label: name,
          stroke: colour(token),
          width: isDashed ? 2.4 : 1.2,
          alpha: isDashed ? 0.5 : 1,
          ...(isDashed ? { dash: [5, 4] } : {}),
          points: { show: false },
        })),
      ],
    },
    [[]],
    element,
  );
  const sizes = new ResizeObserver(() => plot.setSize(size()));
  sizes.observe(element);
  return {
    show: (columns) => plot.setData(columns.map((column) => [...column]) as uPlot.AlignedData),
    mark: (at) => plot.setCursor({ left: plot.valToPos(at, "x"), top: 0 }, false),
    end() {
      sizes.disconnect();
      plot.destroy();
    },
  };
}

function shortText(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.01 || size >= 1e5)) return value.toExponential(0);
  return formatNumber(language.peek(), value, Number.isInteger(value) ? 0 : size < 1 ? 2 : 1);
}
