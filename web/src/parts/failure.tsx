/** `<FailureNote failure={…} />`: why there is no answer, in the reader's words, with a way to try again. */

import type { Failure } from "../api";
import { isKey, t } from "../i18n";
import { inWords } from "../i18n/phrasebook";

/** Return the sentence for a failure: ours where we know the code, else the server's own. */
export function failureText(failure: Failure): string {
  const { code, details } = failure;
  const message = inWords(failure.message);
  if (code === "unknown_name" && !failure.message.startsWith("no robot ")) return message;
  const name = typeof details.name === "string" ? details.name : "";
  const key = `failure.${code}`;
  return isKey(key) ? t(key, { name, message }) : t("failure.server_said", { message });
}

export function FailureNote({ failure, onRetry }: { failure: Failure; onRetry?: () => void }) {
  return (
    <div class="card" data-kind="error" role="alert">
      <p>{failureText(failure)}</p>
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          {t("failure.retry")}
        </button>
      )}
    </div>
  );
}
