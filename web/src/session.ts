/** Which session this page looks at: remembered in the browser, found again after a reload, recreated after a restart. */

import { effect, signal, untracked } from "@preact/signals";
import { hearState } from "./age";
import { otherStates, selectedArm } from "./arms";
import { ask, asFailure, createSession, fetchRobots } from "./api";
import { handlers, holding } from "./events";
import { goal } from "./goal";
import { history } from "./history";
import { language, onLanguage, t } from "./i18n";
import { savedPositions, savedProject, savePositions, writeDown } from "./saved";
import { followSlow, is, live, NUMBERS_PER_FRAME, takeState } from "./live";
import { forget, recall, remember } from "./memory";
import { dispatch } from "./messages";
import { rounded } from "./numbers";
import { isCurrent } from "./own-joints";
import { abcOf } from "./poses";
import { doc, editor } from "./project";
import type { Project, SavedPositions } from "./protocol.gen";
import { save } from "./recording";
import { forgetReload, reloadOnce } from "./reload";
import { takeSensed } from "./sensed";
import { say, unsayAll } from "./toasts";
import { link, type Socket, useWire, Wire } from "./wire";

/** The session's name: part of the addresses of api.ts. */
export const session = signal("");

/** Open the session and stay with it. */
export function startSession(): void {
  const wire = new Wire({
    open: (url, protocol) => new WebSocket(url, protocol) as Socket,
    session: currentSession,
    onUnknownSession: (name) => {
      if (recall("session") === name) forget("session");
      session.value = "";
    },
    probe,
    onEvent: (event) => dispatch(handlers, event),
    onState: (buffer) => {
      if (takeSensed(buffer) || !takeState(buffer)) return;
      hearState();
      history.take(live);
    },
  });
  useWire(wire);
  effect(() => {
    if (link.value === "open") return;
    notePositions();
    editor.onLost();
    goal.value = null;
  });
  onLanguage(() => {
    unsayAll();
    wire.send({ type: "set_language", language: language.peek() });
  });
  effect(() => {
    if (link.value === "stale") reloadOnce();
    else if (link.value === "open") forgetReload();
  });
  effect(() => {
    followSlow();
    if (!is("moving")) notePositions();
  });
  selectedArm.subscribe(() => history.clear()); // the curves are those of the selected arm
  addEventListener("pagehide", () => {
    writeDown();
    notePositions();
  });
  addEventListener("online", () => void wire.connect());
  addEventListener("focus", () => {
    if (link.value === "denied") void wire.connect(); // perhaps the link was opened in another tab
  });
  void wire.connect();
}

/** Write down where the arms stand, unless the last state is still of the arms that were there before. */
function notePositions(): void {
  const document = doc.peek();
  const positions = positionsNow();
  if (document !== null && positions !== null) savePositions(document.project, positions.arms);
}

/** Return the remembered session, or make one: from the saved project, where there is one. */
async function currentSession(): Promise<string> {
  return alone(async () => {
    const remembered = recall("session");
    const name = remembered === null || remembered === "" ? await makeSession(savedProject()) : remembered;
    session.value = name;
    return name;
  });
}

async function makeSession(project: Project | null): Promise<string> {
  let name: string;
  if (project === null) name = await createSession(null);
  else name = await reopen(project);
  remember("session", name);
  return name;
}

async function reopen(project: Project): Promise<string> {
  try {
    const positions = { arms: savedPositions(project), bodies: {} };
    const name = await createSession({ ...project, positions });
    say("info", t("session.resumed"), { key: "session" });
    return name;
  } catch (reason) {
    const failure = asFailure(reason);
    if (failure.code === "network" || failure.code === "no_access") throw failure;
    const name = await createSession(null);
    say("error", t("session.refused", { message: failure.message }), {
      key: "session",
      actions: [{ text: t("session.save"), run: () => saveFile(project) }],
    });
    return name;
  }
}

/** Tabs that find their session gone must not make one each: one at a time, where the browser can do that. */
async function alone<Result>(work: () => Promise<Result>): Promise<Result> {
  const locks = (navigator as { locks?: LockManager }).locks;
  return locks === undefined ? work() : locks.request("armlab.session", work);
}

async function probe(): Promise<"fine" | "denied" | "away"> {
  try {
    await fetchRobots();
    return "fine";
  } catch (reason) {
    return asFailure(reason).code === "no_access" ? "denied" : "away";
  }
}

/** Let the person save the project as a file, with where arms and bodies stand now. */
export function saveFile(project: Project): void {
  const whole = { ...project, positions: positionsNow() };
  const content = new Blob([JSON.stringify(whole, null, 2)], { type: "application/json" });
  save(content, `${fileStem(project.title)}.armlab.json`);
}

/** Let the person save the session's project as one file, with the arms that were imported. */
export async function saveWhole(title: string): Promise<void> {
  const content = await (await ask(`api/sessions/${encodeURIComponent(session.peek())}/project`)).blob();
  const ending = content.type === "application/zip" ? "zip" : "json";
  save(content, `${fileStem(title)}.armlab.${ending}`);
}

/** Return where arms and movable bodies stand, and what the tools hold; null before the first state. */
export function positionsNow(): SavedPositions | null {
  const document = doc.peek();
  if (document === null || !untracked(isCurrent)) return null;
  const movable = new Set(
    document.project.bodies.filter(({ mass }) => mass !== null).map(({ name }) => name),
  );
  const frames = document.layout.bodies.flatMap((name, i) =>
    movable.has(name) ? [[name, poseAt(live.bodies, i)] as const] : [],
  );
  const plain = (values: Float32Array): number[] => Array.from(values, (value) => rounded(value, 4));
  const own = [selectedArm.peek(), { q: plain(live.command), held: holding.peek() }] as const;
  const others = [...otherStates()].map(
    ([name, { command, held }]) =>
      [name, { q: plain(command), held: document.layout.bodies[held] ?? null }] as const,
  );
  return { arms: Object.fromEntries([own, ...others]), bodies: Object.fromEntries(frames) };
}

/** Return X Y Z (mm) and A B C (°) of the frame at an index. */
function poseAt(frames: Float32Array, index: number): SavedPositions["bodies"][string] {
  const [x = 0, y = 0, z = 0, w = 1, i = 0, j = 0, k = 0] = frames.subarray(
    index * NUMBERS_PER_FRAME,
    (index + 1) * NUMBERS_PER_FRAME,
  );
  const [a, b, c] = abcOf([w, i, j, k]);
  return [
    rounded(x * 1000, 3),
    rounded(y * 1000, 3),
    rounded(z * 1000, 3),
    rounded(a, 4),
    rounded(b, 4),
    rounded(c, 4),
  ];
}

/** Return a name that every file system takes. */
function fileStem(title: string): string {
  const plain = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[-.]+|[-.]+$/g, "");
  return plain === "" ? "project" : plain;
}
