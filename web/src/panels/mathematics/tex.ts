/** KaTeX, loaded when the first formula is shown. */

import { signal } from "@preact/signals";

type Katex = typeof import("katex").default;

/** Null until it is loaded. */
export const katex = signal<Katex | null>(null);
/** Whether it could not be loaded: formulas are shown as they are written then. */
export const hasFailed = signal(false);
let isAsked = false;

export function loadKatex(): void {
  if (isAsked) return;
  isAsked = true;
  Promise.all([import("katex"), import("katex/dist/katex.min.css")]).then(
    ([{ default: loaded }]) => (katex.value = loaded),
    () => {
      isAsked = false;
      hasFailed.value = true;
    },
  );
}

/** Typeset `tex` in `element`; marks of links become data-link. */
export function typeset(loaded: Katex, tex: string, element: HTMLElement, isDisplay: boolean): void {
  loaded.render(tex, element, {
    displayMode: isDisplay,
    throwOnError: false,
    output: "htmlAndMathml",
    strict: false,
    trust: ({ command }) => command === "\\htmlData",
  });
}

export interface Piece {
  readonly text: string;
  readonly isTex: boolean;
}

/** Return words with formulas between dollars, cut at the dollars; a dollar that is meant itself has a \ before it. */
export function pieces(text: string): Piece[] {
  return text
    .split(/(?<!\\)\$/)
    .map((part, i) => ({ text: i % 2 === 1 ? part : part.replaceAll("\\$", "$"), isTex: i % 2 === 1 }))
    .filter(({ text: part }) => part !== "");
}

/** Return the places of links that a formula's marks name: "2 3" → 2, 3. */
export function placesOf(mark: string): number[] {
  return mark
    .split(" ")
    .filter((text) => text !== "")
    .map(Number)
    .filter((place) => Number.isInteger(place) && place >= 0);
}

/** Return all places that are marked in some LaTeX, each once, in order. */
export function placesIn(tex: string): number[] {
  const marks = [...tex.matchAll(/\\htmlData\{link=([\d ]+)\}/g)];
  return [...new Set(marks.flatMap(([, mark = ""]) => placesOf(mark)))].sort((a, b) => a - b);
}
