/** Whether a finger on a slider means the slider: only once it has moved along the track. A browser puts the thumb under
 * a finger at once, also under one that goes on to scroll the page. */

/** px: a finger that has moved no farther may still do either. */
const SLOP = 8;

export type Intent = "undecided" | "slide" | "scroll";

/** Return what a finger means that has moved by (x, y) px since it came down, if it meant `before` until now. */
export function intentAfter(before: Intent, x: number, y: number): Intent {
  if (before !== "undecided" || Math.hypot(x, y) <= SLOP) return before;
  return Math.abs(x) > Math.abs(y) ? "slide" : "scroll";
}

/** Follows the one finger that touches a slider. */
export class TouchIntent {
  #finger: { readonly id: number; readonly x: number; readonly y: number } | null = null;
  #intent: Intent = "undecided";
  #under: number | null = null;

  /** Whether what the slider says now is meant: by a mouse, a key, or a finger that slides. */
  get isMeant(): boolean {
    return this.#finger === null || this.#intent === "slide";
  }

  onDown(event: PointerEvent): void {
    if (event.pointerType !== "touch") return;
    this.#finger = { id: event.pointerId, x: event.clientX, y: event.clientY };
    this.#intent = "undecided";
    this.#under = null;
  }

  /** The slider says `value`; return whether that is meant now. */
  onValue(value: number): boolean {
    this.#under = this.isMeant ? null : value;
    return this.isMeant;
  }

  onMove(event: PointerEvent): void {
    if (this.#finger?.id !== event.pointerId) return;
    this.#intent = intentAfter(this.#intent, event.clientX - this.#finger.x, event.clientY - this.#finger.y);
  }

  /** The finger is lifted: return the value under it if it was meant and not told yet (a tap, a quick swipe), else null. */
  onUp(event: PointerEvent): number | null {
    const isMeant = this.#finger?.id === event.pointerId && this.#intent !== "scroll";
    this.onCancel(event);
    return isMeant ? this.#under : null;
  }

  /** The browser takes the finger, to scroll with it. */
  onCancel(event: PointerEvent): void {
    if (this.#finger?.id === event.pointerId) this.#finger = null;
  }
}
