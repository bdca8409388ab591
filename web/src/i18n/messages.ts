/** How a catalogue entry becomes a sentence: plural forms by Intl.PluralRules, numbers by Intl.NumberFormat. */

export const LANGUAGES = ["en", "ru", "uk"] as const;
export type Language = (typeof LANGUAGES)[number];

/** "arm.dh.heading": what it belongs to, then what it is. A test looks for keys that are used and not there. */
export type Key = string;
export type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };
export type Message = string | PluralForms;
export type Catalogue = Readonly<Record<Key, Message>>;
export type Values = Readonly<Record<string, string | number>>;

/** Return one catalogue per language from the files that are named `<part>.<language>.json`. */
export function merged(files: Readonly<Record<string, Catalogue>>): Readonly<Record<Language, Catalogue>> {
  const all: Record<Language, Record<Key, Message>> = { en: {}, ru: {}, uk: {} };
  for (const [path, catalogue] of Object.entries(files)) {
    const language = LANGUAGES.find((tag) => path.endsWith(`.${tag}.json`));
    if (language !== undefined) Object.assign(all[language], catalogue);
  }
  return all;
}

/** Return `value` with exactly `digits` decimals in the manner of `language`, with a true minus sign. */
export function formatNumber(language: Language, value: number, digits: number): string {
  return formatOf(language, digits).format(value).replace("-", "\u2212");
}

/** Return the sentence of `message` with its {placeholders} filled; the count `n` chooses the plural form. */
export function phrase(language: Language, message: Message, values: Values = {}): string {
  const pattern = typeof message === "string" ? message : pluralForm(language, message, values.n);
  const filled = pattern.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number"
      ? new Intl.NumberFormat(language).format(value).replace("-", "\u2212")
      : value;
  });
  return filled.replace(/(\d) °/g, "$1°");
}

function pluralForm(language: Language, forms: PluralForms, count: string | number | undefined): string {
  const rule = new Intl.PluralRules(language).select(typeof count === "number" ? count : 0);
  return forms[rule] ?? forms.other;
}

const formats = new Map<string, Intl.NumberFormat>();

/** Formats are dear to make, and read-outs use them many times a second. */
function formatOf(language: Language, digits: number): Intl.NumberFormat {
  const key = `${language}${digits}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat(language, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: false,
    signDisplay: "negative",
  });
  formats.set(key, format);
  return format;
}
