/** The mathematics of the arm, typeset, with the numbers of where it stands now. */

import { useEffect } from "preact/hooks";
import { isKey, measure, t } from "../../i18n";
import { sheet } from "../../catalog";
import { Card } from "../../parts/card";
import { FailureNote } from "../../parts/failure";
import { Help } from "../../parts/help";
import { Icon } from "../../parts/icon";
import type { FormulaSection } from "../../protocol.gen";
import { CheckFormula } from "./check";
import { Item, told, useDark } from "./formula";
import "./mathematics.css";
import { Report } from "./report";
import {
  busy,
  current,
  derive,
  failure,
  follow,
  open,
  page,
  putIn,
  putNumbersIn,
  shownQ,
  toggle,
} from "./state";
import { hasFailed, katex, loadKatex } from "./tex";

export default function MathematicsPanel() {
  useEffect(follow, []);
  useEffect(loadKatex, []);
  useDark();
  const derivation = page.value;
  return (
    <>
      <Head />
      <CheckFormula />
      {failure.value !== null && <FailureNote failure={failure.value} onRetry={derive} />}
      {(busy.value || (derivation === null && failure.value === null)) && (
        <div class="mathematics-busy" role="status">
          <progress aria-label={t("mathematics.deriving")} />
          <span>{t("mathematics.deriving")}</span>
        </div>
      )}
      {hasFailed.value && <Card kind="warn">{t("mathematics.noKatex")}</Card>}
      {derivation?.sections.map((section) => (
        <Part key={section.id} section={section} />
      ))}
    </>
  );
}

function Head() {
  return (
    <>
      <div class="mathematics-head">
        <div class="row">
          <h3>{t("mathematics.heading")}</h3>
          <Help text={t("mathematics.help")} about={t("mathematics.heading")} />
        </div>
        <Report />
        <label class="mathematics-put-in" title={t("mathematics.putIn.hint")}>
          <input
            type="checkbox"
            checked={putIn.value}
            onChange={(event) => putNumbersIn(event.currentTarget.checked)}
          />
          {t("mathematics.putIn")}
        </label>
      </div>
      <Here />
    </>
  );
}

/** The joint values that the numbers belong to: they stay in sight. */
function Here() {
  const joints = sheet.value?.joints ?? [];
  const q = shownQ.value;
  return (
    <div class="mathematics-here">
      <p class="mathematics-q" aria-label={t("mathematics.at")}>
        {joints.map(({ name, unit }, i) => (
          <span key={name}>
            <span class="quiet">{name}</span> {q[i] === undefined ? "–" : measure(q[i], 2, unit)}
          </span>
        ))}
      </p>
      <p class="unseen" role="status">
        {told.value}
      </p>
    </div>
  );
}

/** A section of the derivation; its formulas are typeset when it is opened. */
function Part({ section }: { section: FormulaSection }) {
  const { id, title } = section;
  const isOpen = open.value.has(id);
  const key = `mathematics.section.${id}`;
  const body = `mathematics-${id}`;
  const heading = isKey(key) ? t(key) : title;
  return (
    <section class="section mathematics-section" aria-label={heading} data-part={id}>
      <div class="section-head">
        <h3>
          <button
            type="button"
            class="section-toggle"
            aria-expanded={isOpen}
            aria-controls={body}
            onClick={() => toggle(id)}
          >
            <Icon name="chevron" />
            {heading}
          </button>
        </h3>
      </div>
      <div id={body} class="section-body" hidden={!isOpen} lang="en">
        {isOpen && <Items section={section} />}
      </div>
    </section>
  );
}

function Items({ section }: { section: FormulaSection }) {
  const shown = current.value.get(section.id) ?? section;
  if (katex.value === null && !hasFailed.value) return <p class="quiet">{t("mathematics.typesetting")}</p>;
  return (
    <>
      {shown.items.map((item, i) => (
        <Item key={i} item={item} hasNumbers={putIn.value} />
      ))}
    </>
  );
}
