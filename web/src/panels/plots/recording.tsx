/** Recording, and its files: CSV, MCAP, Parquet. Without a recording the files hold the last minute. */

import { useRef } from "preact/hooks";
import { play, record } from "../../acts";
import { language, number, sentence, t, unit } from "../../i18n";
import { followSlow, is } from "../../live";
import { FailureNote } from "../../parts/failure";
import { placeBubble } from "../../parts/help";
import { Icon } from "../../parts/icon";
import type { RecordingRow } from "../../protocol.gen";
import {
  busyWith,
  clock,
  download,
  downloadFailure,
  KINDS,
  listRecordings,
  recordedSeconds,
  recording,
  savedRecordings,
} from "../../recording";
import { session } from "../../session";

const BYTES_PER_MB = 1e6;

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
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={t("plots.replay")}
      title={t("plots.replay")}
      disabled={recording.value?.is_running !== false || recording.value.duration === null}
      onClick={() => play("recording", false)}
    >
      <Icon name="play" />
    </button>
  );
}

export function Files() {
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const place = (): void => {
    if (button.current !== null && menu.current !== null) placeBubble(menu.current, button.current);
  };
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
          if (event.newState !== "open") return;
          place();
          void listRecordings().then(() => requestAnimationFrame(place)); // the list makes it taller
        }}
      >
        <p class="hint">
          <What />
        </p>
        {KINDS.map((kind) => (
          <button
            key={kind}
            type="button"
            disabled={busyWith.value !== null}
            onClick={() => {
              menu.current?.hidePopover();
              void download(session.peek(), kind, recording.peek()?.name ?? null);
            }}
          >
            <Icon name="download" />
            <span>
              {t(`plots.file.${kind}`)}
              <span class="hint">{t(`plots.fileHint.${kind}`)}</span>
            </span>
          </button>
        ))}
        <Earlier />
      </div>
    </>
  );
}

/** The recordings on the disk, also those of a server that was killed. */
function Earlier() {
  const rows = (savedRecordings.value ?? []).filter(({ name }) => name !== recording.value?.name);
  if (rows.length === 0) return null;
  return (
    <section class="plots-saved" aria-label={t("plots.saved")}>
      <h3>{t("plots.saved")}</h3>
      <ul>
        {rows.map((row) => (
          <li key={row.name}>
            <span title={row.name}>
              {titleOf(row)}
              <span class="hint">{factsOf(row)}</span>
            </span>
            {KINDS.map((kind) => (
              <button
                key={kind}
                type="button"
                disabled={busyWith.value !== null}
                aria-label={t("plots.savedFile", { kind: t(`plots.file.${kind}`), name: row.name })}
                onClick={() => void download(session.peek(), kind, row.name)}
              >
                {t(`plots.file.${kind}`)}
              </button>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

function titleOf(row: RecordingRow): string {
  const format = new Intl.DateTimeFormat(language.value, { dateStyle: "medium", timeStyle: "short" });
  return format.format(new Date(row.started));
}

function factsOf(row: RecordingRow): string {
  const length = row.duration === null ? t("plots.recording") : clock(row.duration);
  return `${row.robot} · ${length} · ${number(row.size / BYTES_PER_MB, 1)} ${unit("MB")}`;
}

/** What the files will hold. */
function What() {
  followSlow();
  const seconds = recordedSeconds();
  if (seconds === null) return <>{t("plots.lastMinute")}</>;
  const time = `${number(seconds, 1)} ${unit("s")}`;
  return <>{t(recording.value?.is_running === true ? "plots.recordingFor" : "plots.recorded", { time })}</>;
}

/** One line about recording and files, where there is something to say. */
export function RecordingNote() {
  const failed = downloadFailure.value;
  if (failed !== null) {
    if (failed.why.code === "network") return <FailureNote failure={failed.why} onRetry={failed.retry} />;
    return (
      <p class="problem" role="alert">
        {t("plots.noFile", { message: sentence(failed.why.message) })}
      </p>
    );
  }
  const report = recording.value;
  if (report === null || (!report.is_running && report.duration === null)) return null;
  return (
    <p class="hint plots-note" data-recording={report.is_running}>
      <What />
      {report.path !== null && <span class="plots-path"> {report.path}</span>}
    </p>
  );
}
