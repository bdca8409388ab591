/** `<Table label={…} head={[…]} rows={[{key, cells: […]}]} />`: numbers in columns; the first cell of a row names it. */

import type { ComponentChildren } from "preact";

export interface Row {
  readonly key: string;
  readonly cells: readonly ComponentChildren[];
  readonly chosen?: boolean;
  readonly onClick?: () => void;
}

interface TableProps {
  readonly label: string;
  readonly head: readonly ComponentChildren[];
  readonly rows: readonly Row[];
  /** A last row under a line, such as a sum. */
  readonly foot?: readonly ComponentChildren[];
}

export function Table({ label, head, rows, foot }: TableProps) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table class="numbers">
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
          {rows.map(({ key, cells, chosen, onClick }) => (
            <tr key={key} data-row={key} data-chosen={chosen === true ? "" : undefined} onClick={onClick}>
              <Cells cells={cells} />
            </tr>
          ))}
        </tbody>
        {foot !== undefined && (
          <tfoot>
            <tr>
              <Cells cells={foot} />
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

function Cells({ cells }: { cells: readonly ComponentChildren[] }) {
  return (
    <>
      {cells.map((cell, i) =>
        i === 0 ? (
          <th key={i} scope="row">
            {cell}
          </th>
        ) : (
          <td key={i}>{cell}</td>
        ),
      )}
    </>
  );
}
