/** What overloads the arms: a warning over the view that stays as long as it is so, and the links that are tinted. */

import { hasSeveral, selectedArm } from "../arms";
import { overloads } from "../events";
import { sentence, t } from "../i18n";
import type { OverloadWarning } from "../protocol.gen";

/** Return the links of overloaded joints, of every arm by its name; the selected arm's is "". */
export function overloadedLinks(): ReadonlyMap<string, ReadonlySet<string>> {
  const links = new Map<string, Set<string>>();
  for (const { arm, link } of overloads.value) {
    if (link === null) continue;
    const name = arm === selectedArm.value ? "" : arm;
    links.set(name, (links.get(name) ?? new Set()).add(link));
  }
  return links;
}

export function OverloadCard() {
  const warnings = overloads.value;
  return (
    <div role="alert">
      {warnings.length > 0 && (
        <div class="card overload" data-kind="error">
          <p class="card-title">{t("overload.title")}</p>
          <ul aria-live="off">
            {warnings.map((warning) => (
              <li key={`${warning.arm}/${warning.joint ?? ""}/${warning.code}`} data-code={warning.code}>
                {wordsOf(warning)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

/** The figures change several times a second where an arm swings: only the heading is read aloud. */
function wordsOf({ arm, joint, message }: OverloadWarning): string {
  if (joint === null) return message; // it begins with the name of the model
  return hasSeveral.value ? `${arm}: ${message}` : sentence(message);
}
