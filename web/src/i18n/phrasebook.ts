/**
 * The server speaks English; this book says its sentences in the reader's language. `inWords` is a signal reader: a
 * change of language, or a book that has arrived, redraws the words. A test keeps the books complete.
 */

import { effect, signal } from "@preact/signals";
import { isKey, language, number, t, unit } from "./index";
import type { Language } from "./messages";

/** English patterns with numbered holes ("the point is {0} mm out of reach"), and what they are in a language. */
export type Phrases = Readonly<Record<string, string>>;

const FILES = import.meta.glob<Phrases>("./phrasebook/*.json", { import: "default" });
const MOST_KEPT = 1000;
const DEEPEST = 8;

/** The book of the language that is spoken; null until it has come, and in English. */
const book = signal<Phrasebook | null>(null);

effect(() => void open(language.value));

/** Return a sentence or a name of the server's in the reader's words; what is not in the book stays as it is. */
export function inWords(sentence: string): string {
  return language.value === book.value?.language ? book.value.say(sentence) : sentence;
}

async function open(chosen: Language): Promise<void> {
  const load = FILES[`./phrasebook/${chosen}.json`];
  if (load === undefined || book.peek()?.language === chosen) return;
  const phrases = await load().catch(() => null); // without a book the sentences stay English
  if (phrases !== null && language.peek() === chosen) book.value = new Phrasebook(chosen, phrases);
}

/** One language's book, with the sentences said lately. */
export class Phrasebook {
  readonly language: Language;
  readonly #phrases: Phrases;
  /** Patterns by the word that they begin with, and those that begin with a hole; more fixed text comes first. */
  readonly #byWord = new Map<string, Pattern[]>();
  readonly #open: Pattern[] = [];
  readonly #said = new Map<string, string>();

  constructor(chosen: Language, phrases: Phrases) {
    this.language = chosen;
    this.#phrases = phrases;
    const patterns = Object.entries(phrases).map(([english, said]) => new Pattern(english, said));
    for (const pattern of patterns.toSorted((a, b) => b.size - a.size)) {
      const word = pattern.firstWord;
      if (word === null) this.#open.push(pattern);
      else this.#byWord.set(word, [...(this.#byWord.get(word) ?? []), pattern]);
    }
  }

  /** Return the sentence in this book's language. */
  say(sentence: string): string {
    const known = this.#said.get(sentence);
    if (known !== undefined) return known;
    if (this.#said.size >= MOST_KEPT) this.#said.clear();
    const said = this.#translated(sentence, 0);
    this.#said.set(sentence, said);
    return said;
  }

  #translated(text: string, depth: number): string {
    if (depth > DEEPEST || text.trim() === "") return text;
    return (
      this.#phrases[text] ??
      this.#measured(text) ??
      branchPhrase(text) ??
      pageWord(text) ??
      this.#matched(text, "strict", depth) ??
      this.#matched(text, "ended", depth) ??
      this.#joined(text, depth) ??
      this.#matched(text, "loose", depth) ??
      text
    );
  }

  /** Return a sentence by the pattern that it has, with its holes filled. */
  #matched(text: string, manner: Manner, depth: number): string | null {
    const word = /^[^\s]+/.exec(text)?.[0] ?? "";
    for (const patterns of [this.#byWord.get(word) ?? [], this.#open])
      for (const pattern of patterns) {
        const holes = pattern.holesOf(text, manner);
        if (holes === null) continue;
        return pattern.filled(holes, (content, isName) =>
          isName ? (branchPhrase(content) ?? content) : this.#translated(content, depth + 1),
        );
      }
    return null;
  }

  /** Sentences are put together as "where: what" and "one; another". */
  #joined(text: string, depth: number): string | null {
    for (const glue of [": ", "; "]) {
      const at = text.indexOf(glue);
      if (at <= 0) continue;
      const parts = [text.slice(0, at), text.slice(at + glue.length)];
      return parts.map((part) => this.#translated(part, depth + 1)).join(glue);
    }
    return null;
  }

  /** Return numbers and units as the reader writes them; null where the text is something else. */
  #measured(text: string): string | null {
    const alone = UNIT.exec(text);
    if (alone !== null) return this.#unit(text);
    if (!MEASURES.test(text)) return null;
    const mark = number(0.5, 1).charAt(1);
    return text
      .replace(
        NAMED,
        (_, digits: string, gap: string, name: string) => digits + gapOf(gap, name) + this.#unit(name),
      )
      .replace(/, /g, "; ")
      .replace(/(\d)\.(?=\d)/g, `$1${mark}`)
      .replace(/(^|[^\de])-(?=\d)/g, "$1\u2212");
  }

