/** Names that the server sends, in the reader's words; and numbers of any size. */

import { isKey, number, t, unit } from "../../i18n";

const AXES: readonly string[] = ["x", "y", "z"];
const DIGITS = 3;
const MOST_DIGITS = 9;

/** Return a number with three digits that count, however small it is. */
export function significant(value: number): string {
  if (value === 0) return "0";
  const size = Math.ceil(Math.log10(Math.abs(value)));
  return number(value, Math.min(Math.max(DIGITS - size, 0), MOST_DIGITS));
}

/** Return "A2 shift x" as words: whose, what, along which axis. */
export function parameterTitle(name: string): string {
  const parts = name.split(" ");
  const axis = parts.length > 2 && AXES.includes(parts.at(-1) ?? "") ? parts.pop() : undefined;
  const what = parts.pop() ?? "";
  const owner = parts.join(" ");
  const words = [owned(owner), said(`real.parameter.${what}`, what), axis ?? ""];
  return words.filter((word) => word !== "").join(" ");
}

export function parameterUnit(name: string): string {
  return name === "1" ? "" : said(`real.unit.${name}`, unit(name));
}

export function faultTitle(kind: string): string {
  return said(`real.fault.${kind}`, kind);
}

function owned(owner: string): string {
  return said(`real.owner.${owner}`, owner);
}

function said(key: string, otherwise: string): string {
  return isKey(key) ? t(key) : otherwise;
}
