/** Words for what the server names: branches, reasons, and numbers with powers of ten. */

import { isKey, number, t } from "../../i18n";
import type { StatusTurn } from "../../protocol.gen";
import { compact } from "./numbers";

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Return a branch ("shoulder front, elbow up") in the reader's words; parts without a word stay as they are. */
export function branchWords(branch: string): string {
  if (branch === "") return t("kinematics.branch.none");
  const parts = branch.split(", ").map((part) => {
    const key = `kinematics.branch.${part.replace(" ", "-")}`;
    return isKey(key) ? t(key) : part;
  });
  const text = parts.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Return a number as 1.23·10⁻⁵ where it would be long otherwise. */
export function scientific(value: number, digits = 2): string {
  const { mantissa, exponent } = compact(value);
  if (exponent === 0) return number(mantissa, Math.abs(mantissa) >= 100 ? 1 : digits + 1);
  return `${number(mantissa, digits)}·${powerOfTen(exponent)}`;
}

/** Return 10⁻⁵. */
export function powerOfTen(exponent: number): string {
  const digits = String(Math.abs(exponent)).replace(/\d/g, (digit) => SUPERSCRIPTS.charAt(Number(digit)));
  return `10${exponent < 0 ? "⁻" : ""}${digits}`;
}

/** Return S and T as KRL's programs have them, with their bits. */
export function statusTurnText({ status, turn }: StatusTurn): string {
  const bits = (value: number, count: number): string => value.toString(2).padStart(count, "0");
  return `S ${status} (B${bits(status, 3)}) · T ${turn} (B${bits(turn, 6)})`;
}
