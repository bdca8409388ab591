/** A number that the server must agree to: what was refused stays in the field, with the reason beside it. */

import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { number, t, unit as unitWord } from "../../i18n";
import { clamp, parseNumber, rounded } from "../../numbers";
import { problemWith } from "../../parts/number-field";
import { digitsOf, isNear } from "./changes";

export interface CheckedFieldProps {
  readonly label: string;
  readonly value: number;
  /** What the catalog says: a value that differs is marked. */
  readonly own: number;
  /** What a screen reader says in the place of the label. */
  readonly said?: string;
  /** "mm", "°" or "kg". */
  readonly unit: string;
  readonly lower: number;
  readonly upper: number;
  /** The label is only said, and the unit stands elsewhere: for cells of a table. */
  readonly bare?: boolean;
  /** The element that shows the problem. */
  readonly describedBy: string;
  readonly onProblem: (problem: string | null) => void;
  /** Return null when it is done, else why not. */
  readonly onCommit: (value: number) => Promise<string | null>;
}

export function CheckedField(props: CheckedFieldProps) {
  const { label, value, own, unit, bare = false } = props;
  const id = useId();
  const { draft, problem, type, commit, press } = useChecked(props);
  const isChanged = !isNear(value, own);
  const catalogSays = t("arm.changed.was", { value: say(own), unit: unitWord(unit) });
  return (
    <div class={bare ? "field bare" : "field"} data-changed={isChanged ? "" : undefined}>
      <label for={id} class={bare ? "unseen" : "field-label"}>
        {label}
      </label>
      <span class="field-box">
        <input
          id={id}
          class="number"
          type="text"
          inputMode="decimal"
          autocomplete="off"
          value={draft.value ?? say(value)}
          title={isChanged ? catalogSays : undefined}
          aria-label={props.said}
          aria-invalid={problem.value !== null}
          aria-describedby={`${id}-was ${props.describedBy}`}
          onInput={(event) => type(event.currentTarget.value)}
          onChange={() => void commit()}
          onFocus={(event) => event.currentTarget.select()}
          onKeyDown={press}
        />
        {!bare && (
          <span class="unit" aria-hidden="true">
            {unitWord(unit)}
          </span>
        )}
      </span>
      <span id={`${id}-was`} class="unseen">
        {isChanged ? catalogSays : ""}
      </span>
    </div>
  );
}

function useChecked(props: CheckedFieldProps) {
  const { value, lower, upper } = props;
  const draft = useSignal<string | null>(null);
  const problem = useSignal<string | null>(null);
  const asked = useSignal<string | null>(null);
  const tell = (text: string | null): void => {
    problem.value = text;
    props.onProblem(text);
  };
  const commit = async (): Promise<void> => {
    const text = draft.value;
    if (text === null || text === asked.value) return;
    const wrong = problemWith(text, { ...props, digits: 0 });
    const typed = parseNumber(text);
    tell(wrong);
    if (wrong !== null || typed === null) return;
    asked.value = text;
    const refusal = await props.onCommit(typed);
    asked.value = null;
    if (draft.value !== text) return; // somebody typed on meanwhile
    if (refusal === null) draft.value = null;
    tell(refusal);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Enter") void commit();
    else if (event.key === "Escape" && draft.value !== null) {
      event.stopPropagation();
      draft.value = null;
      tell(null);
    } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      event.preventDefault();
      const by = (event.key === "ArrowUp" ? 1 : -1) * (event.shiftKey ? 0.1 : 1);
      const from = parseNumber(draft.value ?? "") ?? value;
      draft.value = say(clamp(rounded(from + by, 3), lower, upper));
      void commit();
    }
  };
  return { draft, problem, type: (text: string) => (draft.value = text), commit, press };
}

function say(value: number): string {
  return number(value, digitsOf(value));
}
