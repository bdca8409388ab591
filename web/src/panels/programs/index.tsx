/** Programs: written in G-code, KRL or as a scenario, checked while they are typed, run, held and stepped line by line. */

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { pause, play, resume, runToLine, singleStep, stopArm } from "../../acts";
import { isAtEnd, player, sentenceOf, takeFailures } from "../../events";
import { number, t, unit } from "../../i18n";
import { is } from "../../live";
import { FailureNote } from "../../parts/failure";
import { Help } from "../../parts/help";
import { Icon, type IconName } from "../../parts/icon";
import { IconButton } from "../../parts/icon-button";
import { Segments } from "../../parts/segments";
import { project } from "../../project";
import { DIALECTS, type ProgramFinding } from "../../protocol.gen";
import { untilHalted } from "../../stopping";
import { Console } from "./console";
import { Editor, goTo } from "./editor";
import { showPath } from "./in-view";
import "./programs.css";
import { Signals } from "./signals";
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
  waiting,
  write,
} from "./state";
import { Translation } from "./translation";

export default function ProgramsPanel() {
  useEffect(() => {
    const stops = [
      follow(),
      showPath(),
      ...(["play", "single_step", "resume", "run_to_line", "switch_input"] as const).map((command) =>
        takeFailures(command, ({ code, message, line }) => {
          const text = sentenceOf(code, message);
          refusal.value = line === null ? text : `${t("programs.line", { n: line })}: ${text}`;
        }),
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
      <div class="programs-body" data-side={side.value}>
        <Editor />
        <Side />
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
      {(
        [
          ["into", "stepInto"],
          ["over", "stepOver"],
          ["out", "stepOut"],
        ] as const
      ).map(([how, icon]) => (
        <IconButton
          key={how}
          icon={icon}
          label={t(`programs.step.${how}`)}
          disabled={isPlaying || isEmpty}
          onClick={() => void step(how)}
        />
      ))}
      <IconButton
        icon="undo"
        label={t("programs.back")}
        disabled={!isOurs || isPlaying}
        onClick={() => singleStep("back")}
      />
      <IconButton
        icon="toLine"
        label={t("programs.toLine")}
        disabled={isPlaying || isEmpty}
        onClick={() => void toLine()}
      />
      <IconButton icon="stop" label={t("programs.stop")} disabled={!isOurs} onClick={() => stopArm()} />
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

/** Put the text into the session, and play it from its beginning. */
async function start(): Promise<boolean> {
  refusal.value = null;
  const isWanted = untilHalted();
  return (await settle()) === null && isWanted() && play("program");
}

async function step(how: "into" | "over" | "out"): Promise<void> {
  if ((player.peek()?.what === "program" && !isAtEnd()) || (await start())) singleStep(how);
}

async function toLine(): Promise<void> {
  if ((player.peek()?.what === "program" && !isAtEnd()) || (await start())) runToLine(cursor.peek());
}

/** Names of products, which are the same in every language. */
const DIALECT_NAMES: Readonly<Record<(typeof DIALECTS)[number], string>> = {
  linuxcnc: "LinuxCNC",
  grbl: "Grbl",
  marlin: "Marlin",
  reprap: "RepRapFirmware",
  fanuc: "FANUC",
};

/** Which controller's G-code the text is. */
function Dialect() {
  return (
    <select
      aria-label={t("programs.dialect")}
      title={t("programs.dialect")}
      value={program.value.dialect}
      onChange={(event) => {
        const dialect = DIALECTS.find((id) => id === event.currentTarget.value);
        if (dialect !== undefined) write({ ...program.peek(), dialect });
      }}
    >
      {DIALECTS.map((id) => (
        <option key={id} value={id}>
          {DIALECT_NAMES[id]}
        </option>
      ))}
    </select>
  );
}

function Choices() {
  const file = useRef<HTMLInputElement>(null);
  const open = async (chosen: File): Promise<void> => {
    write({ ...program.peek(), language: languageOf(chosen.name), text: await chosen.text(), inputs: {} });
  };
  return (
    <div class="programs-choices">
      <select
        aria-label={t("programs.language")}
        value={program.value.language}
        onChange={(event) => {
          const language = LANGUAGES.find((id) => id === event.currentTarget.value);
          if (language !== undefined) write({ ...program.peek(), language });
        }}
      >
        {LANGUAGES.map((id) => (
          <option key={id} value={id}>
            {t(`programs.language.${id}`)}
          </option>
        ))}
      </select>
      {program.value.language === "gcode" && <Dialect />}
      <select
        aria-label={t("programs.examples")}
        value=""
        onChange={(event) => {
          const found = examples.peek()[Number(event.currentTarget.value)];
          event.currentTarget.value = "";
          if (found !== undefined)
            write({ language: found.language, text: found.text, dialect: "linuxcnc", inputs: {} });
        }}
      >
        <option value="">{t("programs.example")}</option>
        {examples.value.map(({ name, language }, i) => (
          <option key={name + language} value={String(i)}>
            {name} · {t(`programs.language.${language}`)}
          </option>
        ))}
      </select>
      <IconButton icon="open" label={t("programs.file")} onClick={() => file.current?.click()} />
      <input
        ref={file}
        class="unseen"
        type="file"
        accept=".ngc,.nc,.gcode,.gc,.tap,.txt,.src,.py,.json"
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

const SIDES = ["findings", "signals", "console", "translation"] as const;
type SideName = (typeof SIDES)[number];
const side = signal<SideName>("findings");

function Side() {
  const chosen = side.value;
  return (
    <div class="programs-side">
      <Segments
        label={t("programs.side")}
        choices={SIDES.map((id) => ({ id, title: t(`programs.side.${id}`) }))}
        chosen={chosen}
        onChoose={(id) => (side.value = id)}
      />
      {chosen === "findings" && <Findings />}
      {chosen === "signals" && <Signals />}
      {chosen === "console" && <Console />}
      {chosen === "translation" && <Translation />}
    </div>
  );
}

function Findings() {
  const found = check.value;
  return (
    <section class="programs-findings" aria-label={t("programs.findings")} aria-busy={isChecking.value}>
      <p class="programs-status" role="status">
        {running.value > 0 && <strong>{t("programs.at", { n: running.value })} · </strong>}
        {waiting.value !== null && <strong>{waiting.value} · </strong>}
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
