/** The words of each language with a line of help, asked for once per language of the page. */

import { signal } from "@preact/signals";
import { fetchJson } from "../../api";
import { onLanguage } from "../../i18n";
import type { ProgramWord } from "../../protocol.gen";
import type { ProgramLanguage } from "./state";

const known = signal<Readonly<Partial<Record<ProgramLanguage, readonly ProgramWord[]>>>>({});
const asked = new Set<ProgramLanguage>();
onLanguage(() => {
  asked.clear();
  known.value = {};
});

/** Return the words of a language; none until they have come, and for JSON. */
export function wordsOf(language: ProgramLanguage): readonly ProgramWord[] {
  const found = known.value[language];
  if (found !== undefined || language === "scenario") return found ?? [];
  if (!asked.has(language)) {
    asked.add(language);
    void fetchJson<readonly ProgramWord[]>(`api/program-words?language=${language}`).then(
      (words) => (known.value = { ...known.peek(), [language]: words }),
      () => asked.delete(language), // help is missed, nothing else
    );
  }
  return [];
}
