/** "Papers" in the project's menu: each experiment of the papers opens as a project that is ready to be played. */

import { signal } from "@preact/signals";
import { asFailure, fetchJson } from "../api";
import { t } from "../i18n";
import { edit, undo } from "../project";
import type { PaperContent, PaperRow } from "../protocol.gen";
import { say } from "../toasts";
import { openPanel } from "./layout";

const rows = signal<readonly PaperRow[] | null>(null);

/** The list; `onChoose` is called before an experiment opens. */
export function PapersMenu({ onChoose }: { onChoose: () => void }) {
  return (
    <details
      class="papers"
      onToggle={(event) => {
        if (event.currentTarget.open) void fetchRows();
      }}
    >
      <summary title={t("papers.hint")}>{t("papers.title")}</summary>
      {rows.value === null && <p>{t("papers.loading")}</p>}
      {rows.value?.map((row) => (
        <button
          key={row.name}
          type="button"
          data-paper={row.name}
          onClick={() => {
            onChoose();
            void openPaper(row);
          }}
        >
          <strong>{row.paper}</strong> {row.title}
        </button>
      ))}
    </details>
  );
}

async function fetchRows(): Promise<void> {
  try {
    rows.value = await fetchJson<readonly PaperRow[]>("api/papers");
  } catch (reason) {
    say("error", t("papers.refused", { message: asFailure(reason).message }), { key: "papers" });
  }
}

/** Put an experiment in the place of the project, and show its panel; undo brings the project back. */
async function openPaper(row: PaperRow): Promise<void> {
  try {
    const { project, panel } = await fetchJson<PaperContent>(`api/papers/${encodeURIComponent(row.name)}`);
    const failure = await edit(t("papers.label", { title: row.title }), () => project, { quiet: true });
    if (failure !== null) throw failure;
    openPanel(panel);
    say("good", t("papers.opened", { paper: row.paper, title: row.title }), {
      key: "papers",
      actions: [{ text: t("edit.undo"), run: undo }],
    });
  } catch (reason) {
    say("error", t("papers.refused", { message: asFailure(reason).message }), { key: "papers" });
  }
}
