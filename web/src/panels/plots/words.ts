/** The words of curves: their names, units, and what stands at the axes. */

import { t, unit as unitWord } from "../../i18n";
import { type Curve, scaleOf } from "./curves";

export const titleOf = ({ name, isWord }: Curve): string => (isWord ? t(name) : name);

/** Return the unit of a curve, such as °/s². */
export function unitOf({ unit, perSecond }: Curve): string {
  const base = unitWord(unit);
  if (perSecond === 0) return base;
  return t(perSecond === 1 ? "unit.perSecond" : "unit.perSecond2", { unit: base });
}

/** Return the text at each axis: by scale, what is drawn and in which unit. */
export function axesOf(curves: readonly Curve[], what: string): ReadonlyMap<string, string> {
  return new Map(curves.map((curve) => [scaleOf(curve), `${what}, ${unitOf(curve)}`]));
}
