/** The page's words in the reader's language; `t` is a signal reader, so a change of language redraws the words. */

import { effect, signal, untracked } from "@preact/signals";
import { recall, remember } from "../memory";
import {
  type Catalogue,
  formatNumber,
  type Key,
  type Language,
  LANGUAGES,
  merged,
  phrase,
  type Values,
} from "./messages";

/** Each panel has files of its own, `<panel>.<language>.json`, with keys that begin with the panel's name. */
export const CATALOGUES = merged(import.meta.glob<Catalogue>("./*.json", { import: "default", eager: true }));
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: "English",
  ru: "Русский",
  uk: "Українська",
};

export const language = signal<Language>("en");

/** Take up the language that the reader chose last, or else the first one of the browser's that we speak. */
export function startLanguage(): void {
  const wanted = [recall("language") ?? "", ...navigator.languages.map((tag) => tag.slice(0, 2))];
  applyLanguage(wanted.find(isLanguage) ?? "en");
}

/** Speak `chosen` from now on, also after a reload. */
export function chooseLanguage(chosen: Language): void {
  remember("language", chosen);
  applyLanguage(chosen);
}

/** Call `refresh` when another language is chosen: for what the server has said in the old one. */
export function onLanguage(refresh: () => void): void {
  let before = language.peek();
  effect(() => {
    const now = language.value;
    if (now === before) return;
    before = now;
    untracked(refresh);
  });
}

/** Return the sentence of `key` in the reader's language; a key that is not there shows itself. */
export function t(key: Key, values: Values = {}): string {
  return phrase(language.value, CATALOGUES[language.value][key] ?? key, values);
}

/** Tell whether there is a sentence for `key`. */
export function isKey(key: string): boolean {
  return key in CATALOGUES.en;
}

/** Return the word for a name that the server sends, or the name itself where we have no word for it. */
export function word(group: "pose" | "estimated" | "unit", name: string): string {
  const key = `${group}.${name}`;
  return isKey(key) ? t(key) : name;
}

/** Return what a link is called: "Link 1" and "Base" by their plain names; names of the maker's own stay. */
export function linkTitle(name: string): string {
  const number = /^link_(\d+)$/.exec(name)?.[1];
  if (number !== undefined) return t("link.numbered", { n: number });
  return name === "base" ? t("link.base") : name;
}

/** Return the note of a step in the reader's words, if it is one of the scenarios that come with armlab. */
export function stepNote(note: string): string {
  const key = `scenario.stepNote.${note}`;
  return isKey(key) ? t(key) : note;
}

/** Return a message of the server as a sentence that stands alone: it begins with a capital. */
export function sentence(message: string): string {
  return message.charAt(0).toLocaleUpperCase(language.value) + message.slice(1);
}

/** Return the title of a scene or scenario that comes with armlab, in the reader's language. */
export function builtinTitle(group: "scene" | "scenario", name: string, title: string): string {
  const key = group === "scene" ? `scene.builtin.${name}` : `scenario.builtin.${name}`;
  return isKey(key) ? t(key) : title;
}

/** Return what is said about a scenario that comes with armlab. */
export function builtinNotes(name: string, notes: string): string {
  const key = `scenario.builtinNotes.${name}`;
  return isKey(key) ? t(key) : notes;
}

/** Return a unit as the reader writes it. */
export function unit(name: string): string {
  return word("unit", name);
}

/** Return `value` as the reader writes it, with exactly `digits` decimals. */
export function number(value: number, digits: number): string {
  return formatNumber(language.value, value, digits);
}

/** Return `value` as the reader writes it, with at most `digits` decimals. */
export function shortNumber(value: number, digits: number): string {
  const whole = Number.isInteger(Number(value.toFixed(digits)));
  return number(value, whole ? 0 : digits);
}

/** Return a number with its unit: "5 mm", but "5°". */
export function measure(value: number, digits: number, name: string): string {
  return withUnit(number(value, digits), name);
}

/** Return a text with a unit behind it, with a space unless the unit is a degree. */
export function withUnit(text: string, name: string): string {
  return `${text}${spaceBefore(name)}${unit(name)}`;
}

/** Return what stands between a number and its unit. */
export function spaceBefore(name: string): string {
  return name.startsWith("°") || name === "" ? "" : " ";
}

/** Return a list of things as the reader writes it: a, b and c. */
export function listed(things: readonly string[]): string {
  return new Intl.ListFormat(language.value, { type: "conjunction" }).format(things);
}

export function isLanguage(tag: string): tag is Language {
  return LANGUAGES.some((known) => known === tag);
}

function applyLanguage(chosen: Language): void {
  language.value = chosen;
  document.documentElement.lang = chosen;
}
