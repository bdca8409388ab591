/** The derivation as a file: asked for, then handed to the browser; a refusal is told in place. */

import { useSignal } from "@preact/signals";
import { ask, asFailure, type Failure } from "../../api";
import { t } from "../../i18n";
import { FailureNote } from "../../parts/failure";
import { Icon } from "../../parts/icon";
import { session } from "../../session";
import { page, shownQ } from "./state";

const KINDS = ["html", "md", "tex"] as const;
type Kind = (typeof KINDS)[number];
const KEPT_MS = 10_000;

export function Report() {
  const writing = useSignal<Kind | null>(null);
  const failure = useSignal<Failure | null>(null);
  const save = async (kind: Kind): Promise<void> => {
    writing.value = kind;
    failure.value = null;
    try {
      await download(kind);
    } catch (reason) {
      failure.value = asFailure(reason);
    }
    writing.value = null;
  };
  return (
    <>
      <div class="row" role="group" aria-label={t("mathematics.report")}>
        <span class="quiet" aria-hidden="true">
          {t("mathematics.report")}
        </span>
        {KINDS.map((kind) => (
          <button
            key={kind}
            type="button"
            class="mathematics-download"
            disabled={page.value === null || writing.value !== null}
            title={t(`mathematics.report.${kind}.hint`)}
            onClick={() => void save(kind)}
          >
            <Icon name="download" />
            {t(`mathematics.report.${kind}`)}
          </button>
        ))}
      </div>
      <p class="unseen" role="status">
        {writing.value !== null && t("mathematics.writing")}
      </p>
      {failure.value !== null && <FailureNote failure={failure.value} />}
    </>
  );
}

async function download(kind: Kind): Promise<void> {
  const q = shownQ.peek();
  const values = q.length > 0 ? `?q=${q.join(",")}` : "";
  const response = await ask(`api/sessions/${session.peek()}/derivation/report.${kind}${values}`);
  const told = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1];
  const address = URL.createObjectURL(await response.blob());
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = told ?? `derivation.${kind}`;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}
