/** Keys that work everywhere: Escape stops the arm, Ctrl+Z takes back. While something moves, stopping.ts has Escape first. */

import { stop } from "../acts";
import { redo, undo } from "../project";
import { isTyping } from "../typing";

export function startKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return;
    if (event.key === "Escape" && !isSomethingOpen()) stop();
    if (!(event.ctrlKey || event.metaKey) || isTyping(event.target)) return; // a text field has an undo of its own
    const isRedo = event.code === "KeyY" || (event.code === "KeyZ" && event.shiftKey);
    if (isRedo) redo();
    else if (event.code === "KeyZ") undo();
    else return;
    event.preventDefault();
  });
}

/** Where nothing moves, Escape closes what is open, and a program that is paused there stays paused. */
function isSomethingOpen(): boolean {
  return document.querySelector("dialog[open], :popover-open") !== null;
}
