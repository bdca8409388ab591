/** What becomes of a plan elsewhere: a step of the scenario, or an array in a file. */

import { useSignal } from "@preact/signals";
import { asFailure, ask } from "../../api";
import { t } from "../../i18n";
import { recall, remember } from "../../memory";
import { failureText } from "../../parts/failure";
import { Icon } from "../../parts/icon";
import { NumberField } from "../../parts/number-field";
import { session } from "../../session";
import { openPanel } from "../../workbench/layout";
import { addMove } from "../scenario/acts";
import { moveOfPlan } from "../scenario/plan-step";
import { draft, type Plan, planOf } from "./draft";

const KINDS = ["csv", "json", "npy"] as const;
const KEPT = "panel.planner.step";
const FIRST_STEP_MS = 10;

export function Export() {
  const step = useSignal(Number(recall(KEPT) ?? FIRST_STEP_MS) || FIRST_STEP_MS);
  const problem = useSignal<string | null>(null);
  const plan = planOf(draft.value);
  if (plan === null) return null;
  const save = async (kind: (typeof KINDS)[number]): Promise<void> => {
    problem.value = null;
    try {
      const response = await ask(`api/sessions/${session.peek()}/plan-table.${kind}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ plan, step: step.peek() / 1000 }),
      });
      const named = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "");
      offer(await response.blob(), named?.[1] ?? `plan.${kind}`);
    } catch (reason) {
      problem.value = failureText(asFailure(reason));
    }
  };
  return (
    <div class="planner-export" role="group" aria-label={t("planner.export")}>
      <ToScenario plan={plan} />
      <NumberField
        label={t("planner.step")}
        value={step.value}
        unit="ms"
        digits={1}
        lower={1}
        upper={1000}
        onCommit={(value) => {
          step.value = value;
          remember(KEPT, String(value));
        }}
      />
      {KINDS.map((kind) => (
        <button
          key={kind}
          type="button"
          data-export={kind}
          title={t(`planner.export.${kind}`)}
          onClick={() => void save(kind)}
        >
          <Icon name="download" />
          {kind === "npy" ? "NumPy" : kind.toUpperCase()}
        </button>
      ))}
      <p class="problem" role="alert">
        {problem.value}
      </p>
    </div>
  );
}

function ToScenario({ plan }: { plan: Plan }) {
  const hasEnds = plan.kind === "joint" && plan.ends !== null;
  return (
    <button
      type="button"
      disabled={hasEnds}
      title={t(hasEnds ? "planner.toScenarioEnds" : "planner.toScenarioHint")}
      onClick={() => {
        void addMove(moveOfPlan(plan), plan.kind === "joint" ? plan.points[0] : undefined).then((isDone) => {
          if (isDone) openPanel("scenario");
        });
      }}
    >
      <Icon name="add" />
      {t("planner.toScenario")}
    </button>
  );
}

function offer(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
