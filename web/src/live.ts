/** The session's newest state: one object that is overwritten 60 times a second, and signals that say so. */

import { signal } from "@preact/signals";
import {
  Flag,
  JOINT_ROWS,
  NUMBERS_PER_FRAME,
  OTHER_EXTRAS,
  type OtherLayout,
  STATE_EXTRAS,
  STATE_HEADER,
  STATE_HEADER_BYTES,
  STATE_KIND,
  STATE_VERSION,
} from "./protocol.gen";

export { Flag, NUMBERS_PER_FRAME };

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
  rate: number;
  lag: number;
  /** The arms that are not selected, one after the other; see `splitOthers`. */
  others: Float32Array;
}

/** The state of an arm that is not selected. */
export interface OtherState {
  readonly q: Float32Array;
  readonly command: Float32Array;
  readonly frames: Float32Array;
  readonly flags: number;
  readonly playerTime: number;
  /** Which body its tool holds, by its index in the layout; -1: none. */
  readonly held: number;
}

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
  rate: 1,
  lag: 0,
  others: NONE,
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
  if (buffer.byteLength < STATE_HEADER_BYTES) return null;
  const head = headerOf(buffer);
  const { axes, bodies } = head;
  const count = JOINT_ROWS.length * axes + NUMBERS_PER_FRAME * (head.frames + bodies) + STATE_EXTRAS.length;
  if (head.kind !== STATE_KIND || head.version !== STATE_VERSION) return null;
  const rest = (buffer.byteLength - STATE_HEADER_BYTES) / 4 - count;
  if (rest < 0 || !Number.isInteger(rest)) return null;
  let at = STATE_HEADER_BYTES;
  const take = (length: number): Float32Array => {
    const floats = new Float32Array(buffer, at, length);
    at += 4 * length;
    return floats;
  };
  const rows = named(JOINT_ROWS, () => take(axes));
  const frames = take(NUMBERS_PER_FRAME * head.frames);
  const bodyFrames = take(NUMBERS_PER_FRAME * bodies);
  const numbers = take(STATE_EXTRAS.length);
  const extras = named(STATE_EXTRAS, (i) => numbers[i] ?? 0);
  return {
    sequence: head.sequence,
    time: head.time,
    flags: head.flags,
    revision: head.revision,
    q: rows.q,
    qd: rows.qd,
    qdd: rows.qdd,
    tau: rows.tau,
    command: rows.command,
    commandQd: rows.command_qd,
    commandQdd: rows.command_qdd,
    commandTau: rows.command_tau,
    frames,
    bodies: bodyFrames,
    gap: extras.gap,
    kinetic: extras.kinetic,
    potential: extras.potential,
    playerTime: extras.player_time,
    rate: extras.rate,
    lag: extras.lag,
    others: take(rest),
  };
}

/** Return the states of the arms that are not selected, by name; none where they are of another layout. */
export function splitOthers(
  numbers: Float32Array,
  layout: readonly OtherLayout[],
): ReadonlyMap<string, OtherState> {
  const sizes = layout.map(
    ({ joints, links }) =>
      JOINT_ROWS.length * joints.length + NUMBERS_PER_FRAME * links.length + OTHER_EXTRAS.length,
  );
  if (numbers.length !== sizes.reduce((sum, size) => sum + size, 0)) return new Map();
  let at = 0;
  return new Map(
    layout.map(({ name, joints, links }, i) => {
      const own = numbers.subarray(at, (at += sizes[i] ?? 0));
      const n = joints.length;
      const row = (which: (typeof JOINT_ROWS)[number]): Float32Array =>
        own.subarray(n * JOINT_ROWS.indexOf(which), n * (JOINT_ROWS.indexOf(which) + 1));
      const first = n * JOINT_ROWS.length;
      const extra = (which: (typeof OTHER_EXTRAS)[number]): number =>
        own[first + NUMBERS_PER_FRAME * links.length + OTHER_EXTRAS.indexOf(which)] ?? 0;
      const frames = own.subarray(first, first + NUMBERS_PER_FRAME * links.length);
      const state: OtherState = {
        q: row("q"),
        command: row("command"),
        frames,
        flags: extra("flags"),
        playerTime: extra("player_time"),
        held: extra("held"),
      };
      return [name, state] as const;
    }),
  );
}

type HeaderField = keyof typeof STATE_HEADER;

function headerOf(buffer: ArrayBuffer): Record<HeaderField, number> {
  const view = new DataView(buffer);
  const read = (name: HeaderField): number => {
    const { offset, type } = STATE_HEADER[name];
    if (type === "f64") return view.getFloat64(offset, true);
    if (type === "u16") return view.getUint16(offset, true);
    return type === "u32" ? view.getUint32(offset, true) : view.getUint8(offset);
  };
  return named(Object.keys(STATE_HEADER) as HeaderField[], (_, name) => read(name));
}

function named<Name extends string, Value>(
  names: readonly Name[],
  value: (index: number, name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name, i) => [name, value(i, name)])) as Record<Name, Value>;
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
