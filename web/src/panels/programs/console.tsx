/** The console: statements one by one; the arm follows, and what happened stands below. */

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { enterLine } from "../../acts";
import { onConsole } from "../../events";
import { number, t, unit } from "../../i18n";
import type { ConsoleReport } from "../../protocol.gen";
import { program } from "./state";

const MOST_ENTRIES = 200;

interface Entry {
  readonly text: string;
  readonly report: ConsoleReport | null;
}

const entries = signal<readonly Entry[]>([]);
const lines: string[] = [];
const isOpen = signal(false);
onConsole((report) => {
  isOpen.value = report.outcome === "more";
  const waiting = entries.peek().findIndex((entry) => entry.report === null);
  if (waiting >= 0)
    entries.value = entries.peek().with(waiting, { text: entries.peek()[waiting]?.text ?? "", report });
});

export function Console() {
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const at = useRef(0);
  const { language, inputs } = program.value;
  useEffect(() => list.current?.lastElementChild?.scrollIntoView({ block: "nearest" }), [entries.value]);
  if (language === "scenario") return <p class="quiet">{t("programs.console.json")}</p>;
  const enter = (): void => {
    const text = field.current?.value ?? "";
    if (field.current === null || (text.trim() === "" && !isOpen.peek())) return;
    if (!enterLine(language, text, inputs)) return;
    entries.value = [...entries.peek(), { text, report: null }].slice(-MOST_ENTRIES);
    if (text.trim() !== "" && lines.at(-1) !== text) lines.push(text);
    at.current = lines.length;
    field.current.value = "";
  };
  const recall = (by: number): void => {
    at.current = Math.min(Math.max(at.current + by, 0), lines.length);
    if (field.current !== null) field.current.value = lines[at.current] ?? "";
  };
  return (
    <div class="programs-console">
      <ol ref={list} aria-label={t("programs.console.history")} aria-live="polite">
        {entries.value.length === 0 && <li class="quiet">{t("programs.console.empty")}</li>}
        {entries.value.map((entry, i) => (
          <EntryRow key={i} {...entry} />
        ))}
      </ol>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          enter();
        }}
      >
        <span aria-hidden="true">{isOpen.value ? "…" : ">"}</span>
        <input
          ref={field}
          type="text"
          autocomplete="off"
          spellcheck={false}
          aria-label={t("programs.console.line")}
          placeholder={t(`programs.console.hint.${language}`)}
          onKeyDown={(event) => {
            if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
            event.preventDefault();
            recall(event.key === "ArrowUp" ? -1 : 1);
          }}
        />
        <button type="submit">{t("programs.console.enter")}</button>
      </form>
    </div>
  );
}

function EntryRow({ text, report }: Entry) {
  return (
    <li data-outcome={report?.outcome ?? "waiting"}>
      <code>{text}</code>
      {report !== null && (
        <>
          {report.findings.map(({ message, severity }, i) => (
            <p key={i} data-level={severity}>
              {message}
            </p>
          ))}
          {[...report.messages, ...report.notes].map((message, i) => (
            <p key={i}>{message}</p>
          ))}
          {report.values.map(({ name, type, text: value }) => (
            <p key={name}>
              {type} {name} = {value}
            </p>
          ))}
          {report.help.map(({ word, help }) => (
            <p key={word} class="quiet">
              {help}
            </p>
          ))}
          {report.motions > 0 && (
            <p class="quiet">
              {number(report.seconds, 2)} {unit("s")} · X {number(report.end.xyz[0], 1)} Y{" "}
              {number(report.end.xyz[1], 1)} Z {number(report.end.xyz[2], 1)} {unit("mm")}
            </p>
          )}
        </>
      )}
    </li>
  );
}
