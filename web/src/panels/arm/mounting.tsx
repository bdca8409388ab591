/** What the arm holds, and where it stands. */

import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { t } from "../../i18n";
import { FailureNote } from "../../parts/failure";
import { project } from "../../project";
import { isNear } from "./changes";
import { FrameFields } from "./frame-fields";
import { BASE_NAMES, changeBase, changeTool, loadTools, reset, tools, toolsFailure, toolWord } from "./state";

const MAX_MM = 100_000;
const MAX_DEG = 360;

export function ToolSelect() {
  const id = useId();
  const problem = useSignal<string | null>(null);
  const chosen = project.value?.arm.tool ?? "none";
  const names = tools.value ?? [chosen];
  const choose = async (name: string): Promise<void> => {
    problem.value = await changeTool(name);
  };
  if (toolsFailure.value !== null)
    return <FailureNote failure={toolsFailure.value} onRetry={() => void loadTools()} />;
  return (
    <div class="arm-tool">
      <label for={id} class="field-label">
        {t("arm.tool")}
      </label>
      <select
        id={id}
        value={chosen}
        aria-describedby={`${id}-problem`}
        onChange={(event) => void choose(event.currentTarget.value)}
      >
        {(names.includes(chosen) ? names : [chosen, ...names]).map((name) => (
          <option key={name} value={name}>
            {toolWord(name)}
          </option>
        ))}
      </select>
      <p id={`${id}-problem`} class="problem" role="alert">
        {problem.value}
      </p>
    </div>
  );
}

export function BaseFields() {
  const base = project.value?.arm.base;
  if (base === undefined) return null;
  return (
    <FrameFields
      title={t("arm.base")}
      what="base"
      fields={BASE_NAMES.map((name, i) => ({
        name,
        value: base[i] ?? 0,
        own: 0,
        ...(i < 3
          ? { unit: "mm", lower: -MAX_MM, upper: MAX_MM }
          : { unit: "°", lower: -MAX_DEG, upper: MAX_DEG }),
        onCommit: (value) => changeBase(i, value),
      }))}
      isChanged={base.some((value) => !isNear(value, 0))}
      resetTitle={t("arm.base.reset")}
      onReset={reset.base}
    />
  );
}
