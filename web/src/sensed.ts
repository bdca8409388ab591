/** What the sensors of the session read: frames of the second kind on the wire, and the last seconds of each sensor. */

import { signal } from "@preact/signals";
import {
  NUMBERS_PER_FRAME,
  SENSOR_HEADER_BYTES,
  SENSOR_ID_BYTES,
  SENSORS_HEADER,
  SENSORS_HEADER_BYTES,
  SENSORS_KIND,
  STATE_VERSION,
} from "./protocol.gen";

export const WINDOW_S = 10;

/** Samples of one sensor: times (s), and a column for each number that was there and that was read. */
export interface Trace {
  readonly t: readonly number[];
  readonly ideal: readonly (readonly number[])[];
  readonly read: readonly (readonly number[])[];
}

/** One frame: new samples by the sensor's id, and where the arm is by its inertial units. */
export interface Sensed {
  /** Another number: the samples were restarted, older ones are of something else. */
  readonly record: number;
  readonly traces: ReadonlyMap<string, Trace>;
  /** Seven numbers for each link and the tool; none where nothing is estimated. */
  readonly frames: Float32Array;
  /** ° or mm, root mean square over the joints. */
  readonly estimatedError: number | null;
  readonly commandedError: number | null;
}

export const NOTHING: Sensed = {
  record: -1,
  traces: new Map(),
  frames: new Float32Array(0),
  estimatedError: null,
  commandedError: null,
};

/** The newest frame, with the last seconds of every sensor. */
export const sensed = signal<Sensed>(NOTHING);

/** Take a frame of what sensors read; return whether it was one. */
export function takeSensed(buffer: ArrayBuffer): boolean {
  const frame = decodeSensed(buffer);
  if (frame === null) return false;
  sensed.value = added(sensed.peek(), frame, WINDOW_S);
  return true;
}

/** Return what is in `buffer`, or null where it holds no samples that we can read. */
export function decodeSensed(buffer: ArrayBuffer): Sensed | null {
  if (buffer.byteLength < SENSORS_HEADER_BYTES) return null;
  const view = new DataView(buffer);
  const short = (name: "sensors" | "frames"): number => view.getUint16(SENSORS_HEADER[name].offset, true);
  const error = (name: "estimated_error" | "commanded_error"): number | null => {
    const value = view.getFloat32(SENSORS_HEADER[name].offset, true);
    return Number.isNaN(value) ? null : value;
  };
  if (view.getUint8(SENSORS_HEADER.kind.offset) !== SENSORS_KIND) return null;
  if (view.getUint8(SENSORS_HEADER.version.offset) !== STATE_VERSION) return null;
  const traces = new Map<string, Trace>();
  let at = SENSORS_HEADER_BYTES;
  for (let i = 0; i < short("sensors"); i += 1) {
    if (at + SENSOR_HEADER_BYTES > buffer.byteLength) return null;
    const id = String.fromCharCode(...new Uint8Array(buffer, at, SENSOR_ID_BYTES)).replace(/\0+$/, "");
    const width = view.getUint16(at + SENSOR_ID_BYTES, true);
    const count = view.getUint32(at + SENSOR_ID_BYTES + 4, true);
    at += SENSOR_HEADER_BYTES;
    if (at + 8 * count * (1 + width) > buffer.byteLength) return null;
    const t = [...new Float64Array(buffer, at, count)];
    const ideal = columnsIn(new Float32Array(buffer, at + 8 * count, count * width), width);
    const read = columnsIn(new Float32Array(buffer, at + 4 * count * (2 + width), count * width), width);
    at += 8 * count * (1 + width);
    traces.set(id, { t, ideal, read });
  }
  const numbers = NUMBERS_PER_FRAME * short("frames");
  if (at + 4 * numbers !== buffer.byteLength) return null;
  return {
    record: view.getUint32(SENSORS_HEADER.record.offset, true),
    traces,
    frames: new Float32Array(buffer, at, numbers),
    estimatedError: error("estimated_error"),
    commandedError: error("commanded_error"),
  };
}

function columnsIn(rows: Float32Array, width: number): number[][] {
  return Array.from({ length: width }, (_, column) =>
    Array.from({ length: rows.length / width }, (_row, i) => rows[i * width + column] ?? NaN),
  );
}

/** Return what is shown when more has come: the last `seconds` of the sensors of one record. */
export function added(before: Sensed, frame: Sensed, seconds: number): Sensed {
  const old = before.record === frame.record ? before.traces : NOTHING.traces;
  const traces = new Map(
    [...frame.traces].map(([id, more]): [string, Trace] => [id, joined(old.get(id), more, seconds)]),
  );
  return { ...frame, traces };
}

function joined(old: Trace | undefined, more: Trace, seconds: number): Trace {
  if (old === undefined || old.t.length === 0) return more;
  if (more.t.length === 0) return old;
  const all = [...old.t, ...more.t];
  const end = all.at(-1) ?? 0;
  const first = Math.max(
    all.findIndex((time) => time >= end - seconds),
    0,
  );
  const columns = (what: "ideal" | "read"): number[][] =>
    more[what].map((column, i) => [...(old[what][i] ?? []), ...column].slice(first));
  return { t: all.slice(first), ideal: columns("ideal"), read: columns("read") };
}
