/** Links that open the same situation: arm, joint values, the whole project and the direction of view. */

import { t } from "../i18n";
import { doc, editWhole, hasAssets, undo } from "../project";
import { positionsNow } from "../session";
import { say } from "../toasts";
import { view, wantedAim } from "../viewer/view";
import { MOST_LETTERS, packed, unpacked } from "./situation";
import { SITUATION } from "./state";

/** A link, or the key of the sentence that says why there is none. */
export type LinkOrProblem =
  { readonly address: string } | { readonly problem: "present.linkTooLong" | "present.linkAssets" };

/** Return the link to what is shown now, or why the project does not fit into an address. */
export async function linkToNow(): Promise<LinkOrProblem> {
  const now = doc.peek()?.project ?? null;
  if (now === null) return { problem: "present.linkTooLong" };
  if (hasAssets(now)) return { problem: "present.linkAssets" };
  const situation = { project: { ...now, positions: positionsNow() }, aim: view.peek()?.showing.aim ?? null };
  const letters = await packed(situation);
  // the page's own address without what is behind ? and #: a key of the server is never part of a link
  return letters.length > MOST_LETTERS
    ? { problem: "present.linkTooLong" }
    : { address: `${location.origin}${location.pathname}#${SITUATION}${letters}` };
}

/** Put the situation of a link in the place of this one; undo brings this one back. */
export async function openLink(letters: string): Promise<void> {
  const situation = await unpacked(letters);
  if (situation === null) {
    say("error", t("present.linkBroken"), { key: "present/link" });
    return;
  }
  const { aim } = situation;
  wantedAim.value = aim;
  addEventListener("pointerdown", () => (wantedAim.value = null), { once: true, capture: true });
  const failure = await editWhole(t("present.linkLabel"), () => situation.project, { quiet: true });
  if (failure !== null) {
    wantedAim.value = null;
    say("error", t("present.linkRefused", { message: failure.message }), { key: "present/link" });
    return;
  }
  const shown = view.peek();
  if (shown !== null && aim !== null) shown.showing.aim = aim; // also where the arm is the same
  say("good", t("present.linkOpened"), {
    key: "present/link",
    actions: [{ text: t("edit.undo"), run: undo }],
  });
}
