/** Programs: written in G-code, KRL or as a scenario, checked while they are typed, run, held and stepped line by line. */

import { useEffect, useRef } from "preact/hooks";
import { pause, play, resume, runToLine, singleStep, stop } from "../../acts";
import { player, sentenceOf, takeFailures } from "../../events";
import { number, t, unit } from "../../i18n";
import { is, live } from "../../live";
import { FailureNote } from "../../parts/failure";
import { Help } from "../../parts/help";
import { Icon, type IconName } from "../../parts/icon";
import { Segments } from "../../parts/segments";
import { project } from "../../project";
import type { ProgramFinding } from "../../protocol.gen";
import { Editor, goTo } from "./editor";
import { showPath } from "./in-view";
import "./programs.css";
import {
  check,
  cursor,
  examples,
  failure,
  follow,
  isChecking,
  isTooLong,
  languageOf,
  LANGUAGES,
  program,
  refusal,
  running,
  settle,
  stepBack,
  write,
} from "./state";

const AT_END_S = 0.02;

export default function ProgramsPanel() {
  useEffect(() => {
    const stops = [
      follow(),
      showPath(),
      ...(["play", "single_step", "resume", "run_to_line"] as const).map((command) =>
        takeFailures(command, ({ code, message }) => (refusal.value = sentenceOf(code, message))),
      ),
    ];
    return () => stops.forEach((end) => end());
  }, []);
  if (project.value === null) return <p class="quiet loading">{t("loading.arm")}</p>;
  return (
    <div class="programs">
      <div class="programs-bar">
        <RunButtons />
        <Choices />
        <Help text={t("programs.help")} about={t("programs.title")} />
      </div>
      {refusal.value !== null && (
        <div class="card" data-kind="error" role="alert">
          <p>{refusal.value}</p>
        </div>
      )}
      {isTooLong.value && (
        <div class="card" data-kind="error" role="alert">
          <p>{t("programs.tooLong")}</p>
        </div>
      )}
      {failure.value !== null && <FailureNote failure={failure.value} />}
      <div class="programs-body">
        <Editor />
        <Findings />
      </div>
    </div>
  );
}

function RunButtons() {
  const isOurs = player.value?.what === "program";
  const isPlaying = isOurs && is("playing");
  const isHeld = isOurs && !isPlaying && running.value > 0 && !isAtEnd();
  const isEmpty = program.value.text.trim() === "";
  return (
    <div class="programs-run" role="group" aria-label={t("programs.control")}>
      {isPlaying ? (
        <Act icon="hold" label={t("programs.pause")} run={pause} primary />
      ) : (
        <Act
          icon="play"
          label={t(isHeld ? "programs.resume" : "programs.run")}
          run={() => (isHeld ? resume() : void start())}
          disabled={isEmpty}
          primary
        />
      )}
      <Act icon="step" label={t("programs.step")} run={() => void step()} disabled={isPlaying || isEmpty} />
      <Act icon="undo" label={t("programs.back")} run={stepBack} disabled={!isOurs || isPlaying} />
      <Act
        icon="down"
        label={t("programs.toLine")}
        run={() => void toLine()}
        disabled={isPlaying || isEmpty}
      />
      <Act icon="stop" label={t("programs.stop")} run={stop} disabled={!isOurs} />
    </div>
  );
}

interface ActProps {
  readonly icon: IconName;
  readonly label: string;
  readonly run: () => unknown;
  readonly disabled?: boolean;
  readonly primary?: boolean;
}

function Act({ icon, label, run, disabled = false, primary = false }: ActProps) {
  return (
    <button type="button" class={primary ? "primary" : ""} disabled={disabled} onClick={() => run()}>
      <Icon name={icon} />
      {label}
    </button>
  );
}

function isAtEnd(): boolean {
  const held = player.value;
  return held === null || live.playerTime >= held.duration - AT_END_S;
}

/** Put the text into the session, and play it from its beginning. */
async function start(): Promise<boolean> {
  refusal.value = null;
  return (await settle()) === null && play("program");
}

async function step(): Promise<void> {
  if ((player.peek()?.what === "program" && !isAtEnd()) || (await start())) singleStep();
}

async function toLine(): Promise<void> {
  if ((player.peek()?.what === "program" && !isAtEnd()) || (await start())) runToLine(cursor.peek());
}

function Choices() {
  const file = useRef<HTMLInputElement>(null);
  const open = async (chosen: File): Promise<void> => {
    write({ language: languageOf(chosen.name), text: await chosen.text() });
  };
  return (
    <div class="programs-choices">
      <Segments
        label={t("programs.language")}
        choices={LANGUAGES.map((id) => ({ id, title: t(`programs.language.${id}`) }))}
        chosen={program.value.language}
        onChoose={(language) => write({ ...program.peek(), language })}
      />
      <select
        aria-label={t("programs.examples")}
        value=""
        onChange={(event) => {
          const found = examples.peek()[Number(event.currentTarget.value)];
          event.currentTarget.value = "";
          if (found !== undefined) write({ language: found.language, text: found.text });
        }}
      >
        <option value="">{t("programs.example")}</option>
        {examples.value.map(({ name, language }, i) => (
          <option key={name + language} value={String(i)}>
            {name} · {t(`programs.language.${language}`)}
          </option>
        ))}
      </select>
      <button type="button" onClick={() => file.current?.click()}>
        {t("programs.file")}
      </button>
      <input
        ref={file}
        class="unseen"
        type="file"
        accept=".ngc,.nc,.gcode,.gc,.tap,.txt,.src,.json"
        tabIndex={-1}
        aria-label={t("programs.file")}
        onChange={(event) => {
          const [chosen] = event.currentTarget.files ?? [];
          event.currentTarget.value = "";
          if (chosen !== undefined) void open(chosen);
        }}
      />
    </div>
  );
}

function Findings() {
  const found = check.value;
  return (
    <section class="programs-side" aria-label={t("programs.findings")} aria-busy={isChecking.value}>
      <p class="programs-status" role="status">
        {running.value > 0 && <strong>{t("programs.at", { n: running.value })} · </strong>}
        {isChecking.value
          ? t("programs.checking")
          : found !== null &&
            `${t("programs.motions", { n: found.motions })} · ${number(found.duration, 1)} ${unit("s")} · ${
              found.findings.length === 0
                ? t("programs.clean")
                : t("programs.found", { n: found.findings.length + found.left_out })
            }`}
      </p>
      <ul>
        {(found?.findings ?? []).map((finding, i) => (
          <FindingRow key={i} finding={finding} />
        ))}
      </ul>
    </section>
  );
}

function FindingRow({ finding }: { finding: ProgramFinding }) {
  const { line, severity, message } = finding;
  return (
    <li data-level={severity}>
      <button type="button" disabled={line === null} onClick={() => goTo(line ?? 1)}>
        {line !== null && <strong>{t("programs.line", { n: line })}: </strong>}
        {message}
      </button>
    </li>
  );
}
