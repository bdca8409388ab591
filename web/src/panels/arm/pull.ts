/** A hand that pulls a slider, or holds an arrow key: many changes, and one step of undo. */

/** Between two changes of one pull: about ten a second. */
export const PERIOD_MS = 100;
/** Changes by keys go on with each other while the pause between them is shorter. */
export const PAUSE_MS = 2000;

/** Make one change; `coalesce`: it goes on with the last one. Return null when it is done, else why not. */
export type MakeChange<Value> = (value: Value, coalesce: boolean) => Promise<string | null>;

/** Makes changes one at a time and not too often; those that were overtaken are never made, and the newest one always is. */
export class Pull<Value> {
  readonly #make: MakeChange<Value>;
  readonly #onSettled: (problem: string | null) => void;
  #waiting: { readonly value: Value; readonly round: number } | null = null;
  #isBusy = false;
  #isHeld = false;
  #round = 0;
  /** The round that the last change which was done belongs to: the next one of that round joins it. */
  #done = 0;
  #last = -Infinity;

  /** `onSettled` is told how the newest change ended, each time that none waits any more. */
  constructor(make: MakeChange<Value>, onSettled: (problem: string | null) => void) {
    this.#make = make;
    this.#onSettled = onSettled;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** The hand takes hold: what follows is a step of its own, however long it takes. */
  hold(): void {
    this.#isHeld = true;
    this.#round += 1;
  }

  release(): void {
    this.#isHeld = false;
    this.#last = -Infinity;
  }

  /** Change to `value`, soon. */
  to(value: Value): void {
    const now = performance.now();
    if (!this.#isHeld && now - this.#last > PAUSE_MS) this.#round += 1;
    this.#last = now;
    this.#waiting = { value, round: this.#round };
    if (!this.#isBusy) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting !== null) {
      const { value, round } = this.#waiting;
      this.#waiting = null;
      const pause = new Promise((resolve) => setTimeout(resolve, PERIOD_MS));
      const problem = await this.#make(value, round === this.#done);
      if (problem === null) this.#done = round;
      if (this.#isIdle()) this.#onSettled(problem);
      await pause;
    }
    this.#isBusy = false;
  }

  #isIdle(): boolean {
    return this.#waiting === null;
  }
}

/** Tells of changes by typing or by arrow keys whether they go on with the last one. */
export class Streak {
  #label = "";
  #last = -Infinity;

  /** Return whether a change joins the last: it has the same label and comes soon after it. */
  coalesces(label: string): boolean {
    const now = performance.now();
    const goesOn = label === this.#label && now - this.#last <= PAUSE_MS;
    this.#label = label;
    this.#last = now;
    return goesOn;
  }

  /** What comes next is a step of its own. */
  end(): void {
    this.#label = "";
  }
}
