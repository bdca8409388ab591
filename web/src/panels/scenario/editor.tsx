/** The chosen step, in fields. */

import { t } from "../../i18n";
import { NumberField } from "../../parts/number-field";
import { project } from "../../project";
import type { PickStep } from "../../protocol.gen";
import { isFixed } from "../scene/bodies";
import { changeStep, chosen, problem, scenario } from "./acts";
import { MoveEditor } from "./move-editor";
import { problemText } from "./problem";
import type { Step } from "./steps";

const NEAREST = "";

export function StepEditor() {
  const index = chosen.value;
  const step = scenario.value?.steps[index];
  if (step === undefined) return <p class="quiet">{t("scenario.editor.none")}</p>;
  const wrong = problem.value;
  return (
    <div class="scenario-editor" data-editing={index}>
      <h3>{t("scenario.editor.heading", { n: index + 1, what: t(`scenario.do.${step.do}`) })}</h3>
      {wrong !== null && wrong.step === index && wrong.isOfRun !== true && (
        <div class="card" data-kind="error" role="alert">
          <p>{problemText(wrong)}</p>
        </div>
      )}
      <Fields key={`${index}/${step.do}`} step={step} index={index} />
      <Note step={step} index={index} />
    </div>
  );
}

function Fields({ step, index }: { step: Step; index: number }) {
  switch (step.do) {
    case "move":
      return <MoveEditor step={step} index={index} />;
    case "pick":
      return <PickEditor step={step} index={index} />;
    case "wait":
      return (
        <NumberField
          label={t("scenario.wait.seconds")}
          value={step.seconds}
          unit="s"
          digits={2}
          lower={0.01}
          upper={3600}
          step={0.5}
          onCommit={(seconds) => void changeStep(index, () => ({ ...step, seconds }))}
        />
      );
    case "place":
      return <p class="hint">{t("scenario.place.hint")}</p>;
    case "stop":
      return <p class="hint">{t("scenario.stop.hint")}</p>;
  }
}

function PickEditor({ step, index }: { step: PickStep; index: number }) {
  const names = (project.value?.bodies ?? []).filter((body) => !isFixed(body)).map(({ name }) => name);
  const isThere = step.body === null || names.includes(step.body);
  return (
    <label class="field">
      <span class="field-label">{t("scenario.pick.body")}</span>
      <select
        value={step.body ?? NEAREST}
        onChange={(event) => {
          const { value } = event.currentTarget;
          void changeStep(index, () => ({ ...step, body: value === NEAREST ? null : value }));
        }}
      >
        <option value={NEAREST}>{t("scenario.pick.nearest")}</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
        {!isThere && <option value={step.body}>{t("scenario.pick.gone", { name: step.body })}</option>}
      </select>
      {names.length === 0 && <span class="hint">{t("scenario.pick.none")}</span>}
    </label>
  );
}

function Note({ step, index }: { step: Step; index: number }) {
  return (
    <label class="field">
      <span class="field-label">{t("scenario.note")}</span>
      <input
        class="text-field"
        type="text"
        maxLength={600}
        value={step.note}
        placeholder={t("scenario.noteHint")}
        onChange={(event) => {
          const note = event.currentTarget.value.trim();
          void changeStep(index, () => ({ ...step, note }));
        }}
      />
    </label>
  );
}
