/** A move on another kind of path: its points go with it, and what the new path cannot have is named, not lost silently. */

import { sheet } from "../../catalog";
import type { MoveStep } from "../../protocol.gen";
import { jointsFor, toolPoses } from "../planner/ask";
import { asFrame, type Frame, type PathKind, pathOf } from "./steps";

/** What a path may have to leave behind. */
export type Lost = "via" | "scheme" | "times" | "blend" | "toolSpeed" | "arc";

export interface Converted {
  readonly step: MoveStep;
  readonly lost: readonly Lost[];
}

/** Return the move on another path, through the same points as far as it can go through them. */
export async function converted(step: MoveStep, path: PathKind, here: Frame): Promise<Converted> {
  if (path === pathOf(step)) return { step, lost: [] };
  if (path === "joint") return toJoints(step);
  const between = path === "line" && step.arc !== null ? [] : await framesBetween(step, here);
  const lost: Lost[] = [];
  if (path === "line" && step.arc !== null) lost.push("arc");
  if (step.scheme !== null) lost.push("scheme");
  if (step.times !== null) lost.push("times");
  const plain = { ...step, via: [], scheme: null, times: null };
  if (path === "arc") {
    if (between.length > 1) lost.push("via");
    if (step.blend > 0) lost.push("blend");
    const [x, y, z] = between[0] ?? here;
    const goal = step.through === null ? {} : { to: null, to_pose: step.through.at(-1) ?? here };
    return { step: { ...plain, ...goal, through: null, path: "joint", arc: [x, y, z], blend: 0 }, lost };
  }
  const isPlain = path === "line" && between.length === 0;
  if (isPlain && step.through === null) return { step: { ...plain, path: "line", arc: null }, lost };
  if (isPlain)
    return {
      step: { ...plain, path: "line", arc: null, through: null, to_pose: step.through?.at(-1) ?? here },
      lost,
    };
  if (path === "line" && step.path !== "line" && step.blend > 0) lost.push("blend");
  const through = [...between, await goalFrame(step, here)];
  const kind = path === "curve" && step.path !== "line" && step.path !== "joint" ? step.path : "line";
  return { step: { ...plain, to: null, to_pose: null, arc: null, path: kind, through }, lost };
}

async function toJoints(step: MoveStep): Promise<Converted> {
  const lost: Lost[] = [];
  if (step.arc !== null) lost.push("arc");
  if (step.blend > 0) lost.push("blend");
  if (step.tool_speed !== null) lost.push("toolSpeed");
  const via: (readonly number[])[] = [];
  const frames = step.through?.slice(0, -1) ?? [];
  for (const frame of frames) {
    const q = await jointsFor(frame, via.at(-1) ?? sheet.peek()?.joints.map(({ home }) => home) ?? []);
    if (q !== null) via.push(q);
  }
  if (via.length < frames.length) lost.push("via");
  const goal = step.through === null ? {} : { to: null, to_pose: step.through.at(-1) ?? null };
  return {
    step: { ...step, ...goal, through: null, path: "joint", arc: null, blend: 0, tool_speed: null, via },
    lost,
  };
}

/** Return the frames that the move goes through before its goal. */
async function framesBetween(step: MoveStep, here: Frame): Promise<readonly Frame[]> {
  if (step.through !== null) return step.through.slice(0, -1);
  if (step.arc !== null) {
    const [, , , a, b, c] = await goalFrame(step, here);
    return [[...step.arc, a, b, c]];
  }
  return (await toolPoses(step.via)).map(asFrame);
}

async function goalFrame(step: MoveStep, here: Frame): Promise<Frame> {
  if (step.through !== null) return step.through.at(-1) ?? here;
  if (step.to_pose !== null) return step.to_pose;
  const named = sheet.peek()?.configurations.find(({ name }) => name === step.to);
  const q = Array.isArray(step.to) ? (step.to as readonly number[]) : named?.q;
  if (q === undefined) return here;
  const [frame] = await toolPoses([q]);
  return frame === undefined ? here : asFrame(frame);
}
