/** Recording, and its files: CSV, MCAP, Parquet. Without a recording the files hold the last minute. */

import { effect, signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { play, record } from "../../acts";
import { asFailure, ask, type Failure } from "../../api";
import { sheet } from "../../catalog";
import { number, t, unit } from "../../i18n";
import { inWords } from "../../i18n/phrasebook";
import { flags, Flag, followSlow, is, live } from "../../live";
import { FailureNote } from "../../parts/failure";
import { placeBubble } from "../../parts/help";
import { Icon } from "../../parts/icon";
import { session } from "../../session";

const KINDS = ["csv", "mcap", "parquet"] as const;
type Kind = (typeof KINDS)[number];

/** When the recording began (s of the session), and how long the last one was. */
const begun = signal<number | null>(null);
const length = signal<number | null>(null);
const busy = signal<Kind | null>(null);
const failure = signal<{ readonly kind: Kind; readonly why: Failure } | null>(null);

let wasRecording = (flags.peek() & Flag.recording) !== 0;
effect(() => {
  const isRecording = (flags.value & Flag.recording) !== 0;
  if (isRecording === wasRecording) return;
  wasRecording = isRecording;
  if (!isRecording && begun.peek() !== null) length.value = live.time - (begun.peek() ?? 0);
  begun.value = isRecording ? live.time : null;
});

export function RecordSwitch() {
  const isRecording = is("recording");
  return (
    <button
      type="button"
      class="record-button icon-button"
      aria-pressed={isRecording}
      aria-label={t("record.label")}
      title={t(isRecording ? "record.stop" : "record.start")}
      onClick={() => record(!isRecording)}
    >
      <Icon name="record" />
    </button>
  );
}

/** Play what was recorded again; the player bar shows it. */
export function Replay() {
  followSlow();
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={t("plots.replay")}
      title={t("plots.replay")}
      disabled={is("recording") || length.value === null}
      onClick={() => play("recording", false)}
    >
      <Icon name="play" />
    </button>
  );
}

export function Files() {
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  return (
    <>
      <button
        ref={button}
        type="button"
        class="icon-button"
        aria-label={t("plots.download")}
        title={t("plots.download")}
        popovertarget="plots-files"
      >
        <Icon name="download" />
      </button>
      <div
        ref={menu}
        id="plots-files"
        class="menu plots-menu"
        popover="auto"
        onToggle={(event) => {
          if (event.newState === "open" && button.current !== null)
            placeBubble(event.currentTarget, button.current);
        }}
      >
        <p class="hint">
          <What />
        </p>
        {KINDS.map((kind) => (
          <button
            key={kind}
            type="button"
            disabled={busy.value !== null}
            onClick={() => {
              menu.current?.hidePopover();
              void download(kind);
            }}
          >
            <Icon name="download" />
            <span>
              {t(`plots.file.${kind}`)}
              <span class="hint">{t(`plots.fileHint.${kind}`)}</span>
            </span>
          </button>
        ))}
      </div>
    </>
  );
}

/** What the files will hold. */
function What() {
  if (is("recording")) return <Running />;
  const seconds = length.value;
  if (seconds === null) return <>{t("plots.lastMinute")}</>;
  return <>{t("plots.recorded", { time: `${number(seconds, 1)} ${unit("s")}` })}</>;
}

function Running() {
  followSlow();
  const from = begun.value;
  if (from === null) return <>{t("plots.recording")}</>;
  return <>{t("plots.recordingFor", { time: `${number(Math.max(live.time - from, 0), 1)} ${unit("s")}` })}</>;
}

/** One line about recording and files, where there is something to say. */
export function RecordingNote() {
  const failed = failure.value;
  if (failed !== null) {
    if (failed.why.code === "network")
      return <FailureNote failure={failed.why} onRetry={() => void download(failed.kind)} />;
    return (
      <p class="problem" role="alert">
        {t("plots.noFile", { message: inWords(failed.why.message) })}
      </p>
    );
  }
  if (!is("recording") && length.value === null) return null;
  return (
    <p class="hint plots-note" data-recording={is("recording")}>
      <What />
    </p>
  );
}

async function download(kind: Kind): Promise<void> {
  busy.value = kind;
  failure.value = null;
  try {
    const answer = await ask(`api/sessions/${encodeURIComponent(session.peek())}/recording.${kind}`);
    save(await answer.blob(), `${sheet.peek()?.name ?? "armlab"}.${kind}`);
  } catch (reason) {
    failure.value = { kind, why: asFailure(reason) };
  } finally {
    busy.value = null;
  }
}

function save(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
