/** An experiment of a paper takes the place of the project: arm, scene, what is played, and its plots. */

import { play } from "../acts";
import { asFailure, fetchJson } from "../api";
import { t } from "../i18n";
import { setUp } from "../panels/plots/state";
import { editWhole, undo } from "../project";
import type { PaperContent } from "../protocol.gen";
import { say, unsay } from "../toasts";
import { openPanel } from "./layout";

/** Open an experiment by its name, in its panel or another one; undo brings the project back. */
export async function openPaper(name: string, panel?: string): Promise<void> {
  try {
    const content = await fetchJson<PaperContent>(`api/papers/${encodeURIComponent(name)}`);
    const { title } = content.project;
    const failure = await editWhole(t("papers.label", { title }), () => content.project, { quiet: true });
    if (failure !== null) throw failure;
    if (content.plots !== null) setUp(content.plots);
    openPanel(panel ?? content.panel);
    say("good", t("papers.opened", { title }), {
      key: "papers",
      actions: [
        { text: t("papers.play"), run: () => playPaper(content) },
        { text: t("edit.undo"), run: undo },
      ],
    });
  } catch (reason) {
    say("error", t("papers.refused", { message: asFailure(reason).message }), { key: "papers" });
  }
}

/** Play it, with its plots in sight. */
function playPaper({ plays, plots }: PaperContent): void {
  if (plots !== null) openPanel("plots");
  play(plays);
  unsay("papers");
}
