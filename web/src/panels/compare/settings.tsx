/** What is compared: the command, and the drives, masses and time step on sliders. */

import { measure, t } from "../../i18n";
import { sheet } from "../../catalog";
import { NumberField } from "../../parts/number-field";
import { Segments } from "../../parts/segments";
import { Slider } from "../../parts/slider";
import { project } from "../../project";
import { FIRST, fromSlider, type Question, type Setting, SETTINGS, toSlider } from "./curves";
import { change, question } from "./state";

const COMMANDS: readonly Question["command"][] = ["standard", "plan", "step"];
const LONGEST_S = 30;
const SHORTEST_S = 0.2;
const FARTHEST = 10_000;

export function CommandChoice() {
  const { command } = question.value;
  const hasPlan = project.value?.plan != null;
  return (
    <fieldset class="compare-command">
      <Segments
        label={t("compare.command")}
        choices={COMMANDS.map((id) => ({
          id,
          title: t(`compare.command.${id}`),
          hint: t(`compare.commandHint.${id}`),
        }))}
        chosen={command}
        onChoose={(id) => change({ command: id })}
      />
      {command === "step" && <StepFields />}
      {command === "plan" && !hasPlan && <p class="hint">{t("compare.noPlan")}</p>}
      {command !== "plan" && (
        <NumberField
          label={t("compare.duration")}
          value={question.value.duration}
          unit="s"
          digits={1}
          step={0.5}
          lower={SHORTEST_S}
          upper={LONGEST_S}
          onCommit={(duration) => change({ duration })}
        />
      )}
    </fieldset>
  );
}

function StepFields() {
  const joints = sheet.value?.joints ?? [];
  const { joint, by } = question.value;
  const chosen = joints[joint - 1] === undefined ? 1 : joint;
  return (
    <>
      <label class="compare-joint">
        {t("compare.joint")}
        <select
          value={String(chosen)}
          onChange={(event) => change({ joint: Number(event.currentTarget.value) })}
        >
          {joints.map(({ name }, i) => (
            <option key={name} value={String(i + 1)}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <NumberField
        label={t("compare.by")}
        value={by}
        unit={joints[chosen - 1]?.unit ?? "°"}
        digits={1}
        lower={-FARTHEST}
        upper={FARTHEST}
        onCommit={(value) => change({ by: value })}
      />
    </>
  );
}

export function Settings() {
  const isPlain = SETTINGS.every(({ id }) => question.value[id] === FIRST[id]);
  return (
    <fieldset class="compare-settings" aria-label={t("compare.settings")}>
      {SETTINGS.map((setting) => (
        <Factor key={setting.id} setting={setting} />
      ))}
      <button
        type="button"
        disabled={isPlain}
        onClick={() => change(Object.fromEntries(SETTINGS.map(({ id }) => [id, FIRST[id]])))}
      >
        {t("compare.reset")}
      </button>
    </fieldset>
  );
}

function Factor({ setting }: { setting: Setting }) {
  const { id, lower, upper, unit, scale } = setting;
  const shown = question.value[id] * scale;
  const label = t(`compare.${id}`);
  const set = (value: number): void => change({ [id]: value / scale });
  const digits = shown === 0 || shown >= 100 ? 0 : shown < 1 ? 3 : 2;
  return (
    <div class="compare-factor" data-setting={id} title={t(`compare.${id}Hint`)}>
      <span class="compare-label">{label}</span>
      <Slider
        label={label}
        value={toSlider(setting, shown)}
        lower={toSlider(setting, lower)}
        upper={toSlider(setting, upper)}
        digits={4}
        step={setting.isLog ? 0.1 : 1}
        from={toSlider(setting, FIRST[id] * scale)}
        says={(at) => measure(fromSlider(setting, at), digits, unit)}
        onInput={(at) => set(fromSlider(setting, at))}
      />
      <NumberField
        bare
        label={t("compare.value", { what: label })}
        value={shown}
        unit={unit}
        digits={digits}
        lower={id === "damping" ? 0 : lower}
        upper={upper}
        onCommit={set}
      />
    </div>
  );
}
