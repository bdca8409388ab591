/** The arms of the scene, by name: added, removed, called otherwise, selected. */

import { computed, untracked } from "@preact/signals";
import type { Failure } from "./api";
import { t } from "./i18n";
import { Flag, followSlow, live, type OtherState, splitOthers } from "./live";
import { isCurrent } from "./own-joints";
import { doc, editWhole, plainArm, selectedArm } from "./project";
import type { ArmChoice, Project, ProjectArm } from "./protocol.gen";
import { send } from "./wire";

export { selectedArm };
export const MAX_ARMS = 6;

/** Every arm of the scene, in the order of the list. */
export const arms = computed<readonly ProjectArm[]>(() => doc.value?.project.arms ?? []);
export const otherArms = computed(() => arms.value.filter(({ name }) => name !== selectedArm.value));
export const hasSeveral = computed(() => arms.value.length > 1);

/** Return an arm with nothing made for it yet. */
export function newArm(name: string, arm: ArmChoice): ProjectArm {
  return { name, arm, poses: [], plan: null, scenario: null, sensors: [], program: null, real: null };
}

/** Return the project with one arm more. */
export function withAdded(before: Project, name: string, arm: ArmChoice): Project {
  return { ...before, arms: [...before.arms, newArm(name, arm)] };
}

/** Return the project without an arm; the last one stays. */
export function withoutArm(before: Project, name: string): Project {
  const left = before.arms.filter((arm) => arm.name !== name);
  return left.length === 0 ? before : { ...before, arms: left };
}

/** Return the project with an arm called otherwise. */
export function withName(before: Project, from: string, to: string): Project {
  return { ...before, arms: before.arms.map((arm) => (arm.name === from ? { ...arm, name: to } : arm)) };
}

/** Let an arm be the selected one, for all pages; what the arms do goes on. */
export function selectArm(name: string): void {
  if (name !== selectedArm.peek()) send({ type: "select_arm", name });
}

/** Add an arm of the catalog with its base at X Y Z (mm) A B C (°); resolves to why not, or null. */
export function addArm(name: string, model: string, base: ArmChoice["base"]): Promise<Failure | null> {
  const arm = { ...plainArm(model), base };
  return editWhole(t("arms.edit.add", { name }), (before) => withAdded(before, name, arm), { quiet: true });
}

export function removeArm(name: string): Promise<Failure | null> {
  return editWhole(t("arms.edit.remove", { name }), (before) => withoutArm(before, name));
}

/** Call an arm otherwise; resolves to why not, or null. */
export function renameArm(from: string, to: string): Promise<Failure | null> {
  return editWhole(t("arms.edit.rename", { name: to }), (before) => withName(before, from, to), {
    quiet: true,
  });
}

/** Return a name for another arm that nothing in the scene has. */
export function freeName(made: Project): string {
  const taken = new Set([...made.arms, ...made.bodies].map(({ name }) => name));
  for (let n = made.arms.length + 1; ; n += 1) {
    const name = t("arms.name", { n });
    if (!taken.has(name)) return name;
  }
}

/** Return where another arm may stand: beside the others, its reach and theirs overlapping. */
export function freeBase(
  made: Project,
  reach: number,
  reachOf: (model: string) => number,
): ArmChoice["base"] {
  const bases = made.arms.map(({ arm }) => ({ base: arm.base, reach: reachOf(arm.name) }));
  const edge = Math.max(...bases.map(({ base, reach: own }) => base[1] + own * SHARE));
  const [x = 0, , z = 0] = made.arms[0]?.arm.base ?? [];
  return [x, Math.ceil((edge + reach * SHARE) / 50) * 50, z, 0, 0, 0];
}

/** Of the reaches of two neighbours, how much is between their bases. */
const SHARE = 0.7;

/** Return the states of the arms that are not selected, by name; none while the newest state is of another revision. */
export function otherStates(): ReadonlyMap<string, OtherState> {
  const document = doc.peek();
  if (document === null || !untracked(isCurrent)) return new Map();
  return splitOthers(live.others, document.layout.others);
}

/** What an arm does: is it moving, or playing? In a component, it follows slowly. */
export function doing(name: string): "still" | "moving" | "playing" {
  followSlow();
  const flags = name === selectedArm.peek() ? live.flags : (otherStates().get(name)?.flags ?? 0);
  if ((flags & Flag.playing) !== 0) return "playing";
  return (flags & Flag.moving) !== 0 ? "moving" : "still";
}
