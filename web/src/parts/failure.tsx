/** What went wrong, in the reader's words: the server sends codes and values, the sentences are made here. */

import type { Failure } from "../api";
import { t } from "../i18n";
import { isOffline, retry } from "../state";

/** Return the sentence for a failure. */
export function failureText(failure: Failure): string {
  const name = failure.details.name;
  if (failure.code === "network") return t("failure.network");
  if (failure.code === "unknown_name" && typeof name === "string") return t("failure.unknown_name", { name });
  if (failure.code === "internal") return t("failure.internal");
  return t("failure.server_said", { message: failure.message });
}

/** One failure in place, with the names that were perhaps meant. */
export function FailureNote({ failure }: { failure: Failure }) {
  const near = nearNames(failure);
  return (
    <div class="failure" role="alert">
      <p>{failureText(failure)}</p>
      {near.length > 0 && (
        <p>
          {t("failure.near")}{" "}
          {near.map((name) => (
            <a key={name} class="near" href={`#${name}`}>
              {name}
            </a>
          ))}
        </p>
      )}
    </div>
  );
}

/** Says so while nobody answers; the page keeps the last numbers and tries again by itself. */
export function OfflineBanner() {
  return (
    <div class="offline-place" role="alert">
      {isOffline.value && (
        <div class="offline">
          <span>{t("failure.network")}</span>
          <button type="button" onClick={() => void retry()}>
            {t("failure.retry")}
          </button>
        </div>
      )}
    </div>
  );
}

function nearNames(failure: Failure): readonly string[] {
  const near = failure.details.near;
  return Array.isArray(near) ? near.filter((name) => typeof name === "string") : [];
}
