/** The arms of the scene: one is selected, and the document's arm, poses, plan, programs and sensors are its own. */

import { computed, untracked } from "@preact/signals";
import type { Failure } from "./api";
import { t } from "./i18n";
import { Flag, followSlow, live, type OtherState, splitOthers } from "./live";
import { isCurrent } from "./own-joints";
import { doc, edit, plainArm, project } from "./project";
import type { ArmChoice, OtherArm, Project } from "./protocol.gen";
import { send } from "./wire";

export const MAX_ARMS = 6;

/** What an arm has of its own in a project. */
export type Own = Omit<OtherArm, "name">;

/** Every arm of the scene, the selected one among them, in the order of the list. */
export const arms = computed<readonly OtherArm[]>(() =>
  project.value === null ? [] : allArms(project.value),
);
export const selectedArm = computed(() => project.value?.arm_name ?? "");
export const hasSeveral = computed(() => (project.value?.others.length ?? 0) > 0);

function ownOf({ arm, poses, plan, scenario, sensors, program, real }: Own): Own {
  return { arm, poses, plan, scenario, sensors, program, real };
}

/** Return every arm of a project in the order of the list. */
export function allArms(made: Project): readonly OtherArm[] {
  const at = Math.min(made.arm_index, made.others.length);
  return made.others.toSpliced(at, 0, { name: made.arm_name, ...ownOf(made) });
}

/** Return the project with these arms, the one at `index` selected. */
function withArms(before: Project, list: readonly OtherArm[], index: number): Project {
  const at = Math.min(Math.max(index, 0), list.length - 1);
  const selected = list[at];
  if (selected === undefined) return before;
  const others = list.toSpliced(at, 1);
  return { ...before, ...ownOf(selected), arm_name: selected.name, arm_index: at, others };
}

/** Return the project with what one arm has of its own changed, whether it is selected or not; the same where nothing is. */
export function forArm(before: Project, name: string, change: (own: Own) => Own): Project {
  const own = before.arm_name === name ? before : before.others.find(isNamed(name));
  const changed = own === undefined ? undefined : change(own);
  if (changed === undefined || changed === own) return before;
  if (own === before) return { ...before, ...ownOf(changed) };
  const others = before.others.map((other) => (other === own ? { ...other, ...ownOf(changed) } : other));
  return { ...before, others };
}

/** Return the project with one arm more; the selected one stays so. */
export function withAdded(before: Project, name: string, arm: ArmChoice): Project {
  const empty = { poses: [], plan: null, scenario: null, sensors: [], program: null, real: null };
  return { ...before, others: [...before.others, { name, arm, ...empty }] };
}

/** Return the project without an arm; the last one stays. */
export function withoutArm(before: Project, name: string): Project {
  const list = allArms(before);
  if (list.length < 2) return before;
  const left = list.filter((arm) => arm.name !== name);
  const next = name === before.arm_name ? before.arm_index : left.findIndex(isNamed(before.arm_name));
  return withArms(before, left, next);
}

/** Return the project with an arm called otherwise. */
export function withName(before: Project, from: string, to: string): Project {
  if (before.arm_name === from) return { ...before, arm_name: to };
  return { ...before, others: before.others.map((arm) => (arm.name === from ? { ...arm, name: to } : arm)) };
}

const isNamed =
  (name: string) =>
  (arm: OtherArm): boolean =>
    arm.name === name;

/** Let an arm be the selected one, for all pages; what the arms do goes on. */
export function selectArm(name: string): void {
  if (name !== selectedArm.peek()) send({ type: "select_arm", name });
}

/** Add an arm of the catalog with its base at X Y Z (mm) A B C (°); resolves to why not, or null. */
export function addArm(name: string, model: string, base: ArmChoice["base"]): Promise<Failure | null> {
  const arm = { ...plainArm(model), base };
  return edit(t("arms.edit.add", { name }), (before) => withAdded(before, name, arm), { quiet: true });
}

export function removeArm(name: string): Promise<Failure | null> {
  return edit(t("arms.edit.remove", { name }), (before) => withoutArm(before, name));
}

/** Call an arm otherwise; resolves to why not, or null. */
export function renameArm(from: string, to: string): Promise<Failure | null> {
  return edit(t("arms.edit.rename", { name: to }), (before) => withName(before, from, to), { quiet: true });
}

/** Return a name for another arm that nothing in the scene has. */
export function freeName(made: Project): string {
  const taken = new Set([...allArms(made).map(({ name }) => name), ...made.bodies.map(({ name }) => name)]);
  for (let n = made.others.length + 2; ; n += 1) {
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
  const bases = allArms(made).map(({ arm }) => ({ base: arm.base, reach: reachOf(arm.name) }));
  const edge = Math.max(...bases.map(({ base, reach: own }) => base[1] + own * SHARE));
  const [x, , z] = made.arm.base;
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
  const flags = name === doc.peek()?.project.arm_name ? live.flags : (otherStates().get(name)?.flags ?? 0);
  if ((flags & Flag.playing) !== 0) return "playing";
  return (flags & Flag.moving) !== 0 ? "moving" : "still";
}
