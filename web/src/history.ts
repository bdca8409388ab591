/** The last minute of the session for the plots: 30 samples a second in ring buffers. */

import type { Live } from "./live";
import { toolPose } from "./poses";

const HISTORY_S = 60;
const HISTORY_HZ = 30;

/** What the joints are told to do. */
export type Commanded = "command" | "commandQd" | "commandQdd" | "commandTau";

/** What is kept: per joint, or for `tool` X Y Z A B C (mm, °), for `energy` kinetic and potential (J), `gap` (mm). */
export type Quantity = "q" | "qd" | "qdd" | "tau" | Commanded | "tool" | "energy" | "gap";

const PER_JOINT = ["q", "qd", "qdd", "tau", "command", "commandQd", "commandQdd", "commandTau"] as const;

export class History {
  readonly #capacity: number;
  readonly #columns = new Map<string, Float64Array>();
  readonly #times: Float64Array;
  #axes = -1;
  #count = 0;
  #next = 0;
  #last = -Infinity;

  constructor(capacity = HISTORY_S * HISTORY_HZ) {
    this.#capacity = capacity;
    this.#times = new Float64Array(capacity);
  }

  /** How many samples there are. */
  get length(): number {
    return this.#count;
  }

  /** Keep a sample, unless the last one is newer than 1/30 s; another arm or an earlier time starts over. */
  take(state: Live): void {
    if (state.q.length !== this.#axes || state.time < this.#last) this.clear();
    if (state.time - this.#last < 1 / HISTORY_HZ - 1e-3) return;
    this.#axes = state.q.length;
    this.#last = state.time;
    this.#times[this.#next] = state.time;
    for (const quantity of PER_JOINT) this.#put(quantity, state[quantity]);
    this.#put("tool", toolPose(state.frames) ?? []);
    this.#put("energy", [state.kinetic, state.potential]);
    this.#put("gap", [state.gap]);
    this.#next = (this.#next + 1) % this.#capacity;
    this.#count = Math.min(this.#count + 1, this.#capacity);
  }

  clear(): void {
    this.#columns.clear();
    this.#count = 0;
    this.#next = 0;
    this.#last = -Infinity;
  }

  /** Return the times (s), oldest first. */
  times(): Float64Array {
    return this.#ordered(this.#times);
  }

  /** Return one column, oldest first; empty where there is none. */
  column(quantity: Quantity, index = 0): Float64Array {
    const column = this.#columns.get(`${quantity}/${index}`);
    return column === undefined ? new Float64Array(0) : this.#ordered(column);
  }

  #put(quantity: Quantity, values: ArrayLike<number>): void {
    for (let index = 0; index < values.length; index += 1) {
      const name = `${quantity}/${index}`;
      let column = this.#columns.get(name);
      if (column === undefined) {
        column = new Float64Array(this.#capacity);
        this.#columns.set(name, column);
      }
      column[this.#next] = values[index] ?? NaN;
    }
  }

  #ordered(column: Float64Array): Float64Array {
    if (this.#count < this.#capacity) return column.slice(0, this.#count);
    const ordered = new Float64Array(this.#capacity);
    ordered.set(column.subarray(this.#next));
    ordered.set(column.subarray(0, this.#next), this.#capacity - this.#next);
    return ordered;
  }
}

/** The history of this session; wire.ts fills it. */
export const history = new History();
