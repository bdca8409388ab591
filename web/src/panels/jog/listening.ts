/** Keys and gamepad, and everything that must let go of the arm. */

import { signal } from "@preact/signals";
import { isTyping } from "../../typing";
import type { Caps } from "./keymap";
import { moveOf } from "./keymap";
import { axes, holder, isSlow, stepAxis } from "./moving";
import { mode, step } from "./state";
import { isHeld, jointShares, type Pad, toolShares } from "./sticks";

interface KeyboardMap {
  readonly keyboard?: { getLayoutMap(): Promise<Caps> };
}

/** What is printed on the keys, where the browser tells. */
export const caps = signal<Caps>(new Map());
/** What the gamepad does: there is none, its dead-man button is free, or it moves the arm. */
export const padState = signal<"none" | "free" | "held">("none");

/** Listen to keys, wherever the focus is but in fields that take letters; call the result to stop. */
export function startKeyboard(): () => void {
  const over = new AbortController();
  const on = { signal: over.signal };
  void (navigator as KeyboardMap).keyboard?.getLayoutMap().then(
    (map) => (caps.value = map),
    () => undefined,
  );
  addEventListener("keydown", press, on);
  addEventListener("keyup", lift, on);
  addEventListener("blur", letGo, on);
  document.addEventListener("visibilitychange", letGo, on);
  document.addEventListener("focusout", loseFocus, on);
  addEventListener("pointerdown", elsewhere, { ...on, capture: true });
  return () => {
    over.abort();
    letGo();
  };
}

function press(event: KeyboardEvent): void {
  if (event.key === "Shift") isSlow.value = true;
  if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Escape") {
    letGo();
    return;
  }
  if (event.defaultPrevented || !isOurs(event.target)) return;
  const move = moveOf(event.code, axes());
  if (move === null) return;
  event.preventDefault();
  if (event.repeat) return;
  isSlow.value = event.shiftKey;
  if (isStepping()) stepAxis(move.axis, move.sign);
  else holder.hold(event.code, move.axis, move.sign);
}

function lift(event: KeyboardEvent): void {
  if (event.key === "Shift") isSlow.value = false;
  holder.release(event.code);
}

/** Steps are for the buttons; a slider is held. */
function isStepping(): boolean {
  return step.peek() !== "hold" && mode.peek() !== "sliders";
}

function letGo(): void {
  isSlow.value = false;
  holder.releaseAll();
}

function loseFocus({ relatedTarget }: FocusEvent): void {
  if (relatedTarget !== null && !isOurs(relatedTarget)) letGo();
}

/** A second finger somewhere else, on the stop button say, ends it. */
function elsewhere({ target }: PointerEvent): void {
  if (!(target instanceof Element && target.closest("[data-hold]") !== null)) holder.releaseAll();
}

/** A letter that is typed is not the arm's; nor is one in a dialog. */
function isOurs(target: EventTarget | null): boolean {
  return target instanceof Element && !isTyping(target) && target.closest("dialog, [popover]") === null;
}

/** Read the gamepad with every picture, as long as there is one; call the result to stop. */
export function startGamepad(): () => void {
  const over = new AbortController();
  const on = { signal: over.signal };
  let asked = 0;
  let mustLetGo = true; // a button that was held before does not count
  let index = -1;
  const look = (): void => {
    const pad = padNow();
    if (pad === null) {
      asked = 0;
      padState.value = "none";
      holder.stick(null);
      return;
    }
    const isPressed = isHeld(pad);
    mustLetGo = isPressed && (mustLetGo || pad.index !== index || !document.hasFocus());
    index = pad.index;
    const isActive = isPressed && !mustLetGo;
    const shares = mode.peek() === "tool" ? toolShares(pad) : jointShares(pad, axes());
    padState.value = holder.stick(isActive ? shares : null) ? "held" : "free";
    asked = requestAnimationFrame(look);
  };
  const start = (): void => {
    if (asked === 0) look();
  };
  const bar = (): void => {
    mustLetGo = true;
    holder.stick(null);
  };
  addEventListener("gamepadconnected", start, on);
  addEventListener("gamepaddisconnected", bar, on);
  addEventListener("blur", bar, on);
  document.addEventListener("visibilitychange", bar, on);
  start();
  return () => {
    over.abort();
    cancelAnimationFrame(asked);
    padState.value = "none";
    holder.stick(null);
  };
}

/** Return the first gamepad whose buttons are where we expect them: others might have anything there. */
function padNow(): (Pad & { readonly index: number }) | null {
  if (!("getGamepads" in navigator)) return null;
  const isOurs = (pad: Gamepad | null): boolean => pad?.connected === true && pad.mapping === "standard";
  return navigator.getGamepads().find(isOurs) ?? null;
}
