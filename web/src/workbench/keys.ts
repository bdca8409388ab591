/** Keys that work everywhere: Escape stops the arm, Ctrl+Z takes back. */

import { stop } from "../acts";
import { redo, undo } from "../project";

export function startKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return;
    if (event.key === "Escape" && !isSomethingOpen()) stop();
    if (!(event.ctrlKey || event.metaKey) || isTyping(event.target)) return;
    const isRedo = event.code === "KeyY" || (event.code === "KeyZ" && event.shiftKey);
    if (isRedo) redo();
    else if (event.code === "KeyZ") undo();
    else return;
    event.preventDefault();
  });
}

/** Escape first closes what is open. */
function isSomethingOpen(): boolean {
  return document.querySelector("dialog[open], :popover-open") !== null;
}

/** A text field has an undo of its own. */
function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && !["range", "radio", "checkbox", "file"].includes(target.type);
}
