/** The session's newest state: one object that is overwritten 60 times a second, and signals that say so. */

import { signal } from "@preact/signals";

/** What the session is doing, as bits of `live.flags`. */
export const Flag = {
  moving: 1,
  jogging: 2,
  playing: 4,
  paused: 8,
  holding: 16,
  touching: 32,
  recording: 64,
  looping: 128,
} as const;

/** Joint values are in the joints' units (° or mm), frames and bodies 7 numbers each: x y z (m), w x y z. */
export interface Live {
  sequence: number;
  time: number;
  flags: number;
  revision: number;
  q: Float32Array;
  qd: Float32Array;
  qdd: Float32Array;
  tau: Float32Array;
  /** The same four as they are commanded; the effort is what the commanded motion asks of the arm alone. */
  command: Float32Array;
  commandQd: Float32Array;
  commandQdd: Float32Array;
  commandTau: Float32Array;
  /** Every link from the base on, and last the tool. */
  frames: Float32Array;
  bodies: Float32Array;
  /** mm */
  gap: number;
  /** J */
  kinetic: number;
  potential: number;
  /** s */
  playerTime: number;
  pace: number;
  lag: number;
}

export const NUMBERS_PER_FRAME = 7;
const HEADER_BYTES = 24;
const KIND_STATE = 1;
const VERSION = 2;
const JOINT_ROWS = 8;
const EXTRAS = 6;
const SLOW_MS = 100;
const NONE = new Float32Array(0);

export const live: Live = {
  sequence: 0,
  time: 0,
  flags: 0,
  revision: 0,
  q: NONE,
  qd: NONE,
  qdd: NONE,
  tau: NONE,
  command: NONE,
  commandQd: NONE,
  commandQdd: NONE,
  commandTau: NONE,
  frames: NONE,
  bodies: NONE,
  gap: 0,
  kinetic: 0,
  potential: 0,
  playerTime: 0,
  pace: 1,
  lag: 0,
};

/** Counts the states: read it in an effect that must follow at 60 Hz. */
export const tick = signal(0);
/** Counts at most 10 times a second: for numbers that a person reads. */
export const slowTick = signal(0);
/** `live.flags`, as a signal that changes only when they do. */
export const flags = signal(0);

let slowAt = 0;

/** Called in a component or effect that reads `live`: it then runs again with every state, up to 60 Hz. */
export function followFast(): number {
  return tick.value;
}

/** The same at most 10 times a second: enough for numbers that a person reads. */
export function followSlow(): number {
  return slowTick.value;
}

/** Tell whether the session is doing this now; in a component, it redraws when that changes. */
export function is(what: keyof typeof Flag): boolean {
  return (flags.value & Flag[what]) !== 0;
}

/** Return the state in `buffer`, or null where it holds none that we can read. */
export function decodeState(buffer: ArrayBuffer): Live | null {
  if (buffer.byteLength < HEADER_BYTES) return null;
  const head = new DataView(buffer);
  const axes = head.getUint8(2);
  const bodies = head.getUint8(3);
  const count = JOINT_ROWS * axes + NUMBERS_PER_FRAME * (axes + 2 + bodies) + EXTRAS;
  if (head.getUint8(0) !== KIND_STATE || head.getUint8(1) !== VERSION) return null;
  if (buffer.byteLength !== HEADER_BYTES + 4 * count) return null;
  let at = HEADER_BYTES;
  const take = (length: number): Float32Array => {
    const floats = new Float32Array(buffer, at, length);
    at += 4 * length;
    return floats;
  };
  const state = {
    sequence: head.getUint32(4, true),
    time: head.getFloat64(8, true),
    flags: head.getUint32(16, true),
    revision: head.getUint32(20, true),
    q: take(axes),
    qd: take(axes),
    qdd: take(axes),
    tau: take(axes),
    command: take(axes),
    commandQd: take(axes),
    commandQdd: take(axes),
    commandTau: take(axes),
    frames: take(NUMBERS_PER_FRAME * (axes + 2)),
    bodies: take(NUMBERS_PER_FRAME * bodies),
  };
  const [gap = 0, kinetic = 0, potential = 0, playerTime = 0, pace = 1, lag = 0] = take(EXTRAS);
  return { ...state, gap, kinetic, potential, playerTime, pace, lag };
}

/** Make the state in `buffer` the newest one; return whether there was one. */
export function takeState(buffer: ArrayBuffer): boolean {
  const state = decodeState(buffer);
  if (state === null) return false;
  Object.assign(live, state);
  flags.value = state.flags;
  tick.value += 1;
  const now = performance.now();
  if (now - slowAt >= SLOW_MS) {
    slowAt = now;
    slowTick.value += 1;
  }
  return true;
}
