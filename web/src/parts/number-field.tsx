/** `<NumberField label={…} value={…} unit="mm" lower={…} upper={…} onCommit={…} />`: a typed number, "," or ".". */

import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { number, t, unit as unitWord } from "../i18n";
import { clamp, parseNumber, rounded } from "../numbers";

export interface NumberFieldProps {
  readonly label: string;
  readonly value: number | null;
  /** "mm", "°", "s", …: shown behind the number, in the reader's language. */
  readonly unit?: string;
  readonly lower?: number;
  readonly upper?: number;
  readonly digits?: number;
  /** What arrow up and down change it by; with Shift a tenth of that. */
  readonly step?: number;
  /** The label is not shown, only said. */
  readonly bare?: boolean;
  readonly disabled?: boolean;
  /** Called with a number inside the limits: on Enter, on leaving the field, on arrow keys. */
  readonly onCommit: (value: number) => void;
  /** Where the problem is shown by the caller; left out, it is shown below the field. */
  readonly onProblem?: (problem: string | null) => void;
}

export function NumberField(props: NumberFieldProps) {
  const { label, value, unit = "", digits = 2, bare = false, disabled = false } = props;
  const id = useId();
  const { draft, held, problem, commit, press } = useDraft(props);
  const shown = value === null ? "" : number(value, digits);
  return (
    <div class={bare ? "field bare" : "field"}>
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
          value={draft.value ?? held.value ?? shown}
          disabled={disabled}
          aria-invalid={problem.value !== null}
          aria-describedby={props.onProblem === undefined ? `${id}-problem` : undefined}
          onInput={(event) => (draft.value = event.currentTarget.value)}
          onChange={commit}
          onFocus={(event) => {
            held.value = event.currentTarget.value;
            event.currentTarget.select();
          }}
          onBlur={() => (held.value = null)}
          onKeyDown={press}
        />
        {unit !== "" && (
          <span class="unit" aria-hidden="true">
            {unitWord(unit)}
          </span>
        )}
      </span>
      {props.onProblem === undefined && (
        <span id={`${id}-problem`} class="problem" role="alert">
          {problem.value}
        </span>
      )}
    </div>
  );
}

/** What is typed stays until it is committed or given up, whatever value comes from outside meanwhile; so does the
 * number that stood there when the field was entered: another one would undo its selection under the typing hand. */
function useDraft(props: NumberFieldProps) {
  const { value, digits = 2, step = 1 } = props;
  const draft = useSignal<string | null>(null);
  const held = useSignal<string | null>(null);
  const problem = useSignal<string | null>(null);
  const setProblem = (text: string | null): void => {
    problem.value = text;
    props.onProblem?.(text);
  };
  const commit = (): void => {
    const text = draft.value;
    if (text === null) return;
    const wrong = problemWith(text, props);
    setProblem(wrong);
    const typed = parseNumber(text);
    if (wrong !== null || typed === null) return;
    draft.value = held.value = null;
    props.onCommit(typed);
  };
  const reset = (): void => {
    draft.value = held.value = null;
    setProblem(null);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Enter") commit();
    else if (event.key === "Escape" && draft.value !== null) {
      event.stopPropagation();
      reset();
    } else if ((event.key === "ArrowUp" || event.key === "ArrowDown") && value !== null) {
      event.preventDefault();
      reset();
      const by = (event.key === "ArrowUp" ? step : -step) * (event.shiftKey ? 0.1 : 1);
      props.onCommit(clamp(rounded(value + by, digits), props.lower ?? -Infinity, props.upper ?? Infinity));
    }
  };
  return { draft, held, problem, commit, press };
}

/** Return what is wrong with the typed text, or null. */
export function problemWith(
  text: string,
  { lower = -Infinity, upper = Infinity, unit = "", digits = 2 }: Partial<NumberFieldProps>,
): string | null {
  const typed = parseNumber(text);
  if (text.trim() === "") return t("problem.empty");
  if (typed === null) return t("problem.notANumber", { text: text.trim() });
  if (typed >= lower && typed <= upper) return null;
  const say = (value: number): string => number(value, digits);
  const values = { value: say(typed), lower: say(lower), upper: say(upper), unit: unitWord(unit) };
  if (lower === -Infinity) return t("problem.above", values);
  return upper === Infinity ? t("problem.below", values) : t("problem.outside", values);
}
