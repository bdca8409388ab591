/** How singular the arm is where it stands: asked for as it moves, and the nearest singularity once it rests. */

import { batch, computed, effect, signal } from "@preact/signals";
import { fetchJson } from "../../api";
import { latestWins } from "../../latest";
import { followSlow, is, live } from "../../live";
import { recall, remember } from "../../memory";
import { doc, project } from "../../project";
import type { SingularityReport } from "../../protocol.gen";
import { session } from "../../session";
import { hasMoved } from "../mathematics/state";

export const meter = signal<SingularityReport | null>(null);
/** The same with the nearest singularity, for where the arm rests. */
export const near = signal<SingularityReport | null>(null);
export const showsEllipsoid = signal(recall("panel.kinematics.ellipsoid") === "yes");

/** A condition number from which a direction is slow, and from which it is nearly lost. */
export const SLOW = 30;
export const LOST = 150;

export type Level = "good" | "slow" | "lost";

export function levelOf({ condition }: SingularityReport): Level {
  if (condition === null || condition >= LOST) return "lost";
  return condition >= SLOW ? "slow" : "good";
}

export function showEllipsoid(shown: boolean): void {
  remember("panel.kinematics.ellipsoid", shown ? "yes" : "no");
  showsEllipsoid.value = shown;
}

const armKey = computed(() => JSON.stringify(project.value?.arm ?? null));
let askedFor = "";
let askedAt: readonly number[] = [];
let nearAt: readonly number[] = [];

const ask = (query: string): Promise<SingularityReport> =>
  fetchJson<SingularityReport>(`api/sessions/${session.peek()}/singularity?${query}`);

/** The next state asks again; a lost server is told by the page's banner. */
const ignore = (): void => undefined;

const meterAsker = latestWins(
  (q: readonly number[]) => ask(`q=${q.join(",")}`),
  (answer) => (meter.value = answer),
  ignore,
);

const nearAsker = latestWins(
  (q: readonly number[]) => ask(`nearest=true&q=${q.join(",")}`),
  (answer) => (near.value = answer),
  () => (nearAt = []),
);

/** Follow the arm until the result is called. */
export function followMeter(): () => void {
  const stop = effect(() => {
    followSlow();
    const key = armKey.value;
    if (session.value === "" || key === "null" || live.revision < (doc.value?.revision ?? 0)) return;
    if (key !== askedFor) restart(key);
    const q = [...live.q].map((value) => Number(value.toFixed(3)));
    if (document.hidden || q.length === 0) return;
    const isNew = hasMoved(q, askedAt);
    if (isNew) {
      askedAt = q;
      meterAsker.ask(q);
    }
    if (hasMoved(q, nearAt)) near.value = null;
    if (isNew || is("moving") || is("jogging") || !hasMoved(q, nearAt)) return;
    nearAt = q;
    nearAsker.ask(q);
  });
  return () => {
    stop();
    restart("");
  };
}

function restart(key: string): void {
  askedFor = key;
  askedAt = [];
  nearAt = [];
  meterAsker.forget();
  nearAsker.forget();
  batch(() => {
    meter.value = null;
    near.value = null;
  });
}
