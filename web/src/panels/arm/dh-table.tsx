/** The arm's lengths on sliders, and its Denavit-Hartenberg table: the standard one can be changed, the modified one
 * follows from it. */

import { signal } from "@preact/signals";
import { number, t, unit } from "../../i18n";
import { Segments } from "../../parts/segments";
import { Table } from "../../parts/table";
import { project } from "../../project";
import type { RobotSheet } from "../../protocol.gen";
import { DH_COLUMNS, MAX_MM, valuesOf } from "./changes";
import { EditTable } from "./edit-table";
import { Lengths } from "./lengths";
import { ResetButton } from "./reset-button";
import { changeDh, reset, SYMBOLS } from "./state";

const VIEWS = ["lengths", "standard", "modified"] as const;
const view = signal<(typeof VIEWS)[number]>("lengths");
const MAX_DEG = 360;

export function DhTable({ data, own }: { data: RobotSheet; own: RobotSheet }) {
  const shown = view.value;
  return (
    <div data-convention={shown}>
      <Segments
        label={t("arm.dh.convention")}
        choices={VIEWS.map((id) => ({ id, title: t(`arm.dh.${id}`), hint: t(`arm.dh.${id}.hint`) }))}
        chosen={shown}
        onChoose={(id) => (view.value = id)}
      />
      {shown === "lengths" && <Lengths own={own} />}
      {shown === "standard" && <Standard own={own} />}
      {shown === "modified" && <Modified data={data} />}
      {shown !== "modified" && <ResetButton isNeeded={project.value?.arm.dh != null} onReset={reset.dh} />}
      <p class="hint">{t(`arm.dh.note.${shown}`)}</p>
    </div>
  );
}

function head(): string[] {
  return [t("joint.name"), "θ, °", `d, ${unit("mm")}`, `a, ${unit("mm")}`, "α, °"];
}

function Standard({ own }: { own: RobotSheet }) {
  const first = valuesOf(own.dh_standard);
  const rows = project.value?.arm.dh ?? first;
  return (
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
