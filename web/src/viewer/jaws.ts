/** The jaws of the arm's gripper in the view: they close and open as quickly as a gripper does. */

/** m/s, of each jaw; as in the simulation of a gripper. */
const SPEED = 0.1;
/** s: after a longer pause between two pictures, the jaws go on as if it had been this long. */
const LONGEST = 0.04;

/** What has jaws. */
interface Arm {
  readonly closeJaws: (travelM: number) => void;
}

export class Jaws {
  readonly #draw: () => void;
  readonly #isCalm: boolean;
  readonly #tell: (travelM: number) => void;
  #arm: Arm | null = null;
  #travel = 0;
  #goal = 0;
  #last = 0;
  #isMoving = false;

  /** `isCalm`: the jaws are at once where they go. `tell` hears of every step. */
  constructor(draw: () => void, isCalm: boolean, tell: (travelM: number) => void) {
    this.#draw = draw;
    this.#isCalm = isCalm;
    this.#tell = tell;
  }

  /** Another arm: its jaws are at once where those of the old one were going. */
  changeArm(arm: Arm): void {
    this.#arm = arm;
    this.#put(this.#goal);
  }

  /** Close each jaw by so much (m). */
  close(travelM: number): void {
    if (travelM === this.#goal) return;
    this.#goal = travelM;
    if (this.#isCalm || this.#arm === null) this.#put(travelM);
    else if (!this.#isMoving) {
      this.#isMoving = true;
      this.#last = performance.now();
      requestAnimationFrame((now) => this.#step(now));
    }
  }

  #step(now: number): void {
    const seconds = Math.min(Math.max(now - this.#last, 0) / 1000, LONGEST);
    this.#last = now;
    this.#put(stepTo(this.#travel, this.#goal, SPEED * seconds));
    this.#isMoving = this.#travel !== this.#goal;
    if (this.#isMoving) requestAnimationFrame((next) => this.#step(next));
  }

  #put(travelM: number): void {
    this.#travel = travelM;
    this.#arm?.closeJaws(travelM);
    this.#tell(travelM);
    this.#draw();
  }
}

/** Return `value` moved towards `goal` by at most `most`. */
export function stepTo(value: number, goal: number, most: number): number {
  return Math.abs(goal - value) <= most ? goal : value + Math.sign(goal - value) * most;
}
