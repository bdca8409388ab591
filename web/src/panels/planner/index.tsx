/** Planning a motion: points of the joints or node frames of the tool, how to go through them, and what comes of it. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { play } from "../../acts";
import { selectedArm } from "../../arms";
import { sheet } from "../../catalog";
import { sentenceOf, takeFailures } from "../../events";
import { t } from "../../i18n";
import { Card } from "../../parts/card";
import { Help } from "../../parts/help";
import { Icon } from "../../parts/icon";
import { Segments } from "../../parts/segments";
import type { Failed } from "../../protocol.gen";
import { untilHalted } from "../../stopping";
import { PlayAnyway } from "../../workbench/play-anyway";
import { isLooping } from "../../workbench/player-bar";
import { askForPlan, forgetPlan, isAsking, planned } from "./ask";
import { Charts } from "./charts";
import { change, chosen, draft, type Mode, planOf, settled } from "./draft";
import { Export } from "./export";
import { showPoints } from "./in-view";
import { PointList } from "./points";
import { Result } from "./result";
import { Settings } from "./settings";
import { clearTrail, hasTrail } from "./trail";
import "./planner.css";

export default function PlannerPanel() {
  const problem = useSignal<Failed | null>(null);
  useEffect(showPoints, []);
  useEffect(() => takeFailures("play", (failed) => (problem.value = failed)), []);
  useEffect(() => {
    problem.value = null; // it was another arm's
  }, [selectedArm.value]);
  if (sheet.value === null) return <p class="quiet loading">{t("loading.arm")}</p>;
  return (
    <div class="planner">
      <Toolbar onStart={() => (problem.value = null)} />
      {problem.value !== null && (
        <Card kind="error" title={t("planner.notPlayed")}>
          <p>{sentenceOf(problem.value.code, problem.value.message)}</p>
          <PlayAnyway code={problem.value.code} onPlay={() => (problem.value = null)} />
        </Card>
      )}
      <div class="planner-columns">
        <div class="planner-make">
          <Settings />
          <PointList />
          <Export />
        </div>
        <Result />
      </div>
      {planned.value !== null && <Charts report={planned.value.report} />}
    </div>
  );
}

function Toolbar({ onStart }: { onStart: () => void }) {
  const made = draft.value;
  const isReady = planOf(made) !== null;
  const modes: readonly { id: Mode; title: string; hint: string }[] = [
    { id: "joint", title: t("planner.mode.joint"), hint: t("planner.mode.jointHint") },
    { id: "tool", title: t("planner.mode.tool"), hint: t("planner.mode.toolHint") },
  ];
  const start = async (): Promise<void> => {
    onStart();
    if (planned.peek() === null) askForPlan();
    const isWanted = untilHalted();
    await settled();
    if (isWanted()) play("plan", isLooping.peek());
  };
  return (
    <div class="planner-head">
      <Segments label={t("planner.mode")} choices={modes} chosen={made.mode} onChoose={chooseMode} />
      <button
        type="button"
        class="primary"
        disabled={!isReady || isAsking.value}
        title={isReady ? t("planner.planHint") : t("planner.needsTwo")}
        onClick={() => {
          onStart();
          askForPlan();
        }}
      >
        {t("planner.plan")}
      </button>
      <button
        type="button"
        class="planner-play"
        disabled={!isReady}
        title={isReady ? t("planner.playHint") : t("planner.needsTwo")}
        onClick={() => void start()}
      >
        <Icon name="play" />
        {t("planner.play")}
      </button>
      <button type="button" disabled={!hasTrail.value} title={t("planner.clearHint")} onClick={clearTrail}>
        {t("planner.clear")}
      </button>
      <span class="planner-key" aria-hidden="true">
        <i data-path="planned" />
        {t("planner.key.planned")}
        <i data-path="travelled" />
        {t("planner.key.travelled")}
      </span>
      <Help text={t("planner.help")} about={t("planner.title")} />
    </div>
  );
}

function chooseMode(mode: Mode): void {
  chosen.value = null;
  forgetPlan();
  change(t("planner.edit.mode"), (made) => ({ ...made, mode }));
}
