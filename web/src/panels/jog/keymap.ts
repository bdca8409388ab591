/** Which key moves which axis: by its place on the keyboard, whatever is printed on it. */

/** The keys of an axis: the one that moves it back, and the one that moves it on. */
const PAIRS: readonly (readonly [string, string])[] = [
  ["KeyA", "KeyD"],
  ["KeyS", "KeyW"],
  ["KeyQ", "KeyE"],
  ["KeyZ", "KeyX"],
  ["KeyF", "KeyR"],
  ["KeyG", "KeyT"],
  ["KeyH", "KeyY"],
];

export interface KeyMove {
  readonly axis: number;
  readonly sign: -1 | 1;
}

/** What a reader sees on a key, by its code; Latin letters where the browser does not tell. */
export type Caps = ReadonlyMap<string, string>;

/** Return what a key moves where there are `axes` axes, or null. */
export function moveOf(code: string, axes: number): KeyMove | null {
  const axis = PAIRS.findIndex((pair) => pair.includes(code));
  if (axis < 0 || axis >= axes) return null;
  return { axis, sign: PAIRS[axis]?.[0] === code ? -1 : 1 };
}

/** Return what is printed on the key that moves an axis, or an empty text where no key does. */
export function capOf(axis: number, sign: -1 | 1, caps: Caps): string {
  const code = PAIRS[axis]?.[sign < 0 ? 0 : 1];
  return code === undefined ? "" : (caps.get(code) ?? code.slice(3)).toUpperCase();
}
