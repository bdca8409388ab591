/** Hold to move: what is held, by buttons, keys and gamepad, becomes beats; nothing held, and the arm stops. */

const BEAT_MS = 33;
/** Sticks are read with every picture; where none is drawn any more, nobody knows whether they are held. */
const STICK_MS = 400;

/** What the holder needs from others. */
export interface Hands {
  /** Send one beat with a share from -1 to 1 per axis; false where nobody hears it. */
  readonly beat: (shares: readonly number[]) => boolean;
  /** Something begins to be held. */
  readonly begin: () => void;
  /** Stop the arm. */
  readonly stop: () => void;
  readonly axes: () => number;
  /** From 0 to 1. */
  readonly speed: () => number;
}

export class Holder {
  readonly #hands: Hands;
  readonly #held = new Map<string, { readonly axis: number; readonly sign: number }>();
  #pad: readonly number[] | null = null;
  #padAt = 0;
  /** The dead-man button must be let go before it counts again. */
  #isPadBarred = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(hands: Hands) {
    this.#hands = hands;
  }

  get isHolding(): boolean {
    return this.#held.size > 0 || this.#pad !== null;
  }

  /** Begin to move an axis; `source` is what is held: a pointer, a key. */
  hold(source: string, axis: number, sign: number): void {
    this.#held.set(source, { axis, sign });
    this.#start();
  }

  /** Let go of one source; the last one stops the arm at once. */
  release(source: string): void {
    if (this.#held.delete(source)) this.#endIfFree();
  }

  /** Take the sticks' shares, null where the dead-man button is free; return whether they move the arm. */
  stick(shares: readonly number[] | null): boolean {
    if (shares === null) this.#isPadBarred = false;
    else if (this.#isPadBarred) return false;
    this.#padAt = performance.now();
    const had = this.#pad !== null;
    this.#pad = shares;
    if (shares !== null && !had) this.#start();
    else if (shares === null && had) this.#endIfFree();
    return this.#pad !== null;
  }

  /** Let go of everything: what is still held must be let go and taken again. */
  releaseAll(): void {
    if (!this.isHolding) return;
    this.#isPadBarred ||= this.#pad !== null;
    this.#held.clear();
    this.#pad = null;
    this.#endIfFree();
  }

  /** Forget what is held without stopping anything: another arm is selected, and the one before was stopped by that. */
  forget(): void {
    this.#isPadBarred ||= this.#pad !== null;
    this.#held.clear();
    this.#pad = null;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Return the shares that are asked for now. */
  shares(): number[] {
    const sum = Array.from({ length: this.#hands.axes() }, (_, axis) => this.#pad?.[axis] ?? 0);
    for (const { axis, sign } of this.#held.values())
      if (axis < sum.length) sum[axis] = (sum[axis] ?? 0) + sign;
    return sum.map((share) => Math.min(Math.max(share, -1), 1) * this.#hands.speed());
  }

  #start(): void {
    this.#hands.begin();
    this.#beat();
    this.#timer ??= setInterval(() => this.#beat(), BEAT_MS);
  }

  /** A socket that is lost ends it: a hand that still holds must not move the arm when the line is back. */
  #beat(): void {
    if (this.#pad !== null && performance.now() - this.#padAt > STICK_MS) this.stick(null);
    else if (!this.#hands.beat(this.shares())) this.releaseAll();
  }

  #endIfFree(): void {
    if (this.isHolding) {
      this.#beat();
      return;
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#hands.stop();
  }
}
