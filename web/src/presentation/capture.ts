/** Pictures and films of the view, as files. */

import { signal } from "@preact/signals";
import { t } from "../i18n";
import { say } from "../toasts";
import { view } from "../viewer/view";

/** The first of these that the browser can write is taken. */
const FILMS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"] as const;
const FRAMES_PER_SECOND = 30;
/** ms: what stands still is drawn this often, and a film ends by itself after five minutes. */
const STILL_MS = 100;
const LONGEST_MS = 300_000;
const KEPT_MS = 10_000;

/** When the film began, in ms as Date counts them; null while none is made. */
export const filmedSince = signal<number | null>(null);
let recorder: MediaRecorder | null = null;

/** Return the kind of film that this browser can make of a canvas; null where it cannot. */
export function filmKind(): string | null {
  const canRecord = typeof MediaRecorder !== "undefined" && "captureStream" in HTMLCanvasElement.prototype;
  return canRecord ? (FILMS.find((kind) => MediaRecorder.isTypeSupported(kind)) ?? null) : null;
}

export async function savePicture(name: string): Promise<void> {
  const picture = await view.peek()?.showing.picture();
  if (picture === undefined) return;
  offer(picture, `${name}.png`);
  say("good", t("present.pictureSaved", { name: `${name}.png` }), { key: "present/picture" });
}

/** Film the view until `stopFilm`, then offer the file. */
export function startFilm(name: string): void {
  const kind = filmKind();
  const canvas = document.querySelector<HTMLCanvasElement>(".view canvas");
  const showing = view.peek()?.showing;
  if (kind === null || canvas === null || showing === undefined || recorder !== null) return;
  const parts: Blob[] = [];
  const made = new MediaRecorder(canvas.captureStream(FRAMES_PER_SECOND), { mimeType: kind });
  const beat = setInterval(() => showing.draw(), STILL_MS);
  const end = setTimeout(stopFilm, LONGEST_MS);
  made.ondataavailable = ({ data }) => {
    if (data.size > 0) parts.push(data);
  };
  made.onstop = () => {
    clearInterval(beat);
    clearTimeout(end);
    for (const track of made.stream.getTracks()) track.stop();
    if (recorder === made) recorder = null; // it ended by itself
    showing.isFilmed = false;
    filmedSince.value = null;
    const file = `${name}.${kind.startsWith("video/mp4") ? "mp4" : "webm"}`;
    offer(new Blob(parts, { type: kind }), file);
    say("good", t("present.filmSaved", { name: file }), { key: "present/film" });
  };
  showing.isFilmed = true;
  recorder = made;
  filmedSince.value = Date.now();
  made.start(1000);
}

export function stopFilm(): void {
  recorder?.stop();
  recorder = null;
}

/** Let the browser save a file. */
function offer(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}
