/** Where a key is a letter: in fields, editors and lists of choices. There it is neither the arm's nor a short cut. */

const TICKED: readonly string[] = ["range", "radio", "checkbox", "file", "button"];

/** Tell whether a key that is pressed on `target` is typed. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  if (target instanceof HTMLInputElement) return !TICKED.includes(target.type);
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  const inner = target.shadowRoot?.activeElement ?? target; // the editor of programs has a tree of its own
  return inner.closest("[contenteditable], [role=textbox]") !== null;
}
