/** Where the person wants it, what is played holds when this page cannot be heard: it sends beats as long as it lives. */

import { signal } from "@preact/signals";
import { recall, remember } from "./memory";
import { tick } from "./live";
import { link, send } from "./wire";

const BEAT_MS = 200;

/** Whether what is played holds when the connection of this page is lost. */
export const isWatching = signal(recall("panel.player.watch") === "on");

let sentAt = -Infinity;

export function chooseWatching(on: boolean): void {
  isWatching.value = on;
  remember("panel.player.watch", on ? "on" : "off");
  sentAt = -Infinity;
  if (on) beat();
  else send({ type: "watch", on: false });
}

/** Send beats from now on: with a timer, and with states, as a page that is hidden has slow timers. */
export function startWatching(): void {
  setInterval(beat, BEAT_MS);
  tick.subscribe(beat);
}

function beat(): void {
  if (!isWatching.peek() || link.peek() !== "open") return;
  const now = performance.now();
  if (now - sentAt < BEAT_MS) return;
  sentAt = now;
  send({ type: "watch", on: true });
}
