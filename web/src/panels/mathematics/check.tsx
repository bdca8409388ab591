/** "Check your formula": is what the reader has worked out right, and where not, at which pose and by how much? */

import { useEffect, useId } from "preact/hooks";
import { type Failure } from "../../api";
import { sentence, shortNumber, t, withUnit } from "../../i18n";
import { Card } from "../../parts/card";
import { FailureNote } from "../../parts/failure";
import { Section } from "../../parts/section";
import type { FormulaNames, FormulaReport } from "../../protocol.gen";
import {
  busy,
  check,
  chooseQuantity,
  failure,
  followArm,
  judged,
  names,
  quantity,
  text,
  verdict,
} from "./check-state";

const GROUPS = ["point", "rotation", "jacobian"] as const;
type Group = (typeof GROUPS)[number];
const SHOWN_DIGITS = 6;

export function CheckFormula() {
  return (
    <Section
      id="mathematics.check"
      title={t("mathematics.check")}
      help={t("mathematics.check.help")}
      open={false}
    >
      <Form />
    </Section>
  );
}

function Form() {
  const id = useId();
  useEffect(followArm, []);
  const known = names.value;
  const wrong = failure.value;
  return (
    <form
      class="mathematics-check"
      onSubmit={(event) => {
        event.preventDefault();
        check();
      }}
    >
      <div class="mathematics-check-row">
        <Quantity known={known} />
        <span aria-hidden="true">=</span>
        <input
          class="text-field mathematics-check-text"
          type="text"
          aria-label={t("mathematics.check.text")}
          aria-describedby={`${id}-names`}
          aria-invalid={wrong !== null}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={2000}
          value={text.value}
          placeholder={exampleOf(known)}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={busy.value || text.value.trim() === ""}>
          {t("mathematics.check.go")}
        </button>
      </div>
      <div aria-live="polite">
        {verdict.value !== null && <Verdict report={verdict.value} />}
        {wrong !== null && <Problem failure={wrong} />}
      </div>
      {known !== null && <Names id={`${id}-names`} known={known} />}
    </form>
  );
}

function Quantity({ known }: { known: FormulaNames | null }) {
  const all = known?.quantities ?? ["x"];
  return (
    <select
      class="text-field mathematics-check-quantity"
      aria-label={t("mathematics.check.quantity")}
      value={quantity.value}
      onChange={(event) => chooseQuantity(event.currentTarget.value)}
    >
      {GROUPS.map((group) => (
        <optgroup key={group} label={t(`mathematics.check.group.${group}`)}>
          {all
            .filter((name) => groupOf(name) === group)
            .map((name) => (
              <option key={name} value={name}>
                {titleOf(name)}
              </option>
            ))}
        </optgroup>
      ))}
    </select>
  );
}

export function groupOf(name: string): Group {
  if (name.startsWith("r") || name === "phi") return "rotation";
  return name.startsWith("J") || name === "det" ? "jacobian" : "point";
}

function titleOf(name: string): string {
  if (name === "phi") return "φ";
  return name === "det" ? "det J" : name;
}

function exampleOf(known: FormulaNames | null): string {
  return known?.lengths.some(({ name }) => name === "L2") === true
    ? "L1*cos(t1) + L2*cos(t1+t2)"
    : "a1*cos(t1)";
}

function Verdict({ report }: { report: FormulaReport }) {
  return (
    <Card kind={report.right ? "good" : "warn"}>
      <p>{sentence(report.message)}</p>
      {report.expected !== null && (
        <dl class="mathematics-check-numbers">
          <dt>{t("mathematics.check.yours")}</dt>
          <dd data-value="yours">
            {report.yours === null ? t("mathematics.check.none") : shown(report.yours)}
          </dd>
          <dt>{t("mathematics.check.expected")}</dt>
          <dd data-value="expected">{shown(report.expected)}</dd>
        </dl>
      )}
    </Card>
  );
}

function shown(value: number): string {
  const size = Math.floor(Math.log10(Math.max(Math.abs(value), 1)));
  return shortNumber(value, Math.max(0, SHOWN_DIGITS - 1 - size));
}

/** Return a text in three: before a place (from 1), the word or sign there, and what follows. */
export function cutAt(whole: string, column: number): readonly [string, string, string] {
  const rest = whole.slice(column - 1);
  const word = /^(?:[\p{L}\d_.]+|.)/u.exec(rest)?.[0] ?? "";
  return [whole.slice(0, column - 1), word, rest.slice(word.length)];
}

/** What is wrong with the text, and a mark below the place. */
function Problem({ failure: problem }: { failure: Failure }) {
  const { column } = problem.parameters;
  const [before, word, after] = cutAt(judged.value, typeof column === "number" ? column : 1);
  return (
    <>
      <FailureNote failure={problem} onRetry={check} />
      {typeof column === "number" && (
        <pre class="mathematics-check-place" aria-hidden="true">
          {before}
          <mark>{word || " "}</mark>
          {after}
        </pre>
      )}
    </>
  );
}

/** What may stand in the formula, and how long the arm's lengths are. */
function Names({ id, known }: { id: string; known: FormulaNames }) {
  return (
    <div id={id} class="hint mathematics-check-names">
      <p>{t("mathematics.check.names", { names: known.known.join(", ") })}</p>
      {known.lengths.length > 0 && (
        <p>
          {known.lengths
            .map(({ name, value }) => `${name} = ${withUnit(shortNumber(value, 2), "mm")}`)
            .join(", ")}
        </p>
      )}
    </div>
  );
}
