/** The sensors of the project, what they read, and what is asked about them while the panel is open. */

import { computed, effect, signal } from "@preact/signals";
import { asFailure, type Failure, fetchJson } from "../../api";
import { t } from "../../i18n";
import { live } from "../../live";
import { newId } from "../../ids";
import { edit, layout, project } from "../../project";
import { isFixed } from "../scene/bodies";
import type { AllanReport, DriftReport, PresetReport, SensorChoice } from "../../protocol.gen";
import { session } from "../../session";
import { pointInFrame } from "./buffer";

export type Kind = SensorChoice["kind"];
export const KINDS: readonly Kind[] = [
  "imu",
  "encoders",
  "torques",
  "wrench",
  "laser",
  "proximity",
  "contact",
];
/** Samples per second: the simulation's 480 steps divided by whole numbers. */
export const RATES = [480, 240, 160, 120, 96, 80, 60, 48, 40, 30, 20, 10] as const;
const DEFAULT_HZ = 60;

/** What a sensor is put on: a link of the arm, or a body of the scene. */
export type Place = Pick<SensorChoice, "on" | "link">;

export const MOST = 8;
const DRIFT_MS = 2000;
const NUMBERS_PER_FRAME = 7;

export const sensors = computed<readonly SensorChoice[]>(() => project.value?.sensors ?? []);
/** The id of the sensor whose signals are shown; one that is gone gives way to the first. */
export const picked = signal("");
export const chosen = computed<SensorChoice | null>(
  () => sensors.value.find(({ id }) => id === picked.value) ?? sensors.value[0] ?? null,
);
/** The names of the bodies that can move: a sensor on another one would tell nothing. */
export const movable = computed<readonly string[]>(() =>
  (project.value?.bodies ?? []).filter((body) => !isFixed(body)).map(({ name }) => name),
);
/** Whether the arm is estimated: from inertial units on its links. */
export const isEstimated = computed(() =>
  sensors.value.some(({ kind, on }) => kind === "imu" && on === "link"),
);
/** Whether the next click on a link or an object puts a sensor there. */
export const isPlacing = signal(false);
export const kind = signal<Kind>("imu");
export const preset = signal("mpu-6050");
export const place = signal<Place>({ on: "link", link: "tool" });
export const presets = signal<readonly PresetReport[]>([]);
export const showsGhost = signal(true);
export const drift = signal<DriftReport | null>(null);
export const allan = signal<AllanReport | null>(null);
export const failure = signal<Failure | null>(null);

/** Return where what a sensor sits on is now: x y z (m), w x y z; null where it is not in the scene. */
export function frameOf({ on, link }: Place): Float32Array | null {
  const names = on === "link" ? layout.peek()?.links : layout.peek()?.bodies;
  const index = names?.indexOf(link) ?? -1;
  const frames = on === "link" ? live.frames : live.bodies;
  const frame = frames.subarray(NUMBERS_PER_FRAME * index, NUMBERS_PER_FRAME * (index + 1));
  return index < 0 || frame.length < NUMBERS_PER_FRAME ? null : frame;
}

/** Put a sensor on a link or a body, at a point of the world (mm) or at its origin. */
export function addSensor({ on, link }: Place, point: readonly [number, number, number] | null): void {
  const frame = frameOf({ on, link });
  const count = sensors.peek().length;
  if (frame === null || count >= MOST) return;
  const [x, y, z] = point === null ? [0, 0, 0] : pointInFrame(point, frame);
  const made: SensorChoice = {
    id: newId(),
    kind: kind.peek(),
    on,
    link,
    preset: preset.peek(),
    pose: [x, y, z, 0, 0, 0],
    rate: DEFAULT_HZ,
    latency: null,
    noise: 0,
    seed: count,
  };
  picked.value = made.id;
  void edit(t("sensors.edit.add", { link }), (before) => ({
    ...before,
    sensors: [...before.sensors, made],
  }));
}

export function changeSensor(id: string, change: Partial<SensorChoice>): void {
  void edit(t("sensors.edit.change"), (before) => ({
    ...before,
    sensors: before.sensors.map((sensor) => (sensor.id === id ? { ...sensor, ...change } : sensor)),
  }));
}

export function removeSensor({ id, link: from }: SensorChoice): void {
  void edit(t("sensors.edit.remove", { link: from }), (before) => ({
    ...before,
    sensors: before.sensors.filter((sensor) => sensor.id !== id),
  }));
}

const address = (rest: string): string =>
  `api/sessions/${encodeURIComponent(session.peek())}/sensors/${rest}`;

/** Return the address of the file of a sensor's record. */
export const fileAddress = (id: string, kind: string): string => address(`${id}/record.${kind}`);

/** Ask for presets, signals and drift until the result is called. */
export function follow(): () => void {
  void fetchJson<readonly PresetReport[]>("api/sensors").then(
    (rows) => (presets.value = rows),
    (reason: unknown) => (failure.value = asFailure(reason)),
  );
  const stops = [repeat(DRIFT_MS, askDrift), effect(askAllan), effect(forgetOld)];
  return () => {
    for (const stop of stops) stop();
    isPlacing.value = false;
  };
}

async function askDrift(): Promise<void> {
  const sensor = chosen.peek();
  if (sensor?.kind !== "imu" || document.hidden) return;
  const report = await fetchJson<DriftReport>(address(`${sensor.id}/drift`));
  if (chosen.peek()?.id === sensor.id) drift.value = report;
}

function askAllan(): void {
  const name = chosen.value?.preset ?? preset.value;
  if (allan.peek()?.name === name) return;
  void fetchJson<AllanReport>(`api/sensors/${name}/allan`).then(
    (report) => (allan.value = report),
    (reason: unknown) => (failure.value = asFailure(reason)),
  );
}

/** What was read by sensors that are gone is not shown: it was of another arm, or of none. */
function forgetOld(): void {
  const key = JSON.stringify([project.value?.arm, sensors.value]);
  if (key === ofWhat) return;
  ofWhat = key;
  drift.value = null;
}
let ofWhat = "";

/** Do something again and again, one at a time; what fails is tried again. */
function repeat(every: number, ask: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const run = async (): Promise<void> => {
    try {
      await ask();
    } catch (reason) {
      const failed = asFailure(reason);
      if (failed.code !== "network") failure.value = failed;
    }
    if (!isOver) timer = setTimeout(() => void run(), every);
  };
  void run();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
