/** `<Segments label={…} choices={[{id, title}]} chosen={…} onChoose={…} />`: a row of choices of which one holds. */

import { useId } from "preact/hooks";
import { Icon, type IconName } from "./icon";

export interface Choice<Id extends string> {
  readonly id: Id;
  readonly title: string;
  /** A tip, where the title alone says too little. */
  readonly hint?: string;
  /** Shown in place of the title, which is then its name. */
  readonly icon?: IconName;
}

interface SegmentsProps<Id extends string> {
  readonly label: string;
  readonly choices: readonly Choice<Id>[];
  readonly chosen: Id;
  readonly onChoose: (id: Id) => void;
  readonly disabled?: boolean;
}

export function Segments<Id extends string>({
  label,
  choices,
  chosen,
  onChoose,
  disabled,
}: SegmentsProps<Id>) {
  const name = useId();
  return (
    <div class="segments" role="radiogroup" aria-label={label}>
      {choices.map(({ id, title, hint, icon }) => (
        <label key={id} class={icon === undefined ? "segment" : "segment icon"} title={hint ?? title}>
          <input
            type="radio"
            name={name}
            value={id}
            checked={chosen === id}
            disabled={disabled}
            aria-label={title}
            onChange={() => onChoose(id)}
          />
          {icon === undefined ? <span>{title}</span> : <Icon name={icon} />}
        </label>
      ))}
    </div>
  );
}
