/** The plot by uPlot: actual values solid, commanded ones dashed. Loaded when first needed. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { number, unit as unitWord } from "../../i18n";
import { type Curve, digitsFor, type Range, scaleOf, type Shot, type Value } from "./curves";
import { listen } from "./gestures";

export interface Chart {
  show(shot: Shot, range: Range): void;
  end(): void;
}

export interface ChartOptions {
  readonly curves: readonly Curve[];
  /** Which of the curves are drawn. */
  readonly drawn: readonly number[];
  readonly showsCommand: boolean;
  /** By scale: what stands at its axis. */
  readonly axes: ReadonlyMap<string, string>;
  /** Somebody begins to draw a stretch of time. */
  readonly onBegin: () => void;
  readonly onZoom: (range: Range) => void;
  /** The wheel turns at a time: zoom by a factor; return whether that does something. */
  readonly onWheel: (time: number, factor: number) => boolean;
  readonly onWhole: () => void;
  readonly onPoint: (index: number | null) => void;
}

const LEAST_PX = { width: 160, height: 90 } as const;
const DASH_PX = [5, 4];
const FONT_PX = 11;
const LEAST_AXIS_PX = 34;
const AIR = 0.08;
/** uPlot declares names for the sides that are not there at run time, so that only their numbers can be given. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment
const [LEFT, RIGHT] = [3 as uPlot.Axis.Side, 1 as uPlot.Axis.Side];

export function makeChart(element: HTMLElement, options: ChartOptions): Chart {
  const plot = new uPlot({ ...sizeOf(element), ...settingsOf(element, options) }, [[]], element);
  const sizes = new ResizeObserver(() => plot.setSize(sizeOf(element)));
  sizes.observe(element);
  let isDragging = false;
  const press = (): void => {
    isDragging = true;
    options.onBegin();
  };
  const release = (): void => void (isDragging = false);
  plot.over.addEventListener("pointerdown", press);
  for (const kind of ["pointerup", "pointercancel"] as const) addEventListener(kind, release);
  const end = listen(plot, options);
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
      end();
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
  const font = `${FONT_PX}px ${style.fontFamily}`;
  const axis: uPlot.Axis = {
    stroke: colour("--text-quiet"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
    font,
    labelFont: font,
    gap: 5,
    values: (_, ticks, _axis, _space, step) => texts(ticks, step),
  };
  const time: uPlot.Axis = {
    ...axis,
    size: 22,
    values: (_, ticks, _axis, _space, step) => withUnit(texts(ticks, step), unitWord("s")),
  };
  const upright = units.map((unit, i): uPlot.Axis => {
    const side: uPlot.Axis.Side = i === 0 ? LEFT : RIGHT;
    const label = options.axes.get(unit) ?? "";
    const grid = { ...axis.grid, show: i === 0 };
    return { ...axis, scale: unit, side, grid, label, labelSize: 16, labelGap: 0, size: growing(font) };
  });
  return {
    legend: { show: false },
    padding: [8, units.length > 1 ? 0 : 24, 0, 0],
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
    axes: [time, ...upright],
    series: [{}, ...seriesOf(options, colour)],
    hooks: {
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
    const commanded = { ...series, dash: DASH_PX, width: 3, alpha: 0.45 };
    return curve.commanded !== null && showsCommand ? [commanded, series] : [series];
  });
}

/** Return the scales of the drawn curves; an arm that turns and slides has two. */
function unitsOf({ curves, drawn }: ChartOptions): string[] {
  const units = drawn.flatMap((i) => (curves[i] === undefined ? [] : [scaleOf(curves[i])]));
  return units.length === 0 ? ["none"] : [...new Set(units)];
}

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

function texts(ticks: readonly number[], step: number): string[] {
  return ticks.map((value) => number(value, digitsFor(step)));
}

/** Return the texts with the unit at the last one. */
function withUnit(all: readonly string[], unit: string): string[] {
  return all.map((text, i) => (i === all.length - 1 ? `${text}\u00a0${unit}` : text));
}

/** Return what makes an axis as wide as its numbers; it does not shrink, or the plot would jump. */
function growing(font: string): (plot: uPlot, values: readonly string[] | null) => number {
  const pen = document.createElement("canvas").getContext("2d");
  if (pen !== null) pen.font = font;
  let widest = LEAST_AXIS_PX;
  return (_, values) => {
    for (const text of values ?? [])
      widest = Math.max(widest, Math.ceil(pen?.measureText(text).width ?? 0) + 9);
    return widest;
  };
}
