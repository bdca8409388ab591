/** Where this page has sent the joints. A goal belongs to one revision of the project and to one motion of the arm:
 * whatever changes either ends it, and the page shows again where the arm is commanded to be. */

import { signal } from "@preact/signals";
import { Flag, live, tick, type Live } from "./live";
import { isCurrent } from "./own-joints";
import { doc } from "./project";

export interface Goal {
  readonly revision: number;
  /** Joint values in ° or mm by the joint's index; joints that are not named stay on course. */
  readonly q: ReadonlyMap<number, number>;
  /** Whether the arm was seen moving there. */
  readonly hasStarted: boolean;
  /** The session's time when it was sent, s. */
  readonly sentAt: number;
}

/** Nearer than this (° or mm), the commanded joint has arrived: states are 32-bit floats. */
const ARRIVED = 1e-3;
/** s: an arm that stands so soon after a goal was sent has ended the motion before it, and not heard of this one yet. */
const PATIENCE = 0.5;

export const goal = signal<Goal | null>(null);

/** Return the goal after some joints were sent elsewhere; an older revision's goals do not count. */
export function withJoints(
  before: Goal | null,
  revision: number,
  joints: Iterable<readonly [number, number]>,
): Goal {
  const earlier = before?.revision === revision ? before.q : [];
  return { revision, q: new Map([...earlier, ...joints]), hasStarted: false, sentAt: live.time };
}

/** Return what is left of a goal when a state arrives: null where something else moves the arm, or the motion is over. */
export function afterState(before: Goal, state: Live): Goal | null {
  if (state.revision > before.revision) return null;
  if (state.revision < before.revision) return before; // a state from before the edit
  if ((state.flags & (Flag.jogging | Flag.playing)) !== 0) return null;
  if ((state.flags & Flag.moving) !== 0) return before.hasStarted ? before : { ...before, hasStarted: true };
  const isThere = [...before.q].every(([index, to]) => Math.abs((state.command[index] ?? to) - to) < ARRIVED);
  return isThere || (before.hasStarted && state.time > before.sentAt + PATIENCE) ? null : before;
}

/** Return where a joint was sent, or where it is commanded to be; undefined until a state of this revision came. */
export function wantedJoint(index: number): number | undefined {
  const sent = goal.value;
  if (sent !== null && sent.revision === doc.value?.revision && sent.q.has(index)) return sent.q.get(index);
  return isCurrent() ? live.command[index] : undefined;
}

/** Keep the goal in step with the document and the states. */
export function startGoal(): void {
  doc.subscribe((document) => {
    if (goal.peek() !== null && goal.peek()?.revision !== document?.revision) goal.value = null;
  });
  tick.subscribe(() => {
    const before = goal.peek();
    if (before !== null) goal.value = afterState(before, live);
  });
}
