/** What a person can do with the arm, as verbs; each sends one command. Joints in their units, poses in mm and °. */

import { hasSeveral, selectedArm } from "./arms";
import { goal, type Goal, withJoints } from "./goal";
import type { Pose } from "./poses";
import { doc } from "./project";
import { reference } from "./reference";
import { halt, halted, stopsAtPress } from "./stopping";
import type { MessageCode } from "./protocol.gen";
import { send } from "./wire";

/** Whose axes the tool is jogged along: those of the base, its own, or of the frame that poses are shown in. */
export type JogFrame = "base" | "tool" | "reference";
export type Playable = "plan" | "poses" | "scenario" | "recording" | "program";
type Six = readonly [number, number, number, number, number, number];

let sequence = 0;
let waiting: (() => void) | null = null;
/** What `moveSome` was told since the last picture. */
let unsent: Goal | null = null;

/** Return the next number for commands that are told apart by one. */
function nextSequence(): number {
  sequence = (sequence + 1) % 2 ** 31;
  return sequence;
}

/** Where the scene has several arms, a command says which one it is for: another tab may just select another. */
function armOnly(name = selectedArm.peek()): { arm?: string } {
  return hasSeveral.peek() ? { arm: name } : {};
}

/** Jog the joints: shares of jog speed from -1 to 1; repeat it at 20 Hz or more, or the arm stops. */
export function jogJoints(shares: readonly number[]): boolean {
  return send({ type: "jog_joints", shares, sequence: nextSequence(), ...stopsAtPress(), ...armOnly() });
}

/** Jog the tool along x y z and about x y z of a frame; repeat as above. */
export function jogTool(shares: Six, frame: JogFrame): boolean {
  const id = frame === "reference" ? (reference.peek()?.id ?? null) : null;
  const numbers = { sequence: nextSequence(), ...stopsAtPress() };
  return send({ type: "jog_tool", shares, frame, reference: id, ...numbers, ...armOnly() });
}

/** Send joints somewhere, each by its index; the others stay on course. Of many calls between two pictures, what they
 * say together is sent once. */
function moveSome(joints: Iterable<readonly [number, number]>): void {
  const document = doc.peek();
  if (document === null) return;
  const { revision } = document;
  unsent = withJoints(unsent, revision, joints);
  goal.value = withJoints(goal.peek(), revision, unsent.q);
  const targets = Object.fromEntries(unsent.q);
  const begun = stopsAtPress();
  soon(() => {
    unsent = null;
    if (!send({ type: "move_joints", revision, targets, ...begun })) goal.value = null;
  });
}

/** Send one joint somewhere. */
export const moveJoint = (index: number, to: number): void => moveSome([[index, to]]);
/** Send all joints somewhere. */
export const moveJoints = (q: readonly number[]): void => moveSome(q.entries());

/** Go to a pose on the branch that the arm is on; the answer comes in `events.dragged` with the returned number. */
export function moveTool(pose: Pose): number {
  const number = nextSequence();
  unsent = goal.value = null;
  const about = { ...stopsAtPress(), ...armOnly() };
  soon(() => send({ type: "move_tool", pose, sequence: number, ...about }));
  return number;
}

/** Stop everything that moves, now, and end what is held in any page. */
export const stop = halt;

halted.subscribe(forgetMoves);

/** What was still to be sent is void. */
function forgetMoves(): void {
  waiting = null;
  unsent = goal.value = null;
}

/** Stop one arm, by default the selected one; the others go on. */
export function stopArm(name = selectedArm.peek()): void {
  forgetMoves();
  send({ type: "stop", ...armOnly(name) });
}

/** Stop an arm because a hand lets go of it: what other pages hold goes on. */
export function releaseArm(name = selectedArm.peek()): void {
  forgetMoves();
  send({ type: "stop", release: true, ...armOnly(name) });
}

const ASKED_TWICE: readonly string[] = ["motion_exceeds_limits", "motion_touches"] satisfies MessageCode[];

/** Tell whether a motion that was refused is played after a second "yes": it exceeds limits, or touches something. */
export function isAskedTwice(code: string): boolean {
  return ASKED_TWICE.includes(code);
}

interface Playing {
  /** The arm that was selected. */
  readonly arm: string;
  readonly what: Playable;
  readonly loop: boolean;
  /** Also if it exceeds limits of speed, acceleration, jerk or effort, or touches something; never limits of position. */
  readonly anyway: boolean;
}
let asked: Playing | null = null;

export function play(what: Playable, loop = false, anyway = false): boolean {
  asked = { arm: selectedArm.peek(), what, loop, anyway };
  return send({ type: "play", what, loop, ...(anyway ? { anyway } : {}), ...armOnly() });
}

/** Play what was refused because it exceeds limits; another arm that was selected since has not been asked for. */
export function playAnyway(): void {
  if (asked?.arm === selectedArm.peek()) play(asked.what, asked.loop, true);
}

export const pause = (): boolean => send({ type: "pause", ...armOnly() });
export const resume = (): boolean => send({ type: "resume", ...armOnly() });
export const singleStep = (how: "into" | "over" | "out" | "back" = "into"): boolean =>
  send({ type: "single_step", how, ...armOnly() });
/** A line of the console. */
export const enterLine = (
  language: "krl" | "gcode" | "python",
  line: string,
  inputs: Readonly<Record<string, boolean>>,
): boolean => send({ type: "console_line", language, line, inputs, ...armOnly() });
/** Give an input another value: the program that runs sees it. */
export const switchInput = (name: string, value: boolean): boolean =>
  send({ type: "switch_input", name, value, ...armOnly() });
/** At which lines of a program the player holds. */
export const setBreakpoints = (lines: readonly number[]): boolean =>
  send({ type: "set_breakpoints", lines, ...armOnly() });
/** Play to where a line of the program begins. */
export const runToLine = (line: number): boolean => send({ type: "run_to_line", line, ...armOnly() });
export const setRate = (rate: number): boolean => send({ type: "set_rate", rate, ...armOnly() });
/** Begin again at the end, or not; where that is elsewhere, the arm goes back to the start first. */
export const setLoop = (on: boolean): boolean => send({ type: "set_loop", on, ...armOnly() });
export const pick = (body: string | null = null): boolean => send({ type: "pick", body, ...armOnly() });
export const place = (): boolean => send({ type: "place", ...armOnly() });
export const record = (on: boolean): boolean => send({ type: "record", on });

/** Put the player at a time (s) and hold it there; of many calls between two pictures only the last is sent. */
export function seek(time: number): void {
  unsent = null;
  const only = armOnly();
  soon(() => send({ type: "seek", time, ...only }));
}

/** Put bodies and arm back to their start. */
export function resetSimulation(): void {
  unsent = goal.value = null;
  send({ type: "reset_simulation" });
}

function soon(act: () => void): void {
  const isPlanned = waiting !== null;
  waiting = act;
  if (isPlanned) return;
  requestAnimationFrame(() => {
    const run = waiting;
    waiting = null;
    run?.();
  });
}