  /** Return a unit, also one per second: °/s². */
  #unit(name: string): string {
    const [, of = "", per = "", power = ""] = UNIT.exec(name) ?? [];
    const word = this.#phrases[of] ?? unit(of);
    return per === "" ? word : `${word}/${unit("s")}${power}`;
  }
}

const OF = "mm|°|rad|N m|kg|N|m|s|%";
const UNIT = new RegExp(`^(${OF})(/s([²³]?))?$`);
const DIGITS = "[-+±]?\\d+(?:\\.\\d+)?(?:e[-+]?\\d+)?";
const MEASURE = `${DIGITS}(?: ?(?:${OF})(?:/s[²³]?)?)?`;
const MEASURES = new RegExp(`^[([]?${MEASURE}(?:(?:, |…| × )${MEASURE})*[)\\]]?$`);
const NAMED = new RegExp(`(${DIGITS})( ?)((?:${OF})(?:/s[²³]?)?)`, "g");

/** Between a number and a unit is a space, except before a degree sign. */
function gapOf(gap: string, name: string): string {
  return name.startsWith("°") ? gap : " ";
}

/** Return a branch ("shoulder front, elbow up") in the reader's words; null where the text is none. */
function branchPhrase(text: string): string | null {
  const keys = text.split(", ").map((part) => `kinematics.branch.${part.replace(" ", "-")}`);
  return keys.every(isKey) && text !== "none" ? keys.map((key) => t(key)).join(", ") : null;
}

/** Return a kind of body, or the name of a scheme, in the reader's words, inside a sentence. */
function pageWord(text: string): string | null {
  const [kind, scheme] = [`scene.kind.${text}`, `planner.scheme.${text}`];
  if (isKey(kind)) return t(kind).toLowerCase();
  return isKey(scheme) ? `«${t(scheme)}»` : null;
}

/** What holes may hold: no whole sentences; one at the end; any. */
type Manner = "strict" | "ended" | "loose";
const STRICT_HOLE = "((?:(?!: |; ).)*?)";
const LOOSE_HOLE = "(.*?)";
/** A pattern with less fixed text than this does not take the rest of a sentence as its own. */
const ENOUGH = 13;

class Pattern {
  /** How much of it is fixed. */
  readonly size: number;
  /** The word that it begins with; null where it begins with a hole, or with a hole in its first word. */
  readonly firstWord: string | null;
  readonly #said: string;
  readonly #fixed: readonly string[];
  readonly #longest: string;
  readonly #made = new Map<Manner, RegExp>();

  constructor(english: string, said: string) {
    this.#said = said;
    this.#fixed = english.split(/\{\d+\}/);
    this.size = this.#fixed.join("").length;
    this.#longest = this.#fixed.reduce((a, b) => (b.length > a.length ? b : a), "");
    const first = this.#fixed[0] ?? "";
    const isWhole = this.#fixed.length === 1 || first.includes(" ");
    this.firstWord = isWhole ? (/^[^\s]+/.exec(first)?.[0] ?? null) : null;
  }

  /** Return what stands in the holes, or null where the text has another pattern. */
  holesOf(text: string, manner: Manner): string[] | null {
    if (!text.includes(this.#longest)) return null;
    const found = this.#expression(manner).exec(text);
    return found === null ? null : found.slice(1);
  }

  /** Return the sentence; a hole in quotation marks holds a name. */
  filled(holes: readonly string[], word: (content: string, isName: boolean) => string): string {
    return this.#said.replace(/\{(\d+)\}/g, (_, at: string) => {
      const i = Number(at);
      const isName = this.#fixed[i]?.endsWith("'") === true && this.#fixed[i + 1]?.startsWith("'") === true;
      return word(holes[i] ?? "", isName);
    });
  }

  #expression(manner: Manner): RegExp {
    const known = this.#made.get(manner);
    if (known !== undefined) return known;
    const last = this.#fixed.length - 1;
    const parts = this.#fixed.map((fixed, i) => {
      const text = fixed.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      if (i === last) return text;
      const isEnd = i === last - 1 && this.#fixed[last] === "" && this.size >= ENOUGH;
      return text + (manner === "loose" || (manner === "ended" && isEnd) ? LOOSE_HOLE : STRICT_HOLE);
    });
    const made = new RegExp(`^${parts.join("")}$`, "s");
    this.#made.set(manner, made);
    return made;
  }
}
