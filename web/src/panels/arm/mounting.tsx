/** What the arm holds, and where it stands. */

import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { t } from "../../i18n";
import { FailureNote } from "../../parts/failure";
import { project } from "../../project";
import { isNear } from "./changes";
import { CheckedField } from "./checked-field";
import { ResetButton } from "./reset-button";
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
  const id = useId();
  const problems = useSignal<readonly (string | null)[]>(BASE_NAMES.map(() => null));
  const base = project.value?.arm.base;
  if (base === undefined) return null;
  const at = problems.value.findIndex((problem) => problem !== null);
  return (
    <fieldset class="arm-base">
      <legend class="field-label">{t("arm.base")}</legend>
      <div class="arm-frame">
        {BASE_NAMES.map((name, i) => (
          <div key={name} data-base={name}>
            <CheckedField
              label={name}
              value={base[i] ?? 0}
              own={0}
              unit={i < 3 ? "mm" : "°"}
              lower={i < 3 ? -MAX_MM : -MAX_DEG}
              upper={i < 3 ? MAX_MM : MAX_DEG}
              describedBy={id}
              onProblem={(text) => (problems.value = problems.value.with(i, text))}
              onCommit={(value) => changeBase(i, value)}
            />
          </div>
        ))}
      </div>
      <p id={id} class="problem" role="alert">
        {at < 0 ? "" : `${BASE_NAMES[at] ?? ""}: ${problems.value[at] ?? ""}`}
      </p>
      <ResetButton
        isNeeded={base.some((value) => !isNear(value, 0))}
        title={t("arm.base.reset")}
        onReset={reset.base}
      />
    </fieldset>
  );
}
