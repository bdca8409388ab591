/** The last seconds of what the sensors read: samples come in pieces, and begin anew when the record does. */

import type { SignalsReport } from "../../protocol.gen";

type Rows = readonly (readonly number[])[];

export interface Trace {
  readonly ideal: Rows;
  readonly read: Rows;
}

export interface Shown {
  readonly record: number;
  /** s of the session. */
  readonly t: readonly number[];
  /** By the sensor's id. */
  readonly traces: ReadonlyMap<string, Trace>;
}

export const NOTHING: Shown = { record: -1, t: [], traces: new Map() };

/** Return what is shown when more has come: the last `seconds` of one record. */
export function added(before: Shown, report: SignalsReport, seconds: number): Shown {
  const old = before.record === report.record ? before : { ...NOTHING, record: report.record };
  if (report.t.length === 0) return old;
  const t = [...old.t, ...report.t];
  const end = t.at(-1) ?? 0;
  const first = Math.max(
    t.findIndex((time) => time >= end - seconds),
    0,
  );
  const traces = new Map(
    report.sensors.map(({ id, ideal, read }): [string, Trace] => {
      const kept = old.traces.get(id);
      return [
        id,
        {
          ideal: [...(kept?.ideal ?? []), ...ideal].slice(first),
          read: [...(kept?.read ?? []), ...read].slice(first),
        },
      ];
    }),
  );
  return { record: report.record, t: t.slice(first), traces };
}

/** Return after which time the next samples are asked for. */
export function lastTime({ t }: Shown): number {
  return t.at(-1) ?? -1e9;
}

/** Return columns for a chart: seconds before the newest, then per axis the ideal value and the one read. */
export function columnsOf(shown: Shown, id: string, from: 0 | 3): number[][] {
  const trace = shown.traces.get(id);
  const end = shown.t.at(-1) ?? 0;
  const axes = [0, 1, 2].flatMap((axis) => [
    (trace?.ideal ?? []).map((row) => row[from + axis] ?? NaN),
    (trace?.read ?? []).map((row) => row[from + axis] ?? NaN),
  ]);
  return [shown.t.map((time) => time - end), ...axes];
}

/** Return a point of the world (mm) in the axes of a frame: x y z (m) and the quaternion w x y z. */
export function pointInFrame(
  point: readonly [number, number, number],
  frame: ArrayLike<number>,
): [number, number, number] {
  const at = (i: number): number => frame[i] ?? 0;
  const p = [point[0] - at(0) * 1000, point[1] - at(1) * 1000, point[2] - at(2) * 1000] as const;
  const w = at(3);
  const u = [-at(4), -at(5), -at(6)] as const;
  const c = cross(u, p).map((value) => 2 * value) as [number, number, number];
  const d = cross(u, c);
  const tidy = (value: number): number => Math.round(value * 10) / 10 + 0;
  return [tidy(p[0] + w * c[0] + d[0]), tidy(p[1] + w * c[1] + d[1]), tidy(p[2] + w * c[2] + d[2])];
}

type Three = readonly [number, number, number];

function cross(a: Three, b: Three): [number, number, number] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
