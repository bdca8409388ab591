/** The catalog's own numbers of the arm, the tools, and the changes that a person makes. */

import { computed, effect, signal } from "@preact/signals";
import { asFailure, Failure, fetchJson, fetchOriginal, fetchSheet } from "../../api";
import { t } from "../../i18n";
import { failureText } from "../../parts/failure";
import { edit, plainArm, project, type ProjectOfArm } from "../../project";
import type { ArmChoice, RobotSheet } from "../../protocol.gen";
import { session } from "../../session";
import { link } from "../../wire";
import {
  AT_ORIGIN,
  type DhColumn,
  type End,
  type Frame,
  rangesOf,
  valuesOf,
  withBaseValue,
  withComValue,
  withDhValue,
  withLimit,
  withPayload,
  withTcpValue,
} from "./changes";
import { Streak } from "./pull";

/** How the columns of a table are written. */
export const SYMBOLS: Readonly<Record<DhColumn, string>> = { theta: "θ", d: "d", a: "a", alpha: "α" };
export const BASE_NAMES = ["X", "Y", "Z", "A", "B", "C"] as const;

const sheets = signal<Readonly<Record<string, RobotSheet>>>({});
const armName = computed(() => project.value?.arm.name ?? "");
/** The text of an arm of the user's own; null for one of the catalog. */
const armFile = computed(() => project.value?.arm.file ?? null);
const sheetKey = computed(() => `${armName.value}\n${armFile.value ?? ""}`);
/** The arm as the catalog, or its own file, has it. */
export const original = computed<RobotSheet | null>(() => sheets.value[sheetKey.value] ?? null);
export const originalFailure = signal<Failure | null>(null);

/** The names of the tools; null until the server told them. */
export const tools = signal<readonly string[] | null>(null);
export const toolsFailure = signal<Failure | null>(null);

effect(() => {
  if (link.value !== "open") return;
  if (tools.peek() === null) void loadTools();
  if (armName.value !== "" && sheetKey.value !== "" && original.peek() === null) void loadOriginal();
});

export async function loadOriginal(): Promise<void> {
  const [name, key, file] = [armName.peek(), sheetKey.peek(), armFile.peek()];
  try {
    const found = file === null ? await fetchSheet(name) : await fetchOriginal(session.peek());
    if (found.name !== name) return; // another arm is on the bench by now
    sheets.value = { ...sheets.peek(), [key]: found };
    originalFailure.value = null;
  } catch (reason) {
    originalFailure.value = asFailure(reason);
  }
}

export async function loadTools(): Promise<void> {
  try {
    tools.value = await fetchJson<readonly string[]>("api/tools");
    toolsFailure.value = null;
  } catch (reason) {
    toolsFailure.value = asFailure(reason);
  }
}

const streak = new Streak();

/** Change the arm; return null when that is done, else why it was refused, in the reader's words. */
async function changeArm(
  label: string,
  change: (arm: ArmChoice) => ArmChoice,
  coalesce = false,
): Promise<string | null> {
  const { name } = project.peek()?.arm ?? { name: "" };
  const onlyThis = (before: ProjectOfArm): ProjectOfArm =>
    before.arm.name === name ? { ...before, arm: change(before.arm) } : before;
  const failure = await edit(label, onlyThis, { quiet: true, coalesce });
  if (failure === null) return null;
  streak.end();
  return failureText(failure);
}

/** Change a value of the table. Values that are typed or stepped quickly become one step of undo; `coalesce` says it for a
 * hand on a slider. */
export function changeDh(
  own: RobotSheet,
  index: number,
  column: DhColumn,
  value: number,
  coalesce?: boolean,
): Promise<string | null> {
  const label = t("arm.edit.dh", { what: SYMBOLS[column], joint: own.joints[index]?.name ?? "" });
  const change = (arm: ArmChoice): ArmChoice =>
    withDhValue(arm, valuesOf(own.dh_standard), index, column, value);
  return changeArm(label, change, coalesce ?? streak.coalesces(label));
}

export function changeLimit(own: RobotSheet, index: number, end: End, value: number) {
  const label = t("arm.edit.limits", { joint: own.joints[index]?.name ?? "" });
  const change = (arm: ArmChoice): ArmChoice => withLimit(arm, rangesOf(own.joints), index, end, value);
  return changeArm(label, change, streak.coalesces(label));
}

export function changeBase(index: number, value: number) {
  const label = t("arm.edit.base", { what: BASE_NAMES[index] ?? "" });
  return changeArm(label, (arm) => withBaseValue(arm, index, value), streak.coalesces(label));
}

export function changeTcp(own: Frame, index: number, value: number) {
  const label = t("tool.edit.tcp", { name: BASE_NAMES[index] ?? "" });
  return changeArm(label, (arm) => withTcpValue(arm, own, index, value), streak.coalesces(label));
}

export function changePayloadMass(mass: number) {
  const label = t("tool.edit.mass");
  return changeArm(label, (arm) => withPayload(arm, { mass }), streak.coalesces(label));
}

export function changePayloadCom(index: number, value: number) {
  const label = t("tool.edit.com", { name: BASE_NAMES[index] ?? "" });
  return changeArm(label, (arm) => withComValue(arm, index, value), streak.coalesces(label));
}

/** Choose a tool: its point is its own, what it carries stays. */
export function changeTool(tool: string) {
  return changeArm(t("arm.edit.tool", { name: toolWord(tool) }), (arm) => ({ ...arm, tool, tcp: null }));
}

/** Put everything, or some of it, back to what the catalog says. */
export const reset = {
  dh: () => changeArm(t("arm.edit.dhReset"), (arm) => ({ ...arm, dh: null })),
  limits: () => changeArm(t("arm.edit.limitsReset"), (arm) => ({ ...arm, limits: null })),
  base: () => changeArm(t("arm.edit.baseReset"), (arm) => ({ ...arm, base: AT_ORIGIN })),
  tcp: () => changeArm(t("tool.edit.tcpReset"), (arm) => ({ ...arm, tcp: null })),
  payload: () => changeArm(t("tool.edit.payloadReset"), (arm) => ({ ...arm, payload: null })),
  all: () => changeArm(t("arm.edit.allReset"), ({ name, file }) => plainArm(name, file)),
};

/** Return the reader's word for a tool; one that we have no word for is called by its name. */
export function toolWord(name: string): string {
  const key = `arm.tool.${name}`;
  const word = t(key);
  return word === key ? name : word;
}
