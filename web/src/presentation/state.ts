/** Presentation mode: the view alone, as large as the screen, with tools for showing it. P enters and leaves, Esc leaves. */

import { signal } from "@preact/signals";
import { halt, stopsFirst } from "../stopping";
import { isTyping } from "../typing";

export const isPresenting = signal(false);
/** What an address has behind its # that opens a whole situation. */
export const SITUATION = "open=";

let before: Element | null = null;

export function enter(): void {
  if (isPresenting.peek()) return;
  before = document.activeElement;
  isPresenting.value = true;
  document.querySelector<HTMLElement>(".view canvas")?.focus();
  if (document.fullscreenEnabled)
    void document.documentElement.requestFullscreen().then(leaveScreen, () => undefined);
}

export function leave(): void {
  if (!isPresenting.peek()) return;
  isPresenting.value = false;
  leaveScreen();
  setTimeout(giveFocusBack); // the button that led here is drawn again first
}

/** Give the screen back, unless somebody presents: whoever left at once was quicker than the browser. */
function leaveScreen(): void {
  if (isPresenting.peek() || document.fullscreenElement === null) return;
  void document.exitFullscreen().catch(() => undefined);
}

function giveFocusBack(): void {
  const place = before?.isConnected === true ? before : document.querySelector(".view-present");
  if (place instanceof HTMLElement) place.focus();
  before = null;
}

export function startPresentation(): void {
  addEventListener("keydown", (event) => {
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey);
    if (event.key === "Escape" && isPresenting.peek() && !isSomethingOpen()) {
      event.preventDefault(); // while something moves, Esc has stopped it before
      leave();
    } else if (
      event.code === "KeyP" &&
      isPlain &&
      !event.repeat &&
      !isTyping(event.target) &&
      !isSomethingOpen()
    ) {
      if (isPresenting.peek()) leave();
      else enter();
    }
  });
  document.addEventListener("fullscreenchange", () => {
    // The browser keeps Esc for itself there; it stops first, and leaves second.
    if (document.fullscreenElement !== null || !isPresenting.peek()) return;
    if (stopsFirst()) halt();
    else leave();
  });
}

/** A dialog or a menu has its own keys. */
function isSomethingOpen(): boolean {
  return document.querySelector("dialog[open], :popover-open") !== null;
}
