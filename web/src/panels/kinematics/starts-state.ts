/** The map of starts: which solution Levenberg and Marquardt's method ends in, over two joints' start values. */

import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { asFailure, type Failure, postJson } from "../../api";
import { onLanguage } from "../../i18n";
import { latestWins } from "../../latest";
import { project } from "../../project";
import type { StartMapReport } from "../../protocol.gen";
import { session } from "../../session";
import { settings, start } from "./lm-settings";
import { descend, target, task } from "./state";

const CELLS = 48;

export type Colouring = "solution" | "steps";

export const joints = signal<readonly [number, number]>([0, 1]);
export const colouring = signal<Colouring>("solution");
export const map = signal<StartMapReport | null>(null);
export const busy = signal(false);
export const failure = signal<Failure | null>(null);

const armKey = computed(() => JSON.stringify(project.value?.arm ?? null));

const asker = latestWins(
  ({ name, body }: { name: string; body: unknown }) =>
    postJson<StartMapReport>(`api/sessions/${name}/lm/starts`, body),
  (answer) => {
    batch(() => {
      map.value = answer;
      failure.value = null;
      busy.value = false;
    });
  },
  (reason) => {
    batch(() => {
      map.value = null;
      failure.value = asFailure(reason);
      busy.value = false;
    });
  },
);

/** Another arm has other joints. */
effect(() => {
  if (armKey.value === "null") return;
  batch(() => {
    joints.value = [0, 1];
    map.value = null;
    failure.value = null;
  });
});

/** Keep the map up to date with arm, target, task, settings and joints until the result is called. */
export function followMap(): () => void {
  const stop = effect(() => {
    const pose = target.value;
    const body = { pose, task: task.value, ...settings.value, joints: joints.value, cells: CELLS };
    if (armKey.value === "null" || session.value === "") return;
    if (pose === null) {
      asker.forget(); // another arm has come: what is still on its way is of the one before
      busy.value = false;
      return;
    }
    const others = untracked(() => start.value); // a click in the map must not make another map
    busy.value = true;
    asker.ask({ name: session.value, body: { ...body, start: others } });
  });
  return () => {
    stop();
    asker.forget();
    busy.value = false;
  };
}

onLanguage(() => {
  if (failure.peek() !== null) settings.value = { ...settings.peek() };
});

/** Take a cell as the start, and go down from there. */
export function startAt(column: number, row: number): void {
  const known = map.peek();
  const across = known?.across[column];
  const up = known?.up[row];
  if (known === null || across === undefined || up === undefined) return;
  const rounded = (value: number): number => Number(value.toFixed(3));
  start.value = known.start.with(known.joints[0], rounded(across)).with(known.joints[1], rounded(up));
  void descend();
}

/** Choose the joints of the map; the same one twice changes places. */
export function chooseJoint(place: 0 | 1, joint: number): void {
  const [first, second] = joints.peek();
  const other = place === 0 ? second : first;
  const before = place === 0 ? first : second;
  const rest = other === joint ? before : other;
  joints.value = place === 0 ? [joint, rest] : [rest, joint];
}
