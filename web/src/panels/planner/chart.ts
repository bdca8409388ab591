/** One chart by uPlot: curves in the colours of the joints, limits as dashed lines. Loaded when first needed. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { formatNumber } from "../../i18n/messages";
import { language } from "../../i18n";
import type { Curves } from "./curves";

export interface Chart {
  end(): void;
}

const HEIGHT_PX = 132;
const LEAST_WIDTH_PX = 160;
const ROOM = 1.08;
const DASH_PX = [5, 4];

export function makeChart(element: HTMLElement, { t, curves, isShare }: Curves): Chart {
  const colour = (name: string): string => getComputedStyle(element).getPropertyValue(name).trim();
  const axis: uPlot.Axis = {
    stroke: colour("--text-quiet"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
    font: `11px ${getComputedStyle(element).fontFamily}`,
    gap: 4,
    values: (_, ticks) => ticks.map((tick) => shortText(tick)),
  };
  const plot = new uPlot(
    {
      width: Math.max(element.clientWidth, LEAST_WIDTH_PX),
      height: HEIGHT_PX,
      legend: { show: false },
      cursor: { y: false, points: { size: 5 }, drag: { x: false, y: false } },
      scales: { x: { time: false }, y: { range: (_, low, high) => rangeOf(low, high, isShare) } },
      axes: [
        { ...axis, size: 22 },
        { ...axis, size: 42 },
      ],
      series: [
        {},
        ...curves.map(({ name, series }) => ({
          label: name,
          stroke: colour(`--series-${series}`),
          width: 1.6,
          points: { show: false },
        })),
      ],
      hooks: { draw: [(drawn) => drawLimits(drawn, curves, isShare, colour)] },
    },
    [[...t], ...curves.map(({ values }) => [...values])],
    element,
  );
  const sizes = new ResizeObserver(() => {
    plot.setSize({ width: Math.max(element.clientWidth, LEAST_WIDTH_PX), height: HEIGHT_PX });
  });
  sizes.observe(element);
  return {
    end() {
      sizes.disconnect();
      plot.destroy();
    },
  };
}

/** Return what the vertical axis shows: shares have room for both limits, values have some air. */
function rangeOf(low: number | null, high: number | null, isShare: boolean): [number, number] {
  const [least, most] = [low ?? 0, high ?? 0];
  if (isShare) return [Math.min(least, -100) * ROOM, Math.max(most, 100) * ROOM];
  const air = Math.max((most - least) * 0.08, 1e-3);
  return [least - air, most + air];
}

function drawLimits(
  plot: uPlot,
  curves: Curves["curves"],
  isShare: boolean,
  colour: (name: string) => string,
): void {
  const { ctx, bbox } = plot;
  const lines = isShare
    ? [...new Set(curves.flatMap(({ limits }) => limits))].map((value) => ({ value, stroke: "--stop" }))
    : curves.flatMap(({ limits, series }) =>
        limits.map((value) => ({ value, stroke: `--series-${series}` })),
      );
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.setLineDash(DASH_PX.map((px) => px * devicePixelRatio));
  ctx.lineWidth = devicePixelRatio;
  for (const { value, stroke } of lines) {
    const y = Math.round(plot.valToPos(value, "y", true)) + 0.5;
    ctx.strokeStyle = colour(stroke);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  ctx.restore();
}

function shortText(value: number): string {
  const digits = Number.isInteger(value) ? 0 : Math.abs(value) < 1 ? 2 : 1;
  return formatNumber(language.peek(), value, digits);
}
