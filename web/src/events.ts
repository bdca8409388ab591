/** What the session tells besides its state, as signals; and the words for what happened. */

import { computed, signal } from "@preact/signals";
import { isAskedTwice, playAnyway } from "./acts";
import { goal } from "./goal";
import { isKey, sentence, t } from "./i18n";
import type { Command, Handlers } from "./messages";
import { afterChange, doc, editor, selectedArm } from "./project";
import type {
  ConsoleReport,
  Document,
  Dragged,
  Failed,
  Lease,
  MessageCode,
  Notice,
  OverloadWarning,
  PlayerProgress,
  PlayerReport,
  Proximity,
  Welcome,
} from "./protocol.gen";
import { hearRecording } from "./recording";
import { saveProject } from "./saved";
import { hearStop, hearWelcome } from "./stopping";
import { say, unsay } from "./toasts";
import { send } from "./wire";

/** What the player holds; null until something was made. */
export const player = signal<PlayerReport | null>(null);
/** Which one it is: the same while more becomes known of it; 0 for none. */
export const playerNumber = computed(() => player.value?.number ?? 0);
/** Where it is; null until it has begun. */
export const progress = signal<PlayerProgress | null>(null);
/** Whether it has come to its end. */
export const isAtEnd = (): boolean => player.value === null || progress.value?.is_over === true;
export const proximity = signal<Proximity | null>(null);
/** What overloads the arms at the moment. */
export const overloads = signal<readonly OverloadWarning[]>([]);
/** The body that the tool holds. */
export const holding = signal<string | null>(null);
/** How far each jaw of the gripper has closed on that, mm; null where the tool has no jaws. */
export const jawTravel = signal<number | null>(null);
/** The last answer to `moveTool`. */
export const dragged = signal<Dragged | null>(null);
export const welcome = signal<Welcome | null>(null);
/** How many pages look at this session. */
export const pages = signal(1);
/** The last notice, for panels that explain it. */
export const notice = signal<Notice | null>(null);

/** Notices that say nothing a person must read, if they are about the arm that the page shows: it shows their effect. */
const SILENT = new Set<MessageCode>(["jog_stopped", "player_ended"]);
/** Which page moves which arm, by the arms' names. */
const holders = new Map<string, number | null>();
const SERIOUS = new Set<MessageCode>(["diverged"]);

type CommandType = Command["type"];
const takers = new Map<CommandType, (failed: Failed) => void>();

/** Let a panel show the failures of one command in place, instead of a toast; call the result to stop. */
export function takeFailures(command: CommandType, take: (failed: Failed) => void): () => void {
  takers.set(command, take);
  return () => {
    if (takers.get(command) === take) takers.delete(command);
  };
}

/** Return the text for a failure: ours where the page has one for its code, else the server's. */
export function sentenceOf(code: string, message: string): string {
  const key = `failed.${code}`;
  return isKey(key) ? t(key) : sentence(message);
}

let consoleTaker: ((report: ConsoleReport) => void) | null = null;
/** Hear what lines of the console did; the last to ask hears them. */
export function onConsole(hear: (report: ConsoleReport) => void): void {
  consoleTaker = hear;
}

export const handlers: Handlers = {
  document: takeDocument,
  changed: (event) => {
    const after = afterChange(doc.peek(), event);
    if (after === null) send({ type: "show_document" });
    else takeDocument(after);
  },
  welcome: (event) => {
    hearWelcome(event);
    welcome.value = event;
    pages.value = event.pages;
  },
  dragged: (event) => (dragged.value = event),
  player: (event) => {
    if (event.what === "none") progress.value = null;
    player.value = event.what === "none" ? null : event;
  },
  progress: (event) => (progress.value = event),
  proximity: (event) => {
    proximity.value = event;
    if (event.contacts.length === 0) unsay("notice.contact");
  },
  overloads: ({ warnings }) => (overloads.value = warnings),
  console: (event) => consoleTaker?.(event.report),
  stopped: hearStop,
  lease: hearLease,
  holding: ({ body, jaw }) => {
    holding.value = body;
    jawTravel.value = jaw;
  },
  recording: (event) => hearRecording(event, welcome.peek()?.session ?? ""),
  notice: hearNotice,
  failed: (event) => {
    if (editor.onFailed(event)) return;
    if (event.command === "move_joints") {
      goal.value = null; // the sliders show where the arm is
      if (event.code === "stale") return; // chosen for a project that has just changed
    }
    const { arm } = event;
    if (event.code === "arm_held" && arm !== null) {
      const actions = [{ text: t("arms.takeOver"), run: () => void send({ type: "take_arm", arm }) }];
      say("warn", sentence(event.message), { key: `held/${arm}`, actions });
      return;
    }
    const taker = takers.get(event.command as CommandType);
    const isOther = arm !== null && arm !== selectedArm.peek();
    if (taker !== undefined && !isOther) taker(event);
    else {
      const actions =
        isAskedTwice(event.code) && !isOther ? [{ text: t("player.anyway"), run: playAnyway }] : [];
      const text = sentenceOf(event.code, event.message);
      say("error", isOther ? `${arm}: ${text}` : text, {
        key: `failed/${event.command}/${event.code}`,
        actions,
      });
    }
  },
};

/** Another page may have taken the arm over that this one moved. */
function hearLease({ arm, holder }: Lease): void {
  const me = welcome.peek()?.page;
  const wasMine = holders.get(arm) === me;
  holders.set(arm, holder);
  if (wasMine && holder !== null && holder !== me) say("warn", t("arms.taken", { arm, page: holder }));
}

function takeDocument(document: Document): void {
  doc.value = document;
  saveProject(document.project);
  editor.onDocument(document);
}

function hearNotice(event: Notice): void {
  notice.value = event;
  if (event.code === "other_page") pages.value = Number(event.parameters.count ?? 1);
  if (SILENT.has(event.code) && (event.arm === null || event.arm === selectedArm.peek())) return;
  say(SERIOUS.has(event.code) ? "error" : "warn", sentence(event.message), { key: `notice.${event.code}` });
}
