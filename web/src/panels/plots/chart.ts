/** The plot by uPlot: actual values solid, commanded ones dashed. Loaded when first needed. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { language } from "../../i18n";
import { formatNumber } from "../../i18n/messages";
import type { Curve, Range, Shot, Value } from "./curves";

export interface Chart {
  show(shot: Shot, range: Range): void;
  end(): void;
}

export interface ChartOptions {
  readonly curves: readonly Curve[];
  /** Which of the curves are drawn. */
  readonly drawn: readonly number[];
  readonly showsCommand: boolean;
  readonly onZoom: (range: Range) => void;
  readonly onWhole: () => void;
  readonly onPoint: (index: number | null) => void;
}

const LEAST_PX = { width: 160, height: 90 } as const;
const DASH_PX = [5, 4];
const LEAST_DRAG_PX = 6;
const AIR = 0.08;
/** uPlot declares names for the sides that are not there at run time, so that only their numbers can be given. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment
const [LEFT, RIGHT] = [3 as uPlot.Axis.Side, 1 as uPlot.Axis.Side];

export function makeChart(element: HTMLElement, options: ChartOptions): Chart {
  const plot = new uPlot({ ...sizeOf(element), ...settingsOf(element, options) }, [[]], element);
  const sizes = new ResizeObserver(() => plot.setSize(sizeOf(element)));
  sizes.observe(element);
  let isDragging = false;
  const press = (): void => void (isDragging = true);
  const release = (): void => void (isDragging = false);
  plot.over.addEventListener("pointerdown", press);
  for (const kind of ["pointerup", "pointercancel"] as const) addEventListener(kind, release);
  return {
    show(shot, [min, max]) {
      if (isDragging) return;
      plot.batch(() => {
        plot.setData([[...shot.t], ...columnsOf(shot, options)], false);
        plot.setScale("x", { min, max });
      });
    },
    end() {
      for (const kind of ["pointerup", "pointercancel"] as const) removeEventListener(kind, release);
      sizes.disconnect();
      plot.destroy();
    },
  };
}

function columnsOf(shot: Shot, { curves, drawn, showsCommand }: ChartOptions): Value[][] {
  return drawn.flatMap((i) => {
    const wanted = curves[i]?.commanded != null && showsCommand ? [[...(shot.commanded[i] ?? [])]] : [];
    return [...wanted, [...(shot.actual[i] ?? [])]];
  });
}

function settingsOf(element: HTMLElement, options: ChartOptions): Omit<uPlot.Options, "width" | "height"> {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const units = unitsOf(options);
  const axis: uPlot.Axis = {
    stroke: colour("--text-quiet"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
    font: `11px ${style.fontFamily}`,
    gap: 4,
    values: (_, ticks) => ticks.map(shortText),
  };
  const upright = units.map((unit, i): uPlot.Axis => {
    const side: uPlot.Axis.Side = i === 0 ? LEFT : RIGHT;
    return { ...axis, scale: unit, size: 52, side, grid: { ...axis.grid, show: i === 0 } };
  });
  return {
    legend: { show: false },
    padding: [8, units.length > 1 ? 0 : 12, 0, 0],
    cursor: {
      y: false,
      points: { size: 5 },
      drag: { x: true, y: false, setScale: false },
      bind: {
        dblclick: () => () => {
          options.onWhole();
          return null;
        },
      },
    },
    scales: { x: { time: false }, ...Object.fromEntries(units.map((unit) => [unit, { range: airy }])) },
    axes: [{ ...axis, size: 22 }, ...upright],
    series: [{}, ...seriesOf(options, colour)],
    hooks: {
      setSelect: [(drawn) => select(drawn, options)],
      setCursor: [(drawn) => options.onPoint(drawn.cursor.idx ?? null)],
    },
  };
}

function seriesOf(
  { curves, drawn, showsCommand }: ChartOptions,
  colour: (name: string) => string,
): uPlot.Series[] {
  return drawn.flatMap((i) => {
    const curve = curves[i];
    if (curve === undefined) return [];
    const series: uPlot.Series = {
      label: curve.name,
      scale: scaleOf(curve),
      stroke: colour(curve.colour),
      width: 1.6,
      points: { show: false },
    };
    const commanded = { ...series, dash: DASH_PX, width: 1.2, alpha: 0.75 };
    return curve.commanded !== null && showsCommand ? [commanded, series] : [series];
  });
}

/** Take the stretch that was drawn with the pointer. */
function select(plot: uPlot, { onZoom }: ChartOptions): void {
  const { left, width } = plot.select;
  if (width < LEAST_DRAG_PX) return;
  const part = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")] as const;
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  onZoom(part);
}

/** Return the scales of the drawn curves; an arm that turns and slides has two. */
function unitsOf({ curves, drawn }: ChartOptions): string[] {
  const units = drawn.flatMap((i) => (curves[i] === undefined ? [] : [scaleOf(curves[i])]));
  return units.length === 0 ? ["none"] : [...new Set(units)];
}

const scaleOf = ({ unit, perSecond }: Curve): string => `${unit}/${perSecond}`;

/** Return the shown span of values, with some air; a flat line is not made a mountain of. */
function airy(_: uPlot, low: number | null, high: number | null): [number, number] {
  const [least, most] = [low ?? -1, high ?? 1];
  const air = Math.max((most - least) * AIR, Math.abs(most + least) * 5e-4, 0.01);
  return [least - air, most + air];
}

function sizeOf(element: HTMLElement): { width: number; height: number } {
  return {
    width: Math.max(element.clientWidth, LEAST_PX.width),
    height: Math.max(element.clientHeight, LEAST_PX.height),
  };
}

function shortText(value: number): string {
  const digits = Number.isInteger(value) ? 0 : Math.abs(value) < 1 ? 2 : 1;
  return formatNumber(language.peek(), value, digits);
}
