/** Where the tool is: x y z in millimetres, A B C in degrees, as the server said last. */

import { number, t, unit as unitWord } from "../i18n";
import { fk, fkFailure } from "../state";
import { FailureNote } from "./failure";

const POSITION = ["X", "Y", "Z"] as const;
const ORIENTATION = ["A", "B", "C"] as const;

export function ToolPose() {
  const failure = fkFailure.value;
  return (
    <section class="tool-pose" aria-labelledby="tool-heading">
      <h3 id="tool-heading" title={t("tool.hint")}>
        {t("tool.heading")}
      </h3>
      <dl class="pose" title={t("tool.hint")}>
        {POSITION.map((name, i) => (
          <Value key={name} name={name} value={fk.value?.xyz[i]} unit="mm" axis={name.toLowerCase()} />
        ))}
        {ORIENTATION.map((name, i) => (
          <Value key={name} name={name} value={fk.value?.abc[i]} unit="°" axis="turn" />
        ))}
      </dl>
      {failure !== null && failure.code !== "network" && <FailureNote failure={failure} />}
    </section>
  );
}

interface ValueProps {
  readonly name: string;
  readonly value: number | undefined;
  readonly unit: string;
  readonly axis: string;
}

function Value({ name, value, unit, axis }: ValueProps) {
  return (
    <div>
      <dt data-axis={axis}>{name}</dt>
      <dd data-pose={name} data-value={value}>
        {value === undefined ? "–" : number(value, 2)}
        <span class="unit">{unitWord(unit)}</span>
      </dd>
    </div>
  );
}
