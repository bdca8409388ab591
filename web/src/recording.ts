/** The session's recording: whether it runs, how long it is, where its file is; and files to download. */

import { signal } from "@preact/signals";
import { asFailure, ask, type Failure, fetchJson } from "./api";
import { t } from "./i18n";
import { live } from "./live";
import type { RecordingReport, RecordingRow } from "./protocol.gen";
import { say } from "./toasts";

export const KINDS = ["csv", "mcap", "parquet"] as const;
export type FileKind = (typeof KINDS)[number];

/** What the session tells of its recording; null before it has said anything. */
export const recording = signal<RecordingReport | null>(null);
/** The recordings on the disk of the machine that the server runs on; null before they were asked for. */
export const savedRecordings = signal<readonly RecordingRow[] | null>(null);
export const busyWith = signal<FileKind | null>(null);
export const downloadFailure = signal<{ readonly retry: () => void; readonly why: Failure } | null>(null);

/** Return how long the recording is (s), the running one or the last; null where there is none. Reads `live`. */
export function recordedSeconds(): number | null {
  const report = recording.value;
  if (report === null) return null;
  return report.is_running ? Math.max(live.time - (report.started ?? live.time), 0) : report.duration;
}

/** Return seconds as a clock shows them: 0:07, 12:30. */
export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** Take what the session tells; when a recording has ended, say where it is, with its files to download. */
export function hearRecording(report: RecordingReport, session: string): void {
  const wasRunning = recording.peek()?.is_running === true;
  recording.value = report;
  if (report.is_running || !wasRunning || report.duration === null) return;
  const time = clock(report.duration);
  const text =
    report.path === null ? t("record.inMemory", { time }) : t("record.saved", { time, path: report.path });
  const actions = KINDS.map((kind) => ({
    text: t(`plots.file.${kind}`),
    run: () => void download(session, kind, report.name),
  }));
  say("good", text, { key: "recording", actions });
}

/** Ask which recordings there are; where nobody answers, the list stays as it was. */
export async function listRecordings(): Promise<void> {
  try {
    savedRecordings.value = await fetchJson<readonly RecordingRow[]>("api/recordings");
  } catch {
    savedRecordings.value ??= [];
  }
}

/** Download a recording of the list by its name; without one, what the session has in memory. */
export async function download(session: string, kind: FileKind, name: string | null): Promise<void> {
  const stem = name?.replace(/\.mcap$/, "");
  busyWith.value = kind;
  downloadFailure.value = null;
  try {
    const answer = await ask(
      stem === undefined
        ? `api/sessions/${encodeURIComponent(session)}/recording.${kind}`
        : `api/recordings/${encodeURIComponent(stem)}.${kind}`,
    );
    save(await answer.blob(), nameOf(answer) ?? `armlab.${kind}`);
  } catch (reason) {
    downloadFailure.value = { retry: () => void download(session, kind, name), why: asFailure(reason) };
  } finally {
    busyWith.value = null;
  }
}

/** Return the file's name that the server gives an answer. */
function nameOf(answer: Response): string | null {
  return /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? null;
}

/** Let the browser save a file. */
export function save(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
