/** What a gamepad of the standard mapping asks for: shares from -1 to 1, one per axis. */

const DEAD_ZONE = 0.12;
const EXPO = 0.6;
/** The shoulder buttons: nothing moves unless one of them is held. */
const DEAD_MAN = [4, 5] as const;
const [CROSS_UP, CROSS_DOWN, CROSS_LEFT, CROSS_RIGHT] = [12, 13, 14, 15] as const;
const [FACE_RIGHT, FACE_LEFT] = [1, 2] as const;

/** As much of a gamepad as we read. */
export interface Pad {
  readonly axes: readonly number[];
  readonly buttons: readonly { readonly pressed: boolean }[];
}

/** Return the share for a stick's deflection: nothing near the middle, fine around it, full at the end. */
export function curve(deflection: number): number {
  const size = Math.min(Math.abs(deflection), 1);
  if (!(size > DEAD_ZONE)) return 0;
  const x = (size - DEAD_ZONE) / (1 - DEAD_ZONE);
  return Math.sign(deflection) * (EXPO * x ** 3 + (1 - EXPO) * x);
}

/** Tell whether the dead-man button is held. */
export function isHeld(pad: Pad): boolean {
  return DEAD_MAN.some((button) => pad.buttons[button]?.pressed === true);
}

/** Return the shares of the joints 1 to 7: left stick 1 2, right stick 4 3, cross 6 5, face buttons 7. */
export function jointShares(pad: Pad, axes: number): number[] {
  const { x, y, x2, y2, crossX, crossY, face } = read(pad);
  return [x, y, y2, x2, crossY, crossX, face]
    .slice(0, axes)
    .concat(Array<number>(Math.max(axes - 7, 0)).fill(0));
}

/** Return the shares of X Y Z A B C: left stick X Y as seen from behind the arm, right stick Z A, cross B C. */
export function toolShares(pad: Pad): number[] {
  const { x, y, x2, y2, crossX, crossY } = read(pad);
  return [y, -x, y2, -x2, crossY, crossX].map((share) => share + 0);
}

/** Sticks read up and right as positive. */
function read({ axes, buttons }: Pad) {
  const stick = (i: number): number => curve(axes[i] ?? 0);
  const pair = (on: number, back: number): number =>
    Number(buttons[on]?.pressed === true) - Number(buttons[back]?.pressed === true);
  return {
    x: stick(0),
    y: -stick(1),
    x2: stick(2),
    y2: -stick(3),
    crossX: pair(CROSS_RIGHT, CROSS_LEFT),
    crossY: pair(CROSS_UP, CROSS_DOWN),
    face: pair(FACE_RIGHT, FACE_LEFT),
  };
}
