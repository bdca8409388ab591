/** The Denavit-Hartenberg table: the standard one can be changed, the modified one follows from it. */

import { signal } from "@preact/signals";
import { number, t, unit } from "../../i18n";
import { Segments } from "../../parts/segments";
import { Table } from "../../parts/table";
import { project } from "../../project";
import type { RobotSheet } from "../../protocol.gen";
import { DH_COLUMNS, valuesOf } from "./changes";
import { EditTable } from "./edit-table";
import { ResetButton } from "./reset-button";
import { changeDh, reset, SYMBOLS } from "./state";

const CONVENTIONS = ["standard", "modified"] as const;
const convention = signal<(typeof CONVENTIONS)[number]>("standard");
const MAX_MM = 10_000;
const MAX_DEG = 360;

export function DhTable({ data, own }: { data: RobotSheet; own: RobotSheet }) {
  const isStandard = convention.value === "standard";
  return (
    <div data-convention={convention.value}>
      <Segments
        label={t("arm.dh.convention")}
        choices={CONVENTIONS.map((id) => ({ id, title: t(`arm.dh.${id}`) }))}
        chosen={convention.value}
        onChoose={(id) => (convention.value = id)}
      />
      {isStandard ? <Standard own={own} /> : <Modified data={data} />}
      <p class="hint">{t(isStandard ? "arm.dh.noteStandard" : "arm.dh.noteModified")}</p>
    </div>
  );
}

function head(): string[] {
  return [t("joint.name"), "θ, °", `d, ${unit("mm")}`, `a, ${unit("mm")}`, "α, °"];
}

function Standard({ own }: { own: RobotSheet }) {
  const first = valuesOf(own.dh_standard);
  const changed = project.value?.arm.dh ?? null;
  const rows = changed ?? first;
  return (
    <>
      <EditTable
        label={t("arm.dh.heading")}
        head={head()}
        rows={own.joints.map(({ name }, i) => ({
          joint: name,
          cells: DH_COLUMNS.map((column) => {
            const isLength = column === "d" || column === "a";
            const most = isLength ? MAX_MM : MAX_DEG;
            const label = t("arm.dh.field", { what: SYMBOLS[column], joint: name });
            return {
              symbol: SYMBOLS[column],
              label: `${label}, ${unit(isLength ? "mm" : "°")}`,
              value: rows[i]?.[column] ?? 0,
              own: first[i]?.[column] ?? 0,
              unit: isLength ? "mm" : "°",
              lower: -most,
              upper: most,
              onCommit: (value: number) => changeDh(own, i, column, value),
            };
          }),
        }))}
      />
      <ResetButton isNeeded={changed !== null} onReset={reset.dh} />
    </>
  );
}

function Modified({ data }: { data: RobotSheet }) {
  return (
    <Table
      label={t("arm.dh.heading")}
      head={head()}
      rows={data.dh_modified.map((row) => ({
        key: row.joint,
        cells: [row.joint, ...DH_COLUMNS.map((column) => number(row[column], 2))],
      }))}
    />
  );
}
