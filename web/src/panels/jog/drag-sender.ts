/** Poses of a drag, sent no faster than they are answered: the newest waits, those it overtook are never sent. */

import type { Pose } from "../../poses";

/** 30 a second at most. */
const PERIOD_MS = 33;
/** An answer that takes longer than this is not waited for. */
const PATIENCE_MS = 60;

export class DragSender {
  readonly #send: (pose: Pose) => number;
  #waiting: Pose | null = null;
  #sequence = -1;
  #sentAt = -Infinity;
  #isAnswered = true;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `send` returns the number that the answer will carry. */
  constructor(send: (pose: Pose) => number) {
    this.#send = send;
  }

  /** Send a pose as soon as it is its turn. */
  ask(pose: Pose): void {
    this.#waiting = pose;
    this.#plan();
  }

  /** Hear that a pose was answered. */
  answered(sequence: number): void {
    if (sequence !== this.#sequence) return;
    this.#isAnswered = true;
    this.#plan();
  }

  /** Forget what waits. */
  forget(): void {
    this.#waiting = null;
    clearTimeout(this.#timer);
  }

  #plan(): void {
    clearTimeout(this.#timer);
    if (this.#waiting === null) return;
    const wait = this.#sentAt + (this.#isAnswered ? PERIOD_MS : PATIENCE_MS) - performance.now();
    if (wait > 0) this.#timer = setTimeout(() => this.#go(), wait);
    else this.#go();
  }

  #go(): void {
    const pose = this.#waiting;
    if (pose === null) return;
    this.#waiting = null;
    this.#sentAt = performance.now();
    this.#isAnswered = false;
    this.#sequence = this.#send(pose);
  }
}
