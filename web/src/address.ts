/**
 * What stands behind the # of the address is done: a link to it can be given away.
 *
 * `#ur5e` puts that arm on the bench, `#paper=s1-gcode` opens an experiment, `#panel=jog` a panel, and
 * `#panel=jog&mode=joints` the jog panel with its keys and buttons; `#open=…` a whole situation.
 */

import { effect } from "@preact/signals";
import { chooseArm, robots } from "./catalog";
import { t } from "./i18n";
import { chooseMode, MODES } from "./panels/jog/state";
import { doc } from "./project";
import { SITUATION } from "./presentation/state";
import { say } from "./toasts";
import { openPanel } from "./workbench/layout";
import { openPaper } from "./workbench/papers";

export interface Wanted {
  readonly arm: string | null;
  readonly paper: string | null;
  readonly panel: string | null;
  readonly mode: string | null;
  /** A packed project and view, as presentation/link.ts reads it. */
  readonly situation: string | null;
}

export function startAddress(): void {
  const follow = (): void => {
    const rows = robots.value;
    const wanted = wantedBy(location.hash);
    if (wanted === null || rows === null || doc.value === null) return;
    window.history.replaceState(null, "", location.pathname + location.search);
    const { arm, paper, panel, mode, situation } = wanted;
    if (situation !== null) void import("./presentation/link").then(({ openLink }) => openLink(situation));
    const jogMode = MODES.find((id) => id === mode);
    if (jogMode !== undefined) chooseMode(jogMode);
    if (paper !== null) void openPaper(paper, panel ?? undefined);
    else if (panel !== null) openPanel(panel);
    if (arm === null) return;
    if (rows.some((row) => row.name === arm)) void chooseArm(arm);
    else say("error", t("failure.unknown_robot", { name: arm }), { key: "address" });
  };
  addEventListener("hashchange", follow);
  effect(follow);
}

/** Return what a hash asks for; null where it asks for nothing. */
export function wantedBy(hash: string): Wanted | null {
  const text = hash.replace(/^#/, "");
  if (text === "") return null;
  const nothing: Wanted = { arm: null, paper: null, panel: null, mode: null, situation: null };
  if (text.startsWith(SITUATION)) return { ...nothing, situation: decoded(text).slice(SITUATION.length) };
  if (!text.includes("=")) return { ...nothing, arm: decoded(text) };
  const asked = new URLSearchParams(text);
  return {
    ...nothing,
    arm: asked.get("arm"),
    paper: asked.get("paper"),
    panel: asked.get("panel"),
    mode: asked.get("mode"),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
