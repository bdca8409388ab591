/** The sensors of the project, what they read, and what is asked about them while the panel is open. */

import { computed, effect, signal } from "@preact/signals";
import { asFailure, type Failure, fetchJson } from "../../api";
import { t } from "../../i18n";
import { live } from "../../live";
import { newId } from "../../ids";
import { edit, layout, project } from "../../project";
import { isFixed } from "../scene/bodies";
import type { AllanReport, DriftReport, ImuChoice, PresetReport, SignalsReport } from "../../protocol.gen";
import { session } from "../../session";
import { added, lastTime, NOTHING, pointInFrame, type Shown } from "./buffer";

/** What a sensor is put on: a link of the arm, or a body of the scene. */
export type Place = Pick<ImuChoice, "on" | "link">;

export const WINDOW_S = 10;
export const MOST = 8;
const POLL_MS = 100;
const DRIFT_MS = 2000;
const NUMBERS_PER_FRAME = 7;

export const sensors = computed<readonly ImuChoice[]>(() => project.value?.sensors ?? []);
/** The id of the sensor whose signals are shown; one that is gone gives way to the first. */
export const picked = signal("");
export const chosen = computed<ImuChoice | null>(
  () => sensors.value.find(({ id }) => id === picked.value) ?? sensors.value[0] ?? null,
);
/** The names of the bodies that can move: a sensor on another one would tell nothing. */
export const movable = computed<readonly string[]>(() =>
  (project.value?.bodies ?? []).filter((body) => !isFixed(body)).map(({ name }) => name),
);
/** Whether the arm is estimated: from sensors on its links. */
export const isEstimated = computed(() => sensors.value.some(({ on }) => on === "link"));
/** Whether the next click on a link or an object puts a sensor there. */
export const isPlacing = signal(false);
export const preset = signal("mpu-6050");
export const place = signal<Place>({ on: "link", link: "tool" });
export const presets = signal<readonly PresetReport[]>([]);
export const shown = signal<Shown>(NOTHING);
/** Where the arm and its sensors are: the newest answer. */
export const newest = signal<SignalsReport | null>(null);
export const showsGhost = signal(true);
export const drift = signal<DriftReport | null>(null);
export const allan = signal<AllanReport | null>(null);
export const failure = signal<Failure | null>(null);

/** Put a sensor on a link or a body, at a point of the world (mm) or at its origin. */
export function addSensor({ on, link }: Place, point: readonly [number, number, number] | null): void {
  const names = on === "link" ? layout.peek()?.links : layout.peek()?.bodies;
  const index = names?.indexOf(link) ?? -1;
  if (index < 0 || sensors.peek().length >= MOST) return;
  const frames = on === "link" ? live.frames : live.bodies;
  const frame = frames.subarray(NUMBERS_PER_FRAME * index, NUMBERS_PER_FRAME * (index + 1));
  const [x, y, z] = point === null ? [0, 0, 0] : pointInFrame(point, frame);
  const made: ImuChoice = { id: newId(), on, link, preset: preset.peek(), pose: [x, y, z, 0, 0, 0] };
  picked.value = made.id;
  void edit(t("sensors.edit.add", { link }), (before) => ({
    ...before,
    sensors: [...before.sensors, made],
  }));
}

export function changeSensor(id: string, change: Partial<ImuChoice>): void {
  void edit(t("sensors.edit.change"), (before) => ({
    ...before,
    sensors: before.sensors.map((sensor) => (sensor.id === id ? { ...sensor, ...change } : sensor)),
  }));
}

export function removeSensor({ id, link: from }: ImuChoice): void {
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
  const stops = [
    repeat(POLL_MS, askSignals),
    repeat(DRIFT_MS, askDrift),
    effect(askAllan),
    effect(forgetOld),
  ];
  return () => {
    for (const stop of stops) stop();
    isPlacing.value = false;
  };
}

async function askSignals(): Promise<void> {
  if (sensors.peek().length === 0 || document.hidden) return;
  const report = await fetchJson<SignalsReport>(address(`signals?after=${lastTime(shown.peek())}`));
  const isNew = report.record !== shown.peek().record;
  shown.value = isNew && shown.peek().record >= 0 ? NOTHING : added(shown.peek(), report, WINDOW_S);
  if (report.t.length > 0) newest.value = report;
}

async function askDrift(): Promise<void> {
  const sensor = chosen.peek();
  if (sensor === null || document.hidden) return;
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
  shown.value = NOTHING;
  newest.value = null;
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
