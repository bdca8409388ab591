/** Finding arms by what people type, and setting them out by maker. */

import type { RobotRow } from "./protocol.gen";

/** Return the rows in which every word of `text` occurs: in name, title or maker. */
export function matching(rows: readonly RobotRow[], text: string): readonly RobotRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const all = `${row.name} ${row.title} ${row.maker}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** Return the rows by maker, makers in alphabetical order, arms in the order of the list. */
export function byMaker(rows: readonly RobotRow[]): readonly (readonly [string, readonly RobotRow[]])[] {
  const groups = new Map<string, RobotRow[]>();
  for (const row of rows) {
    const group = groups.get(row.maker);
    if (group === undefined) groups.set(row.maker, [row]);
    else group.push(row);
  }
  return [...groups].sort(([one], [other]) => one.localeCompare(other));
}
