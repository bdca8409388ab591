/** `<FailureNote failure={…} />`: why there is no answer, in the reader's words, with a button to try again. */

import type { Failure } from "../api";
import { isKey, sentence, t } from "../i18n";

/** Return the text for a failure: ours where the page has one for its code, else the server's. */
export function failureText({ code, message, parameters }: Failure): string {
  const name = typeof parameters.name === "string" ? parameters.name : "";
  const key = `failure.${code}`;
  return isKey(key) ? t(key, { name }) : sentence(message);
}

export function FailureNote({ failure, onRetry }: { failure: Failure; onRetry?: () => void }) {
  return (
    <div class="card" data-kind="error" role="alert">
      <p>{failureText(failure)}</p>
      {onRetry !== undefined && !failure.isRefusal && (
        <button type="button" onClick={onRetry}>
          {t("failure.retry")}
        </button>
      )}
    </div>
  );
}
