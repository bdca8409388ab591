import { describe, expect, test } from "vitest";
import en from "../src/i18n/en.json";
import {
  type Catalogue,
  formatNumber,
  type Key,
  type Language,
  LANGUAGES,
  phrase,
} from "../src/i18n/messages";
import ru from "../src/i18n/ru.json";
import uk from "../src/i18n/uk.json";

const CATALOGUES: Readonly<Record<Language, Catalogue>> = { en, ru, uk };
const KEYS = Object.keys(en) as Key[];

function patterns(language: Language, key: Key): string[] {
  const message = CATALOGUES[language][key];
  return typeof message === "string" ? [message] : Object.values(message);
}

function placeholders(pattern: string): string[] {
  return [...new Set(pattern.match(/\{\w+\}/g) ?? [])].sort();
}

describe("the catalogues", () => {
  test.each(LANGUAGES)("%s has the same keys as English", (language) => {
    expect(Object.keys(CATALOGUES[language])).toEqual(KEYS);
  });

  test.each(LANGUAGES)("%s has the same placeholders as English in every form", (language) => {
    for (const key of KEYS) {
      const expected = placeholders(patterns("en", key)[0] ?? "");
      for (const pattern of patterns(language, key)) expect(placeholders(pattern), key).toEqual(expected);
    }
  });

  test.each(LANGUAGES)("%s has every plural form of its language where English has any", (language) => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
    for (const key of KEYS) {
      const message = CATALOGUES[language][key];
      expect(typeof message, key).toBe(typeof CATALOGUES.en[key]);
      if (typeof message !== "string") expect(Object.keys(message).toSorted(), key).toEqual(forms);
    }
  });

  test.each(LANGUAGES)("%s has no empty sentence", (language) => {
    for (const key of KEYS)
      for (const pattern of patterns(language, key)) expect(pattern.trim(), key).not.toBe("");
  });
});

describe("phrase", () => {
  test("chooses the Russian form by the count", () => {
    const say = (n: number): string => phrase("ru", ru["arms.axes"], { n });
    expect([1, 3, 5, 11, 21, 22].map(say)).toEqual([
      "1 ось",
      "3 оси",
      "5 осей",
      "11 осей",
      "21 ось",
      "22 оси",
    ]);
  });

  test("chooses the Ukrainian form by the count", () => {
    const say = (n: number): string => phrase("uk", uk["arms.axes"], { n });
    expect([1, 4, 6, 12, 31].map(say)).toEqual(["1 вісь", "4 осі", "6 осей", "12 осей", "31 вісь"]);
  });

  test("chooses the English form by the count", () => {
    expect([0, 1, 2].map((n) => phrase("en", en["arms.axes"], { n }))).toEqual([
      "0 axes",
      "1 axis",
      "2 axes",
    ]);
  });

  test("fills text in as it is and leaves what it does not know", () => {
    expect(phrase("en", "{a} and {b}", { a: "$1" })).toBe("$1 and {b}");
  });
});

describe("formatNumber", () => {
  test("writes decimals as the language does, with a true minus", () => {
    expect(formatNumber("en", -1234.5, 2)).toBe("−1234.50");
    expect(formatNumber("ru", -1234.5, 2)).toBe("−1234,50");
    expect(formatNumber("uk", 0.25, 1)).toBe("0,3");
  });

  test("knows no negative zero", () => {
    expect(formatNumber("en", -0.001, 2)).toBe("0.00");
  });
});

test("every word of the catalogue is used", () => {
  const sources = Object.values(
    import.meta.glob<string>("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true }),
  ).join("\n");
  const prefixes = ["pose.", "unit.", "estimated.", "theme.", "view.", "dh."]; // looked up by a name put together
  const unused = KEYS.filter(
    (key) => !sources.includes(`"${key}"`) && !prefixes.some((p) => key.startsWith(p)),
  );
  expect(unused).toEqual([]);
});
