/** Every joint as a slider and a number: the thumb and the field are its target, the mark where it is. */

import { useSignal } from "@preact/signals";
import { moveJoint } from "../../acts";
import { goal, wantedJoint } from "../../goal";
import { number, t, unit as unitWord } from "../../i18n";
import { followFast, followSlow, live } from "../../live";
import { NumberField } from "../../parts/number-field";
import { Slider } from "../../parts/slider";
import type { JointRow } from "../../protocol.gen";
import { capOf } from "./keymap";
import { caps } from "./listening";

export function Sliders({ joints }: { joints: readonly JointRow[] }) {
  return (
    <ul class="joints">
      {joints.map((joint, index) => (
        <Joint key={joint.name} joint={joint} index={index} />
      ))}
    </ul>
  );
}

function Joint({ joint, index }: { joint: JointRow; index: number }) {
  if (goal.value === null) followFast();
  else followSlow();
  const { name, lower, upper, unit } = joint;
  const actual = live.q[index] ?? joint.home;
  const value = wantedJoint(index) ?? joint.home;
  const problem = useSignal<string | null>(null);
  const move = (to: number): void => {
    problem.value = null;
    moveJoint(index, to);
  };
  const label = t("jog.slider", {
    name,
    lower: number(lower, 1),
    upper: number(upper, 1),
    unit: unitWord(unit),
  });
  return (
    <li class="joint" data-joint={name} data-value={actual}>
      <span class="joint-name">{name}</span>
      <Slider
        label={label}
        value={value}
        actual={actual}
        lower={lower}
        upper={upper}
        unit={unit}
        onInput={move}
      />
      <NumberField
        bare
        label={t("jog.value", { name, unit: unitWord(unit) })}
        value={value}
        lower={lower}
        upper={upper}
        unit={unit}
        onCommit={move}
        onProblem={(text) => (problem.value = text)}
      />
      <Keys index={index} />
      <span class="limits" aria-hidden="true">
        <span>{number(lower, 0)}</span>
        <span>{number(upper, 0)}</span>
      </span>
      <span class="problem" role="alert">
        {problem.value}
      </span>
    </li>
  );
}

/** The keys that move the joint while they are held. */
function Keys({ index }: { index: number }) {
  const back = capOf(index, -1, caps.value);
  if (back === "") return null;
  return (
    <span class="joint-keys" title={t("jog.keys")}>
      <kbd>{back}</kbd>
      <kbd>{capOf(index, 1, caps.value)}</kbd>
    </span>
  );
}
