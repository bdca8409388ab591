/** A table of numbers that can be changed: a problem stands below the row that it is about. */

import type { ComponentChildren } from "preact";
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { CheckedField, type CheckedFieldProps } from "./checked-field";
import { lightsOf } from "./light";

export type Cell = Omit<CheckedFieldProps, "bare" | "describedBy" | "onProblem"> & {
  /** How the column is written in a sentence about a problem. */
  readonly symbol: string;
};

export interface EditRow {
  readonly joint: string;
  /** Shown behind the name, where the columns have no unit of their own. */
  readonly unit?: string;
  readonly cells: readonly Cell[];
}

interface EditTableProps {
  readonly label: string;
  readonly head: readonly ComponentChildren[];
  readonly rows: readonly EditRow[];
}

export function EditTable({ label, head, rows }: EditTableProps) {
  return (
    <div class="scroll">
      <table class="numbers arm-edit" aria-label={label}>
        <thead>
          <tr>
            {head.map((cell, i) => (
              <th key={i} scope="col">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <JointCells key={row.joint} row={row} index={index} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The link that a joint moves is lit while one of its numbers has the focus. */
function JointCells({ row, index }: { row: EditRow; index: number }) {
  const id = useId();
  const problems = useSignal<readonly (string | null)[]>(row.cells.map(() => null));
  const at = problems.value.findIndex((problem) => problem !== null);
  return (
    <>
      <tr data-row={row.joint} {...lightsOf(index)}>
        <th scope="row" title={row.joint}>
          {row.joint}
          {row.unit !== undefined && <span class="unit">{row.unit}</span>}
        </th>
        {row.cells.map(({ symbol, ...cell }, i) => (
          <td key={symbol} data-cell={symbol}>
            <CheckedField
              {...cell}
              bare
              describedBy={id}
              onProblem={(text) => (problems.value = problems.value.with(i, text))}
            />
          </td>
        ))}
      </tr>
      <tr class="arm-problem" hidden={at < 0}>
        <td colSpan={row.cells.length + 1}>
          <p id={id} class="problem" role="alert">
            {at < 0 ? "" : `${row.joint}, ${row.cells[at]?.symbol ?? ""}: ${problems.value[at] ?? ""}`}
          </p>
        </td>
      </tr>
    </>
  );
}
