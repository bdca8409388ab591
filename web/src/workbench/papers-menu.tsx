/** "Papers" in the project's menu: each experiment of the papers opens as a project that is ready to be played. */

import { signal } from "@preact/signals";
import { asFailure, fetchJson } from "../api";
import { t } from "../i18n";
import type { PaperRow } from "../protocol.gen";
import { say } from "../toasts";
import { openPaper } from "./papers";

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
            void openPaper(row.name);
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
