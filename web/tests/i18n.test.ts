import { describe, expect, test } from "vitest";
import { PAGE_CODES } from "../src/api";
import {
  type Catalogue,
  formatNumber,
  type Language,
  LANGUAGES,
  merged,
  type Message,
  phrase,
} from "../src/i18n/messages";
import { MESSAGE_CODES } from "../src/protocol.gen";

const FILES = import.meta.glob<Catalogue>("../src/i18n/*.json", { import: "default", eager: true });
const SOURCES = import.meta.glob<string>("../src/**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});
const CATALOGUES = merged(FILES);
const KEYS = Object.keys(CATALOGUES.en);
const PARTS = [...new Set(Object.keys(FILES).map((path) => partOf(path)))].toSorted();

function partOf(path: string): string {
  return path.split("/").at(-1)?.split(".")[0] ?? "";
}

function message(language: Language, key: string): Message {
  return CATALOGUES[language][key] ?? "";
}

function patterns(language: Language, key: string): string[] {
  const found = message(language, key);
  return typeof found === "string" ? [found] : Object.values(found);
}

function placeholders(pattern: string): string[] {
  return [...new Set(pattern.match(/\{\w+\}/g) ?? [])].sort();
}

describe("texts of the page for a message of the server", () => {
  test("belong to codes that there are", () => {
    const codes = KEYS.filter((key) => /^(failed|failure)\./.test(key) && key !== "failure.retry").map(
      (key) => key.split(".")[1],
    );
    const known: readonly string[] = [...MESSAGE_CODES, ...PAGE_CODES];
    expect(codes.filter((code) => !known.includes(code ?? ""))).toEqual([]);
    expect(codes.length).toBeGreaterThan(3);
  });
});

describe("the catalogues", () => {
  test.each(PARTS)("of %s has a file in every language, with the same keys in the same order", (part) => {
    const keys = LANGUAGES.map((language) =>
      Object.keys(FILES[`../src/i18n/${part}.${language}.json`] ?? {}),
    );
    expect(keys[0]?.length).toBeGreaterThan(0);
    expect(keys[1]).toEqual(keys[0]);
    expect(keys[2]).toEqual(keys[0]);
  });

  test.each(PARTS)("of %s has keys that begin with its name, and only those", (part) => {
    const keys = Object.keys(FILES[`../src/i18n/${part}.en.json`] ?? {});
    const others = PARTS.filter((other) => other !== "core");
    if (part === "core")
      expect(keys.filter((key) => others.some((other) => key.startsWith(`${other}.`)))).toEqual([]);
    else expect(keys.filter((key) => !key.startsWith(`${part}.`))).toEqual([]);
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
      const found = message(language, key);
      expect(typeof found, key).toBe(typeof message("en", key));
      if (typeof found !== "string") expect(Object.keys(found).toSorted(), key).toEqual(forms);
    }
  });

  test.each(LANGUAGES)("%s has no empty sentence", (language) => {
    for (const key of KEYS)
      for (const pattern of patterns(language, key)) expect(pattern.trim(), key).not.toBe("");
  });
});

describe("phrase", () => {
  const say = (language: Language, n: number): string =>
    phrase(language, message(language, "arm.list.axes"), { n });

  test("chooses the Russian form by the count", () => {
    expect([1, 3, 5, 11, 21, 22].map((n) => say("ru", n))).toEqual([
      "1 ось",
      "3 оси",
      "5 осей",
      "11 осей",
      "21 ось",
      "22 оси",
    ]);
  });

  test("chooses the Ukrainian form by the count", () => {
    expect([1, 4, 6, 12, 31].map((n) => say("uk", n))).toEqual([
      "1 вісь",
      "4 осі",
      "6 осей",
      "12 осей",
      "31 вісь",
    ]);
  });

  test("chooses the English form by the count", () => {
    expect([0, 1, 2].map((n) => say("en", n))).toEqual(["0 axes", "1 axis", "2 axes"]);
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

describe("the words in the source", () => {
  const all = Object.values(SOURCES).join("\n");

  test("are all in the catalogues", () => {
    const used = [...all.matchAll(/\bt\(\s*"([\w.]+)"/g), ...all.matchAll(/\btitle: "([a-z]+\.[\w.]+)"/g)];
    const missing = used.map(([, key = ""]) => key).filter((key) => !KEYS.includes(key));
    expect(missing).toEqual([]);
  });

  test("are all used", () => {
    // Keys that are put together: `${group}.${name}`, where the source holds the group and a placeholder.
    const groups = [...all.matchAll(/`([\w.]+\.)\$\{/g)].map(([, group = ""]) => group);
    const named = ["pose.", "unit.", "estimated."];
    const unused = KEYS.filter(
      (key) => !all.includes(`"${key}"`) && ![...groups, ...named].some((group) => key.startsWith(group)),
    );
    expect(unused).toEqual([]);
  });
});
