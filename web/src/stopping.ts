/** Stop: what it ends in this page and in every other, whether it was heard, and what is said about it. */

import { effect, signal } from "@preact/signals";
import { isOld } from "./age";
import { otherStates } from "./arms";
import { t } from "./i18n";
import { Flag, flags, followSlow } from "./live";
import { selectedArm } from "./project";
import type { Stopped, Welcome } from "./protocol.gen";
import { say, unsay } from "./toasts";
import { send } from "./wire";

const ANSWER_MS = 500;
const MOVES = Flag.moving | Flag.jogging | Flag.playing;

/** Counts what has ended every press and drag, here or in another page: whoever holds something lets go of it. */
export const halted = signal(0);
/** Why the last Stop may not have been heard; null where it was. */
export const unheard = signal<string | null>(null);

/** How many stops the session has had, as far as this page has heard. */
let stops = 0;
/** The same when the press began that is held now: what it sends says so. */
let begun = 0;
/** The pointers that are down: what they drag was begun when the first of them came down. */
const pointers = new Set<number>();
let answer: ReturnType<typeof setTimeout> | undefined;
/** Whether the motion that is seen has been told to stop already. */
let isStopping = false;

/** Return how many stops had been heard of when the press that is held now began. */
export function stopsAtPress(): { stops: number } {
  return { stops: begun };
}

/** A key, a pointer or a stick begins to hold something. */
export function beginPress(): void {
  if (pointers.size === 0) begun = stops;
}

/** Tell the session to stop everything, and this page to let go; where nobody hears it, say so at once. */
export function halt(): void {
  isStopping = true;
  halted.value += 1;
  const isSent = send({ type: "stop" });
  clearTimeout(answer);
  if (!isSent) complain(t("stop.unsent"));
  else if (isOld.peek()) complain(t("stop.unheard"));
  else answer = setTimeout(() => complain(t("stop.unheard")), ANSWER_MS);
}

function complain(text: string): void {
  unheard.value = text;
  say("error", text, { key: "stop" });
}

/** Return what tells whether nobody has stopped since: a motion that was asked for before a Stop does not start. */
export function untilHalted(): () => boolean {
  const before = halted.peek();
  return () => halted.peek() === before;
}

/** The session says that somebody has stopped it. */
export function hearStop({ stops: count, by, arm }: Stopped): void {
  stops = count;
  if (by === "this_page") {
    clearTimeout(answer);
    unheard.value = null;
    unsay("stop");
    return;
  }
  if (arm === null || arm === selectedArm.peek()) halted.value += 1; // what is held here is of that arm
  say("warn", arm === null ? t("stop.byOther") : t("stop.armByOther", { arm }), { key: "stopped" });
}

/** The page has joined a session. */
export function hearWelcome(welcome: Welcome): void {
  stops = welcome.stops;
  beginPress();
  unheard.value = null;
}

/** Tell whether an arm moves, or may do so unseen. */
function mayMove(): boolean {
  if (isOld.peek() || (flags.peek() & MOVES) !== 0) return true;
  return [...otherStates().values()].some((other) => (other.flags & MOVES) !== 0);
}

/** Tell whether Escape, pressed now, is for the arm before anything else: it moves, and was not told to stop. */
export function stopsFirst(): boolean {
  return mayMove() && !isStopping;
}

/** Listen to what begins a press, and to Escape before anybody else does: it stops first, and closes second. */
export function startStopping(): void {
  const first = { capture: true };
  let isTaken = false;
  addEventListener(
    "pointerdown",
    (event) => {
      if (event.isPrimary && event.pointerType !== "mouse") pointers.clear(); // no other finger is down
      pointers.delete(event.pointerId);
      beginPress();
      pointers.add(event.pointerId);
    },
    first,
  );
  for (const end of ["pointerup", "pointercancel"] as const)
    addEventListener(end, ({ pointerId }) => pointers.delete(pointerId), first);
  addEventListener("blur", () => pointers.clear());
  addEventListener("click", ({ detail }) => detail === 0 && beginPress(), first); // that of a screen reader
  addEventListener(
    "keydown",
    (event) => {
      if (!event.repeat) beginPress();
      if (event.key !== "Escape") return;
      if (!event.repeat) {
        isTaken = stopsFirst();
        if (isTaken || mayMove()) halt();
      }
      if (!isTaken) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    first,
  );
  effect(() => {
    followSlow();
    if (flags.value >= 0 && !isOld.value && !mayMove()) isStopping = false;
  });
}
