/** How a catalogue entry becomes a sentence: plural forms by Intl.PluralRules, numbers by Intl.NumberFormat. */

import type en from "./en.json";

export const LANGUAGES = ["en", "ru", "uk"] as const;
export type Language = (typeof LANGUAGES)[number];

export type Key = keyof typeof en;
export type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };
export type Message = string | PluralForms;
export type Catalogue = Readonly<Record<Key, Message>>;
export type Values = Readonly<Record<string, string | number>>;

/** Return `value` with exactly `digits` decimals in the manner of `language`, with a true minus sign. */
export function formatNumber(language: Language, value: number, digits: number): string {
  const format = new Intl.NumberFormat(language, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: false,
    signDisplay: "negative",
  });
  return format.format(value).replace("-", "\u2212");
}

/** Return the sentence of `message` with its {placeholders} filled; the count `n` chooses the plural form. */
export function phrase(language: Language, message: Message, values: Values = {}): string {
  const pattern = typeof message === "string" ? message : pluralForm(language, message, values.n);
  return pattern.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? new Intl.NumberFormat(language).format(value) : value;
  });
}

function pluralForm(language: Language, forms: PluralForms, count: string | number | undefined): string {
  const rule = new Intl.PluralRules(language).select(typeof count === "number" ? count : 0);
  return forms[rule] ?? forms.other;
}
