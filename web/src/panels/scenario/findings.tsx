/** What the check found: a click on one shows its step. */

import { t } from "../../i18n";
import { Icon } from "../../parts/icon";
import { chosen, findings } from "./acts";
import { findingText, stepOf } from "./words";

export function Findings() {
  const found = findings.value;
  if (found === null) return null;
  if (found.length === 0)
    return (
      <p class="scenario-clean" role="status">
        <Icon name="check" />
        {t("scenario.found.nothing")}
      </p>
    );
  return (
    <section class="scenario-findings" aria-label={t("scenario.found.heading")}>
      <h3>{t("scenario.found.count", { n: found.length })}</h3>
      <ul>
        {found.map((finding, i) => {
          const step = stepOf(finding);
          return (
            <li key={i} data-level={finding.severity}>
              <button
                type="button"
                class="scenario-finding"
                disabled={step < 0}
                onClick={() => (chosen.value = step)}
              >
                {step >= 0 && <strong>{t("scenario.found.step", { n: step + 1 })}</strong>}{" "}
                {findingText(finding)}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
