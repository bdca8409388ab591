/** What a person can do with the arm, as verbs; each sends one command. Joints in their units, poses in mm and °. */

import { signal } from "@preact/signals";
import { flags, Flag } from "./live";
import type { Pose } from "./poses";
import { send } from "./wire";

export type JogFrame = "base" | "tool";
export type Playable = "plan" | "poses" | "scenario" | "recording";
type Six = readonly [number, number, number, number, number, number];

/** Where the joints were last sent to; null as soon as something else moves the arm. */
export const goal = signal<readonly number[] | null>(null);

let sequence = 0;
let waiting: (() => void) | null = null;

flags.subscribe((now) => {
  if ((now & (Flag.jogging | Flag.playing)) !== 0) goal.value = null;
});

/** Return the next number for commands that are told apart by one. */
export function nextSequence(): number {
  sequence = (sequence + 1) % 2 ** 31;
  return sequence;
}

/** Jog the joints: shares of jog speed from -1 to 1; repeat it at 20 Hz or more, or the arm stops. */
export function jogJoints(shares: readonly number[]): boolean {
  return send({ type: "jog_joints", shares, sequence: nextSequence() });
}

/** Jog the tool along x y z and about x y z of a frame; repeat as above. */
export function jogTool(shares: Six, frame: JogFrame): boolean {
  return send({ type: "jog_tool", shares, frame, sequence: nextSequence() });
}

/** Go to joint values; of many calls between two pictures only the last is sent. */
export function moveJoints(q: readonly number[]): void {
  goal.value = q;
  soon(() => {
    if (!send({ type: "move_joints", q })) goal.value = null;
  });
}

/** Go to a pose on the branch that the arm is on; the answer comes in `events.dragged` with the returned number. */
export function moveTool(pose: Pose): number {
  const number = nextSequence();
  goal.value = null;
  soon(() => send({ type: "move_tool", pose, sequence: number }));
  return number;
}

/** Stop everything that moves, now. */
export function stop(): void {
  waiting = null;
  goal.value = null;
  send({ type: "stop" });
}

export const play = (what: Playable, loop = false): boolean => send({ type: "play", what, loop });
export const pause = (): boolean => send({ type: "pause" });
export const resume = (): boolean => send({ type: "resume" });
export const stepOn = (): boolean => send({ type: "step_on" });
export const setPace = (pace: number): boolean => send({ type: "set_pace", pace });
/** Begin again at the end, or not; a motion that ends elsewhere than it starts cannot. */
export const setLoop = (on: boolean): boolean => send({ type: "set_loop", on });
export const pick = (body: string | null = null): boolean => send({ type: "pick", body });
export const place = (): boolean => send({ type: "place" });
export const record = (on: boolean): boolean => send({ type: "record", on });

/** Put the player at a time (s) and hold it there; of many calls between two pictures only the last is sent. */
export function seek(time: number): void {
  soon(() => send({ type: "seek", time }));
}

/** Put bodies and arm back to their start. */
export function resetSimulation(): void {
  goal.value = null;
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
