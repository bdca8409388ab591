/** The curves as a table: switch each on or off; its value now or at the pointer, what was commanded, least and most. */

import { useSignal, useSignalEffect } from "@preact/signals";
import { number, t, unit } from "../../i18n";
import { followSlow } from "../../live";
import { Table } from "../../parts/table";
import { type Curve, type Summary, summaryOf, type Value } from "./curves";
import { curves, frozen, hidden, pointed, range, shotNow, showsCommand, toggleCurve } from "./state";
import { titleOf, unitOf } from "./words";

interface Numbers {
  readonly rows: readonly Summary[];
  /** Seconds before the end; null for the end itself. */
  readonly at: number | null;
}

export function Values() {
  const numbers = useSignal<Numbers>({ rows: [], at: null });
  useSignalEffect(() => {
    const all = curves.value;
    const index = pointed.value;
    const part = range.value;
    if (frozen.value === null) followSlow();
    const shot = shotNow();
    numbers.value = {
      rows: all.map((_, i) => summaryOf(shot, i, index, part)),
      at: index === null ? null : (shot.t[index] ?? null),
    };
  });
  const { rows, at } = numbers.value;
  const hasCommand = curves.value.some(({ commanded }) => commanded !== null);
  const here =
    at === null ? t(frozen.value === null ? "plots.now" : "plots.end") : `${number(at, 2)} ${unit("s")}`;
  return (
    <div class="plots-values">
      <Table
        label={t("plots.values")}
        head={[
          here,
          t(hasCommand ? "plots.actual" : "plots.value"),
          ...(hasCommand ? [t("plots.commanded")] : []),
          t("plots.least"),
          t("plots.most"),
        ]}
        rows={curves.value.map((curve, i) => ({
          key: curve.name,
          cells: [<Toggle key="toggle" curve={curve} />, ...cellsOf(rows[i], hasCommand)],
        }))}
      />
    </div>
  );
}

function cellsOf(row: Summary | undefined, hasCommand: boolean): string[] {
  const commanded = hasCommand ? [shown(row?.commanded)] : [];
  return [shown(row?.at), ...commanded, shown(row?.least), shown(row?.most)];
}

function Toggle({ curve }: { curve: Curve }) {
  return (
    <button
      type="button"
      class="plots-toggle"
      aria-pressed={!hidden.value.has(curve.name)}
      style={{ "--swatch": `var(${curve.colour})` }}
      onClick={() => toggleCurve(curve.name)}
    >
      <span
        class="plots-swatch"
        data-commanded={curve.commanded !== null && showsCommand.value ? "" : undefined}
      />
      {titleOf(curve)}
      <span class="unit">{unitOf(curve)}</span>
    </button>
  );
}

function shown(value: Value | undefined): string {
  if (value == null) return "–";
  return number(value, Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 100 ? 1 : 2);
}
