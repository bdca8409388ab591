/** Curves of a plan: joint values, speeds and accelerations over time, against their limits. */

import { type Signal, signal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { sheet } from "../../catalog";
import { language, t, unit } from "../../i18n";
import { Segments } from "../../parts/segments";
import type { PlanReport } from "../../protocol.gen";
import { coloursChanged } from "../../theme";
import type { Chart } from "./chart";
import { type Curves, curvesOf, type Quantity } from "./curves";

const QUANTITIES: readonly Quantity[] = ["q", "qd", "qdd"];
/** Joints that are not drawn. */
const hidden = signal<ReadonlySet<string>>(new Set());
/** In units, or as shares of the limits. */
const scale = signal<"value" | "share">("share");

export function Charts({ report }: { report: PlanReport }) {
  const names = report.peaks.map(({ joint }) => joint);
  return (
    <div class="planner-charts">
      <div class="row">
        <Segments
          label={t("planner.scale")}
          choices={[
            { id: "share", title: t("planner.scale.share"), hint: t("planner.scale.shareHint") },
            { id: "value", title: t("planner.scale.value") },
          ]}
          chosen={scale.value}
          onChoose={(id) => (scale.value = id)}
        />
        <div class="planner-legend" role="group" aria-label={t("planner.legend")}>
          {names.map((name, i) => (
            <button
              key={name}
              type="button"
              aria-pressed={!hidden.value.has(name)}
              data-series={(i % 7) + 1}
              onClick={() => toggle(name)}
            >
              {name}
            </button>
          ))}
        </div>
      </div>
      <div class="planner-plots">
        {QUANTITIES.map((quantity) => (
          <Plot key={quantity} report={report} quantity={quantity} />
        ))}
      </div>
    </div>
  );
}

function Plot({ report, quantity }: { report: PlanReport; quantity: Quantity }) {
  const place = useRef<HTMLDivElement>(null);
  const newest = useSignalOf(report);
  useSignalEffect(() => {
    const element = place.current;
    const made = newest.value;
    const joints = sheet.value?.joints ?? [];
    const drawn = curvesOf(made, quantity, joints, scale.value === "share", hidden.value);
    const look = `${coloursChanged.value} ${language.value}`;
    return element === null || look === "" ? undefined : draw(element, drawn);
  });
  const isShare = scale.value === "share";
  const units = [...new Set(report.peaks.map((peak) => unit(peak.unit)))].join(", ");
  const per = { q: units, qd: t("planner.per.1", { unit: units }), qdd: t("planner.per.2", { unit: units }) };
  const title = `${t(`planner.chart.${quantity}`)}, ${isShare ? "%" : per[quantity]}`;
  return (
    <figure class="planner-plot">
      <figcaption>{title}</figcaption>
      <div ref={place} class="planner-canvas" role="img" aria-label={title} data-chart={quantity} />
    </figure>
  );
}

/** Draw into an element until the returned function is called; the library is loaded on first use. */
function draw(element: HTMLElement, curves: Curves): () => void {
  let chart: Chart | null = null;
  let isOver = false;
  void import("./chart").then(({ makeChart }) => {
    if (!isOver) chart = makeChart(element, curves);
  });
  return () => {
    isOver = true;
    chart?.end();
  };
}

/** A property as a signal, so that effects follow it. */
function useSignalOf<Value>(value: Value): Signal<Value> {
  const kept = useRef<Signal<Value> | null>(null);
  kept.current ??= signal(value);
  kept.current.value = value;
  return kept.current;
}

function toggle(name: string): void {
  const next = new Set(hidden.value);
  if (!next.delete(name)) next.add(name);
  hidden.value = next;
}
