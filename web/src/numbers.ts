/** Numbers as people type and read them: both "." and "," separate the decimals, "−" is a minus. */

const TYPED_NUMBER = /^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d{1,3})?$/i;

/** Return the number that `text` says, or null where it says none. */
export function parseNumber(text: string): number | null {
  const plain = text.replace(/[\s\u00a0\u202f]/g, "").replace(/[\u2212\u2013]/g, "-");
  const value = TYPED_NUMBER.test(plain) ? Number(plain.replace(",", ".")) : Number.NaN;
  return Number.isFinite(value) ? value : null;
}

/** Return `value` kept inside [lower, upper]. */
export function clamp(value: number, lower: number, upper: number): number {
  return Math.min(Math.max(value, lower), upper);
}

/** Return `value` rounded to `digits` decimals, without a negative zero. */
export function rounded(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor + 0;
}
