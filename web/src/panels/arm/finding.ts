/** Finding arms by what people type, in whichever letters: "кука" is KUKA, and "7 осей" are seven axes. */

import type { RobotRow } from "../../protocol.gen";

/** How letters sound, roughly: enough to tell the makers and types of arms apart. */
const SOUNDS: readonly (readonly [from: string, to: string])[] = [
  ["щшч", "s"],
  ["жзцсz", "s"],
  ["хг", "h"],
  ["ґg", "g"],
  ["йиіїыjiy", "i"],
  ["эеєёe", "e"],
  ["юуu", "u"],
  ["яаa", "a"],
  ["оo", "o"],
  ["бb", "b"],
  ["вvw", "v"],
  ["дd", "d"],
  ["кckq", "k"],
  ["лl", "l"],
  ["мm", "m"],
  ["нn", "n"],
  ["пp", "p"],
  ["рr", "r"],
  ["тt", "t"],
  ["фf", "f"],
  ["ьъ'’", ""],
];
const SOUND_OF = new Map(SOUNDS.flatMap(([from, to]) => Array.from(from, (letter) => [letter, to] as const)));
/** Latin spellings of one sound. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/x/g, "ks"],
  [/ph/g, "f"],
  [/ya/g, "a"],
  [/yu/g, "u"],
  [/sch|sh|ch/g, "s"],
];

/** Return how a text sounds: the same for "скара" and "SCARA"; doubled letters are one. */
export function soundOf(text: string): string {
  const plain = text
    .toLowerCase()
    .normalize("NFD")
    .replace(/(?<=[a-z])\p{M}/gu, "") // "Stäubli" is Staubli; a Cyrillic "й" stays what it is
    .normalize("NFC");
  const spelled = SPELLINGS.reduce((all, [from, to]) => all.replace(from, to), plain);
  const letters = Array.from(spelled, (letter) => SOUND_OF.get(letter) ?? letter).join("");
  return letters.replace(/(\p{L})\1+/gu, "$1");
}

/** Return the rows in which every word of `text` occurs, as written or as it sounds; `about` adds words to a row. */
export function finding(
  rows: readonly RobotRow[],
  text: string,
  about: (row: RobotRow) => string = () => "",
): readonly RobotRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const all = `${row.name} ${row.title} ${row.maker} ${about(row)}`.toLowerCase();
    const sound = soundOf(all);
    return words.every((word) => isWritten(word, all) || isHeard(word, sound));
  });
}

/** A lone digit is a number of its own: "7 axes" are not those of an R700. */
function isWritten(word: string, all: string): boolean {
  return /^\d$/.test(word) ? new RegExp(`(?<!\\d)${word}(?!\\d)`).test(all) : all.includes(word);
}

/** Numbers must be written as they are; of a word, enough must be left to be heard. */
function isHeard(word: string, sound: string): boolean {
  const heard = soundOf(word);
  return /\p{L}/u.test(word) && heard.length > 1 && sound.includes(heard);
}

/** Return the rows by maker, makers in alphabetical order, arms in the order of the list. */
export function byMaker(rows: readonly RobotRow[]): readonly (readonly [string, readonly RobotRow[]])[] {
  const groups = new Map<string, RobotRow[]>();
  for (const row of rows) {
    const group = groups.get(row.maker);
    if (group === undefined) groups.set(row.maker, [row]);
    else group.push(row);
  }
  return [...groups].sort(([one], [other]) => one.localeCompare(other));
}
