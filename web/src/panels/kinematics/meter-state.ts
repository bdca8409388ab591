/** How singular the arm is where it stands: asked for as it moves, and the nearest singularity once it rests. */

import { batch, computed, effect, signal } from "@preact/signals";
import { fetchJson } from "../../api";
import { latestWins } from "../../latest";
import { followSlow, is } from "../../live";
import { recall, remember } from "../../memory";
import { type OwnJoints, ownJoints, questionAt } from "../../own-joints";
import { project } from "../../project";
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

const meterAsker = latestWins(
  (at: OwnJoints) => ask(questionAt(at)),
  (answer) => (meter.value = answer),
  () => (askedAt = []), // the next state asks again; a lost server is told by the page's banner
);

const nearAsker = latestWins(
  (at: OwnJoints) => ask(`nearest=true&${questionAt(at)}`),
  (answer) => (near.value = answer),
  () => (nearAt = []),
);

/** Follow the arm until the result is called. */
export function followMeter(): () => void {
  const stop = effect(() => {
    followSlow();
    const key = armKey.value;
    const own = ownJoints();
    if (session.value === "" || key === "null" || own === null) return;
    if (key !== askedFor) restart(key);
    const { q } = own;
    if (document.hidden) return;
    const isNew = hasMoved(q, askedAt);
    if (isNew) {
      askedAt = q;
      meterAsker.ask(own);
    }
    if (hasMoved(q, nearAt)) near.value = null;
    if (isNew || is("moving") || is("jogging") || !hasMoved(q, nearAt)) return;
    nearAt = q;
    nearAsker.ask(own);
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
