/** What a person does with saved poses; each is one edit that undo takes back. */

import { t } from "../../i18n";
import { newId } from "../../ids";
import { live } from "../../live";
import { doc, edit, project, type ProjectOfArm, undo } from "../../project";
import type { SavedPose } from "../../protocol.gen";
import { dismiss, say, toasts } from "../../toasts";
import { shownPanel, sizes } from "../../workbench/layout";
import { attachment } from "./attached";
import { moved } from "./order";

/** The server takes no more. */
const MAX_POSES = 500;
export const MAX_NAME = 60;
const UNDO_MS = 10_000;
const DIGITS = 3;

/** Save where the arm was sent to, under the next free name. */
export function savePose(): void {
  const poses = project.peek()?.poses ?? [];
  if (live.command.length === 0) return;
  if (poses.length >= MAX_POSES) {
    say("warn", t("poses.full", { n: MAX_POSES }));
    return;
  }
  const id = newId();
  const q = currentJoints();
  const name = freeName(poses, (n) => t("poses.name", { n }));
  const add = (before: ProjectOfArm): ProjectOfArm => ({
    ...before,
    poses: [...before.poses, { id, name, q, on: null }],
  });
  void edit(t("poses.edit.save", { name }), add).then((failure) => {
    const isSeen = sizes.peek().bottomOpen && shownPanel("bottom")?.id === "poses";
    if (failure === null && !isSeen) say("good", t("poses.saved", { name }), { key: "poses.saved" });
  });
}

/** Return where the joints were sent, tidy enough to be read and typed. */
export function currentJoints(): readonly number[] {
  const tidy = 10 ** DIGITS;
  return Array.from(live.command, (value) => Math.round(value * tidy) / tidy + 0);
}

/** Give a pose another name; one that is empty or unchanged changes nothing. */
export function rename(pose: SavedPose, typed: string): void {
  const name = typed.trim().slice(0, MAX_NAME);
  if (name === "" || name === pose.name) return;
  void edit(t("poses.edit.rename", { name }), (before) =>
    changed(before, pose.id, (one) => ({ ...one, name })),
  );
}

/** Put where the arm is now in the place of a saved pose. */
export async function overwrite(pose: SavedPose): Promise<void> {
  const q = currentJoints();
  const on = pose.on === null ? null : await attachment(pose.on.body, q).catch(() => null);
  void edit(t("poses.edit.overwrite", { name: pose.name }), (before) =>
    changed(before, pose.id, (one) => ({ ...one, q, on })),
  );
}

/** Put a pose at another place in the list. */
export function move(pose: SavedPose, to: number): void {
  void edit(t("poses.edit.move", { name: pose.name }), (before) => {
    const from = before.poses.findIndex(({ id }) => id === pose.id);
    return from < 0 || from === to ? before : { ...before, poses: moved(before.poses, from, to) };
  });
}

/** Put a copy below a pose. */
export function duplicate(pose: SavedPose): void {
  const id = newId();
  void edit(t("poses.edit.copy", { name: pose.name }), (before) => {
    const at = before.poses.findIndex((one) => one.id === pose.id);
    if (at < 0 || before.poses.length >= MAX_POSES) return before;
    const name = copyName(before.poses, pose.name);
    return { ...before, poses: before.poses.toSpliced(at + 1, 0, { ...pose, id, name }) };
  });
}

/** Take a pose away, and offer to bring it back. */
export async function remove(pose: SavedPose): Promise<void> {
  const at = project.peek()?.poses.findIndex(({ id }) => id === pose.id) ?? -1;
  const label = t("poses.edit.delete", { name: pose.name });
  const failure = await edit(label, (before) => ({
    ...before,
    poses: before.poses.filter(({ id }) => id !== pose.id),
  }));
  if (failure !== null || at < 0) return;
  const revision = doc.peek()?.revision;
  offerUndo("poses.deleted", t("poses.deleted", { name: pose.name }), () => {
    if (doc.peek()?.revision === revision) undo();
    else
      void edit(t("poses.edit.restore", { name: pose.name }), (before) => ({
        ...before,
        poses: before.poses.toSpliced(Math.min(at, before.poses.length), 0, pose),
      }));
  });
}

/** Say what was taken away, with a button that brings it back; it goes away after a while. */
function offerUndo(key: string, text: string, run: () => void): void {
  const take = (): void => {
    for (const toast of toasts.peek()) if (toast.key === key) dismiss(toast.id);
  };
  const action = {
    text: t("edit.undo"),
    run: () => {
      take();
      run();
    },
  };
  say("info", text, { key, actions: [action] });
  const mine = toasts.peek().find((toast) => toast.key === key)?.id;
  setTimeout(() => mine !== undefined && dismiss(mine), UNDO_MS);
}

function changed(before: ProjectOfArm, id: string, change: (pose: SavedPose) => SavedPose): ProjectOfArm {
  return { ...before, poses: before.poses.map((pose) => (pose.id === id ? change(pose) : pose)) };
}

/** Return the first name of a row (P1, P2 …) that no pose has. */
export function freeName(poses: readonly SavedPose[], name: (n: number) => string): string {
  const taken = new Set(poses.map((pose) => pose.name));
  let n = poses.length + 1;
  while (taken.has(name(n))) n += 1;
  return name(n);
}

/** Return a name for a copy: the old one with the next free number in brackets. */
export function copyName(poses: readonly SavedPose[], name: string): string {
  const stem = name.replace(/ \(\d+\)$/, "").slice(0, MAX_NAME - 6);
  const taken = new Set(poses.map((pose) => pose.name));
  let n = 2;
  while (taken.has(`${stem} (${n})`)) n += 1;
  return `${stem} (${n})`;
}

/** Return names without what all of them begin with, up to an underscore: "panda_joint1" is joint1 in a narrow column. */
export function shortNames(names: readonly string[]): readonly string[] {
  const [first = ""] = names;
  let cut = names.length < 2 ? 0 : first.lastIndexOf("_") + 1;
  while (cut > 0 && !names.every((name) => name.startsWith(first.slice(0, cut)) && name.length > cut))
    cut = first.lastIndexOf("_", cut - 2) + 1;
  return names.map((name) => name.slice(cut));
}
