/** The panel's verbs: hold an axis, step it, send the tool; and what became of the last pose that was sent. */

import { effect, signal, untracked } from "@preact/signals";
import { jogJoints, jogTool, moveJoint, moveTool, releaseArm } from "../../acts";
import { selectedArm } from "../../arms";
import { sheet } from "../../catalog";
import { dragged } from "../../events";
import { goal, wantedJoint } from "../../goal";
import { flags, Flag, live } from "../../live";
import { clamp, rounded } from "../../numbers";
import { type Pose, type Quaternion, toolPose } from "../../poses";
import { doc } from "../../project";
import type { Dragged } from "../../protocol.gen";
import { reference } from "../../reference";
import { turnOf } from "../../rigid";
import { beginPress, halted } from "../../stopping";
import { link } from "../../wire";
import { Holder } from "./holding";
import { frame, mode, speed, step } from "./state";
import { apart, sizeOf, stepped, TOOL_AXES, twistOf } from "./steps";

const SLOW = 0.2;
/** Nearer than this (mm, °) the tool is where it was sent to, and the next step starts from there. */
const THERE: readonly [number, number] = [1, 0.2];
const MANY = 256;
/** States are 32-bit floats: what is behind these digits (°, mm) is noise. */
const DIGITS = 4;

/** While Shift is held, everything is slower. */
export const isSlow = signal(false);
/** Where this panel has sent the tool; null as soon as something else moves the arm. */
export const target = signal<Pose | null>(null);
/** Why the tool does not get there; null where it does. */
export const refusal = signal<Dragged | null>(null);
/** The joint that a step would have taken beyond its limit. */
export const atLimit = signal<string | null>(null);

const sent = new Set<number>();

export const holder = new Holder({
  beat: (shares) => {
    atLimit.value = target.value = refusal.value = null;
    return mode.peek() === "tool" ? jogTool(twistOf(shares), frame.peek()) : jogJoints(shares);
  },
  begin: beginPress,
  stop: () => releaseArm(),
  axes,
  speed: () => (speed.peek() / 100) * (isSlow.peek() ? SLOW : 1),
});

dragged.subscribe((answer) => {
  if (answer !== null && sent.delete(answer.sequence)) refusal.value = answer.reached ? null : answer;
});
effect(() => {
  const isElsewhere = goal.value !== null || (flags.value & (Flag.jogging | Flag.playing)) !== 0;
  if (isElsewhere) target.value = refusal.value = null;
});
doc.subscribe(() => (target.value = refusal.value = null));
effect(() => {
  if (link.value !== "open") holder.releaseAll();
});
halted.subscribe(() => holder.releaseAll());
mode.subscribe(() => holder.releaseAll());
selectedArm.subscribe(() => holder.forget());
frame.subscribe(() => holder.releaseAll());
reference.subscribe(() => holder.releaseAll());

/** How many axes the buttons and keys move in this mode. */
export function axes(): number {
  return mode.peek() === "tool" ? TOOL_AXES.length : (sheet.peek()?.joints.length ?? 0);
}

/** Send the tool to a pose; return the number of the answer. */
export function sendTool(pose: Pose): number {
  atLimit.value = null;
  if (sent.size > MANY) sent.clear();
  const sequence = moveTool(pose);
  sent.add(sequence);
  target.value = pose;
  return sequence;
}

/** Move an axis by one step of the chosen size; where steps are off, by 1 mm or 1°. */
export function stepAxis(axis: number, sign: number): void {
  if (mode.peek() === "tool") stepTool(axis, sign);
  else stepJoint(axis, sign);
}

/** Return where the tool is, or where it was sent to: what the next change starts from. */
export function toolFrom(): Pose | null {
  const here = toolPose(live.frames);
  const before = target.peek();
  if (here === null || before === null || refusal.peek() !== null) return here;
  const isMoving = (flags.peek() & Flag.moving) !== 0;
  return isMoving || isThere(before, here) ? before : here;
}

function stepJoint(axis: number, sign: number): void {
  const joint = sheet.peek()?.joints[axis];
  const from = untracked(() => wantedJoint(axis));
  if (joint === undefined || from === undefined) return;
  const to = from + sign * sizeOf(step.peek(), joint.unit);
  atLimit.value = to < joint.lower || to > joint.upper ? joint.name : null;
  moveJoint(axis, clamp(rounded(to, DIGITS), joint.lower, joint.upper));
}

function stepTool(axis: number, sign: number): void {
  const from = toolFrom();
  if (from === null) return;
  const by = sign * sizeOf(step.peek(), axis < 3 ? "mm" : "°");
  const whose = frame.peek();
  const axes = whose === "reference" ? referenceTurn() : baseTurn();
  sendTool(stepped(from, axis, by, whose === "tool" ? "tool" : "base", axes));
}

function isThere(one: Pose, other: Pose): boolean {
  const [distance, turn] = apart(one, other);
  return distance < THERE[0] && turn < THERE[1];
}

function referenceTurn(): Quaternion {
  const chosen = reference.peek();
  return chosen === null ? [1, 0, 0, 0] : turnOf(chosen.pose);
}

function baseTurn(): Quaternion {
  const [, , , w = 1, x = 0, y = 0, z = 0] = live.frames;
  return [w, x, y, z];
}
