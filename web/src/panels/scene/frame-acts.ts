/** What a person does with user frames; each is one edit that undo takes back. */

import { signal } from "@preact/signals";
import { asFailure, postJson } from "../../api";
import { t } from "../../i18n";
import { newId } from "../../ids";
import { live } from "../../live";
import { rounded } from "../../numbers";
import { failureText } from "../../parts/failure";
import { type Pose, toolPose } from "../../poses";
import { edit, project, userFrames } from "../../project";
import type { FramePose, ThreePoints, UserFrame } from "../../protocol.gen";
import { deselect, select, selection } from "../../selection";
import { session } from "../../session";
import { say } from "../../toasts";

/** The server takes no more. */
const MAX_FRAMES = 50;
export const MAX_NAME = 60;
const DIGITS = 3;

export const POINTS = ["origin", "on_x", "in_plane"] as const;
export type PointName = (typeof POINTS)[number];
export type Point = readonly [number, number, number];

/** The points of a frame that is being taught; null where none is. */
export const points = signal<Partial<Readonly<Record<PointName, Point>>> | null>(null);
/** Why no frame goes through the points. */
export const pointsProblem = signal<string | null>(null);

export function chosenFrame(): UserFrame | null {
  const chosen = selection.value;
  return chosen?.kind === "frame" ? (userFrames.value.find(({ id }) => id === chosen.name) ?? null) : null;
}

/** Return where the tool is, tidy enough to be read and typed. */
function toolHere(): Pose | null {
  const pose = toolPose(live.frames);
  return pose === null ? null : tidy(pose);
}

function tidy(pose: Pose): Pose {
  const [x, y, z, a, b, c] = pose.map((value) => rounded(value, DIGITS));
  return [x ?? 0, y ?? 0, z ?? 0, a ?? 0, b ?? 0, c ?? 0];
}

/** Add a frame where the tool is. */
export function addHere(): void {
  const pose = toolHere();
  if (pose !== null) void addFrame(pose);
}

async function addFrame(pose: Pose): Promise<void> {
  const frames = project.peek()?.frames ?? [];
  if (frames.length >= MAX_FRAMES) {
    say("warn", t("frames.full", { n: MAX_FRAMES }));
    return;
  }
  const id = newId();
  const name = freeName(frames);
  const failure = await edit(t("frames.edit.add", { name }), (before) => ({
    ...before,
    frames: [...before.frames, { id, name, pose }],
  }));
  if (failure === null) select("frame", id);
}

function freeName(frames: readonly UserFrame[]): string {
  const taken = new Set(frames.map(({ name }) => name));
  let n = frames.length + 1;
  while (taken.has(t("frames.name", { n }))) n += 1;
  return t("frames.name", { n });
}

export function changeFrame(frame: UserFrame, change: (before: UserFrame) => UserFrame): void {
  void edit(t("frames.edit.change", { name: frame.name }), (before) => ({
    ...before,
    frames: before.frames.map((one) => (one.id === frame.id ? change(one) : one)),
  }));
}

/** Put a frame where the tool is. */
export function teach(frame: UserFrame): void {
  const pose = toolHere();
  if (pose !== null) changeFrame(frame, (before) => ({ ...before, pose }));
}

export function deleteFrame(frame: UserFrame): void {
  const remove = edit(t("frames.edit.delete", { name: frame.name }), (before) => ({
    ...before,
    frames: before.frames.filter(({ id }) => id !== frame.id),
  }));
  void remove.then((failure) => {
    if (failure === null && selection.peek()?.name === frame.id) deselect();
  });
}

export function takePoint(name: PointName): void {
  const pose = toolHere();
  if (pose === null) return;
  points.value = { ...points.peek(), [name]: [pose[0], pose[1], pose[2]] };
  pointsProblem.value = null;
}

/** Ask for the frame through the three points, and add it. */
export async function createByPoints(): Promise<void> {
  const { origin, on_x, in_plane } = points.peek() ?? {};
  if (origin === undefined || on_x === undefined || in_plane === undefined) return;
  const question: ThreePoints = { origin, on_x, in_plane };
  try {
    const { pose } = await postJson<FramePose>(`api/sessions/${session.peek()}/frame-by-points`, question);
    points.value = null;
    await addFrame(tidy(pose));
  } catch (reason) {
    pointsProblem.value = failureText(asFailure(reason));
  }
}
