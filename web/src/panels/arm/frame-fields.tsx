/** A few numbers that belong together, X Y Z A B C or some of them: each checked by the server, one line for what is wrong. */

import { useSignal } from "@preact/signals";
import { type ComponentChildren, Fragment } from "preact";
import { useId } from "preact/hooks";
import { CheckedField } from "./checked-field";
import { ResetButton } from "./reset-button";

export interface FrameField {
  /** What stands before the field, and before what is wrong with it. */
  readonly name: string;
  /** What a screen reader says; left out, the name. */
  readonly label?: string;
  /** What stands in a line of its own above this field. */
  readonly caption?: string;
  readonly value: number;
  readonly own: number;
  readonly unit: "mm" | "°" | "kg";
  readonly lower: number;
  readonly upper: number;
  /** Return null when it is done, else why not. */
  readonly onCommit: (value: number) => Promise<string | null>;
}

interface FrameFieldsProps {
  readonly title: string;
  /** Which numbers they are: "base", "tcp", …; written to every field's element. */
  readonly what: string;
  readonly fields: readonly FrameField[];
  readonly isChanged: boolean;
  readonly resetTitle: string;
  readonly onReset: () => Promise<string | null>;
  readonly children?: ComponentChildren;
}

export function FrameFields(props: FrameFieldsProps) {
  const { title, what, fields, children } = props;
  const id = useId();
  const problems = useSignal<Readonly<Record<string, string | null>>>({});
  const wrong = fields.find(({ name }) => problems.value[name] != null);
  return (
    <fieldset class="arm-base" data-numbers={what}>
      <legend class="field-label">{title}</legend>
      <div class="arm-frame">
        {fields.map(({ caption, ...field }) => (
          <Fragment key={field.name}>
            {caption !== undefined && <span class="arm-caption">{caption}</span>}
            <div {...{ [`data-${what}`]: field.name }}>
              <CheckedField
                {...field}
                label={field.name}
                {...(field.label === undefined ? {} : { said: field.label })}
                describedBy={id}
                onProblem={(text) => (problems.value = { ...problems.value, [field.name]: text })}
              />
            </div>
          </Fragment>
        ))}
      </div>
      <p id={id} class="problem" role="alert">
        {wrong === undefined ? "" : `${wrong.name}: ${problems.value[wrong.name] ?? ""}`}
      </p>
      {children}
      <ResetButton isNeeded={props.isChanged} title={props.resetTitle} onReset={props.onReset} />
    </fieldset>
  );
}
