/** The points that a move goes through: joint values or frames of the tool, typed over, added and deleted. */

import { sheet } from "../../catalog";
import { t, unit } from "../../i18n";
import { Icon } from "../../parts/icon";
import { IconButton } from "../../parts/icon-button";
import { NumberField } from "../../parts/number-field";
import { project } from "../../project";

const FAR = 100_000;

interface Column {
  readonly name: string;
  readonly unit: string;
  readonly lower: number;
  readonly upper: number;
}

interface PointTableProps {
  readonly label: string;
  readonly kind: "joints" | "frames";
  readonly rows: readonly (readonly number[])[];
  /** The fewest rows that there must be. */
  readonly least: number;
  /** Where the arm is, as a row. */
  readonly here: () => readonly number[];
  readonly onRows: (rows: readonly (readonly number[])[]) => void;
}

export function PointTable({ label, kind, rows, least, here, onRows }: PointTableProps) {
  const columns = columnsOf(kind);
  return (
    <fieldset class="scenario-set">
      <legend class="field-label">{label}</legend>
      {rows.length > 0 && (
        <div class="scroll" role="region" tabIndex={0} aria-label={label}>
          <table class="numbers scenario-table">
            <thead>
              <tr>
                <th scope="col">№</th>
                {columns.map(({ name, unit: one }) => (
                  <th key={name} scope="col">
                    {name} <span class="unit">{unit(one)}</span>
                  </th>
                ))}
                <th scope="col">
                  <span class="unseen">{t("planner.delete")}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row, index) => (
                <tr key={index} data-via={index}>
                  <th scope="row">{index + 1}</th>
                  <Cells
                    row={row}
                    number={index + 1}
                    columns={columns}
                    onRow={(next) => onRows(rows.with(index, next))}
                  />
                  <td>
                    <IconButton
                      icon="delete"
                      label={t("planner.deleteOne", { name: String(index + 1) })}
                      disabled={rows.length <= least}
                      onClick={() => onRows(rows.toSpliced(index, 1))}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div class="row">
        <button type="button" onClick={() => onRows([...rows, here()])}>
          <Icon name="add" />
          {t("planner.addPresent")}
        </button>
        {kind === "joints" && <Saved onChoose={(q) => onRows([...rows, q])} />}
      </div>
    </fieldset>
  );
}

interface CellsProps {
  readonly row: readonly number[];
  readonly number: number;
  readonly columns: readonly Column[];
  readonly onRow: (row: readonly number[]) => void;
}

function Cells({ row, number, columns, onRow }: CellsProps) {
  return (
    <>
      {columns.map((column, i) => (
        <td key={column.name}>
          <NumberField
            bare
            label={t("planner.valueOf", {
              name: String(number),
              what: column.name,
              unit: unit(column.unit),
            })}
            value={row[i] ?? 0}
            digits={1}
            lower={column.lower}
            upper={column.upper}
            onCommit={(value) => onRow(row.with(i, value))}
          />
        </td>
      ))}
    </>
  );
}

function Saved({ onChoose }: { onChoose: (q: readonly number[]) => void }) {
  const poses = project.value?.poses ?? [];
  if (poses.length === 0) return null;
  return (
    <select
      aria-label={t("planner.addSaved")}
      value=""
      onChange={(event) => {
        const pose = poses.find(({ id }) => id === event.currentTarget.value);
        event.currentTarget.value = "";
        if (pose !== undefined) onChoose(pose.q);
      }}
    >
      <option value="" disabled>
        {t("planner.addSaved")}
      </option>
      {poses.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

function columnsOf(kind: "joints" | "frames"): readonly Column[] {
  if (kind === "joints") return sheet.value?.joints ?? [];
  return ["X", "Y", "Z", "A", "B", "C"].map((name, i) => ({
    name,
    unit: i < 3 ? "mm" : "°",
    lower: i < 3 ? -FAR : -360,
    upper: i < 3 ? FAR : 360,
  }));
}
