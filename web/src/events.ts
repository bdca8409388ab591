/** What the session tells besides its state, as signals; and the words for what happened. */

import { signal } from "@preact/signals";
import { isKey, t } from "./i18n";
import { inWords } from "./i18n/phrasebook";
import type { Command, Handlers } from "./messages";
import { doc, editor } from "./project";
import type { Dragged, Failed, Notice, PlayerReport, Touches, Welcome } from "./protocol.gen";
import { keepProject } from "./kept";
import { say, unsay } from "./toasts";

/** What the player holds; null until something was made. */
export const player = signal<PlayerReport | null>(null);
export const touches = signal<Touches | null>(null);
/** The body that the tool holds. */
export const holding = signal<string | null>(null);
/** The last answer to `moveTool`. */
export const dragged = signal<Dragged | null>(null);
export const welcome = signal<Welcome | null>(null);
/** How many pages look at this session. */
export const pages = signal(1);
/** The last notice, for panels that explain it. */
export const notice = signal<Notice | null>(null);

/** Notices that say nothing a person must read: the page shows their effect. */
const SILENT = new Set(["jog_stopped", "player_ended"]);
const SERIOUS = new Set(["diverged"]);

type CommandType = Command["type"];
const takers = new Map<CommandType, (failed: Failed) => void>();

/** Let a panel show the failures of one command in place, instead of a toast; call the result to stop. */
export function takeFailures(command: CommandType, take: (failed: Failed) => void): () => void {
  takers.set(command, take);
  return () => {
    if (takers.get(command) === take) takers.delete(command);
  };
}

/** Return our words for a code of the server's, or else for its own sentence. */
export function sentenceOf(code: string, message: string): string {
  const key = `failed.${code}`;
  return isKey(key) ? t(key, { message: inWords(message) }) : inWords(message);
}

export const handlers: Handlers = {
  document: (event) => {
    doc.value = event;
    keepProject(event.project);
    editor.onDocument(event);
  },
  welcome: (event) => {
    welcome.value = event;
    pages.value = event.pages;
  },
  dragged: (event) => (dragged.value = event),
  player: (event) => (player.value = event.what === "none" ? null : event),
  touches: (event) => {
    touches.value = event;
    if (event.contacts.length === 0) unsay("notice.contact");
  },
  holding: (event) => (holding.value = event.body),
  notice: hearNotice,
  failed: (event) => {
    if (editor.onFailed(event)) return;
    const taker = takers.get(event.command as CommandType);
    if (taker !== undefined) taker(event);
    else
      say("error", sentenceOf(event.code, event.message), { key: `failed/${event.command}/${event.code}` });
  },
};

function hearNotice(event: Notice): void {
  notice.value = event;
  if (event.code === "other_page") pages.value = Number(event.facts.pages ?? 1);
  if (SILENT.has(event.code)) return;
  const key = `notice.${event.code}`;
  if (!isKey(key)) return;
  say(SERIOUS.has(event.code) ? "error" : "warn", t(key, inOurWords(event.facts)), { key });
}

function inOurWords(facts: Notice["facts"]): Notice["facts"] {
  const said = Object.entries(facts).map(([name, fact]) => [
    name,
    typeof fact === "string" ? inWords(fact) : fact,
  ]);
  return Object.fromEntries(said) as Notice["facts"];
}
