/** The place of the text editor, which is loaded when it is first shown; it and the program follow each other. */

import { effect, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n";
import type { TextEditor } from "./codemirror";
import { wordsOf } from "./words";
import { breakpoints, check, cursor, program, running, write } from "./state";

let shown: TextEditor | null = null;

/** Put the cursor at a line. */
export function goTo(line: number): void {
  shown?.goTo(line);
}

export function Editor() {
  const place = useRef<HTMLDivElement>(null);
  const isLoading = useSignal(true);
  useEffect(() => {
    let isOver = false;
    const stops: (() => void)[] = [];
    void import("./codemirror").then(({ TextEditor }) => {
      const parent = place.current;
      if (isOver || parent === null) return;
      const made = new TextEditor({
        parent,
        label: t("programs.editor"),
        text: program.peek().text,
        onChange: (text) => {
          if (text !== program.peek().text) write({ ...program.peek(), text });
        },
        onCursor: (line) => (cursor.value = line),
        onBreakpoints: (lines) => (breakpoints.value = lines),
      });
      shown = made;
      isLoading.value = false;
      stops.push(
        effect(() => made.replace(program.value.text)),
        effect(() => made.speak(program.value.language)),
        effect(() => made.explain(wordsOf(program.value.language))),
        effect(() => made.show(check.value?.findings ?? [])),
        effect(() => made.run(running.value)),
        () => made.destroy(),
      );
    });
    return () => {
      isOver = true;
      shown = null;
      for (const stop of stops) stop();
    };
  }, []);
  return (
    <div class="programs-editor" data-ready={!isLoading.value}>
      {isLoading.value && <p class="quiet">{t("programs.loading")}</p>}
      <div ref={place} class="programs-text" />
    </div>
  );
}
