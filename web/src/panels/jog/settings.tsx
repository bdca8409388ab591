/** How the buttons and keys move: held or by steps, how fast, in which frame; and what the gamepad does. */

import { shortNumber, t, unit as unitWord, withUnit } from "../../i18n";
import { Segments } from "../../parts/segments";
import { Slider } from "../../parts/slider";
import { referenceName } from "../../reference";
import { padState } from "./listening";
import {
  chooseFrame,
  chooseSpeed,
  chooseStep,
  frame,
  JOG_FRAMES,
  mode,
  speed,
  SPEED_RANGE,
  step,
} from "./state";
import { sizeOf, STEPS, type Step } from "./steps";

const MOST_LETTERS = 14;

export function Frames({ label }: { label: string }) {
  const choices = JOG_FRAMES.map((id) => ({
    id,
    title: id === "reference" ? shortName(referenceName()) : t(`jog.frame.${id}`),
    hint: t(`jog.frameHint.${id}`),
  }));
  return <Segments label={label} choices={choices} chosen={frame.value} onChoose={chooseFrame} />;
}

/** A segment has room for a short name. */
function shortName(name: string): string {
  return name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS - 1)}…` : name;
}

export function Settings({ units }: { units: readonly string[] }) {
  return (
    <div class="jog-settings">
      {mode.value === "tool" && (
        <>
          <span aria-hidden="true">{t("jog.frame")}</span>
          <Frames label={t("jog.frame")} />
        </>
      )}
      <StepChoice units={units} />
      <SpeedChoice />
    </div>
  );
}

/** One choice for lengths and angles: "10 mm · 5 °". */
function StepChoice({ units }: { units: readonly string[] }) {
  const words = (id: Step): string =>
    units.map((unit) => withUnit(shortNumber(sizeOf(id, unit), 1), unit)).join("\n");
  const choices = STEPS.map((id) => ({
    id,
    title: id === "hold" ? t("jog.step.hold") : words(id),
    hint:
      id === "hold" ? t("jog.step.holdHint") : t("jog.step.hint", { size: words(id).replace("\n", " · ") }),
  }));
  return (
    <>
      <span aria-hidden="true">{t("jog.step")}</span>
      <Segments label={t("jog.step")} choices={choices} chosen={step.value} onChoose={chooseStep} />
    </>
  );
}

export function SpeedChoice() {
  const isUsed = mode.value === "sliders" || step.value === "hold" || padState.value !== "none";
  return (
    <>
      <span aria-hidden="true">{t("jog.speed")}</span>
      <div class="jog-speed" title={isUsed ? t("jog.speedHint") : t("jog.speedUnused")}>
        <Slider
          label={t("jog.speed")}
          value={speed.value}
          lower={SPEED_RANGE.lower}
          upper={SPEED_RANGE.upper}
          unit="%"
          digits={0}
          step={5}
          disabled={!isUsed}
          onInput={chooseSpeed}
        />
        <output>
          {shortNumber(speed.value, 0)} {unitWord("%")}
        </output>
      </div>
    </>
  );
}

/** What keys and sticks do, in one line each. */
export function Hints() {
  const pad = padState.value;
  return (
    <div class="jog-hints hint">
      <p class="keys">{t("jog.keys")}</p>
      {pad !== "none" && (
        <p class="jog-pad" data-state={pad} role="status">
          <strong>{t(`jog.pad.${pad}`)}</strong>{" "}
          {t(mode.value === "tool" ? "jog.pad.tool" : "jog.pad.joints")}
        </p>
      )}
    </div>
  );
}
