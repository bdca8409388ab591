/** A scenario: steps in a list, edited in place, run, paused and stepped; what would go wrong is found before. */

import { t } from "../../i18n";
import { live } from "../../live";
import { Help } from "../../parts/help";
import { Icon } from "../../parts/icon";
import { project } from "../../project";
import type { ScenarioFile } from "../../protocol.gen";
import { PlayAnyway } from "../../workbench/play-anyway";
import { addStep, changeHead, isOutdated, problem, scenario } from "./acts";
import { StepEditor } from "./editor";
import { Findings } from "./findings";
import { StepList } from "./list";
import { Beginning, FileButtons } from "./open";
import { problemText } from "./problem";
import { RunBar } from "./run";
import "./scenario.css";
import { rounded, STEP_KINDS } from "./steps";
import { startText } from "./words";

export default function ScenarioPanel() {
  const made = scenario.value;
  if (project.value === null) return <p class="quiet loading">{t("loading.arm")}</p>;
  return (
    <div class="scenario">
      {made === null ? (
        <>
          <Problem />
          <Beginning />
        </>
      ) : (
        <>
          <div class="scenario-bar">
            <RunBar />
            <Help text={t("scenario.help")} about={t("scenario.title")} />
            <FileButtons />
          </div>
          <Problem />
          <div class="scenario-body">
            <div class="scenario-left">
              <StepList />
              <AddButtons />
            </div>
            <div class="scenario-right">
              <Findings />
              <StepEditor />
              <Head made={made} />
            </div>
          </div>
        </>
      )}
    </div>
  );
}

function Problem() {
  const wrong = problem.value;
  const isHere = wrong !== null && (wrong.step < 0 || wrong.file !== undefined);
  return (
    <>
      {isHere && (
        <div class="card scenario-problem" data-kind="error" role="alert">
          <p>{problemText(wrong)}</p>
          <PlayAnyway code={wrong.text.code} onPlay={() => (problem.value = null)} />
          {wrong.file !== undefined && <p>{t("scenario.file.unchanged")}</p>}
        </div>
      )}
      {isOutdated.value && (
        <div class="card scenario-problem" data-kind="warn" role="status">
          <p>{t("scenario.run.outdated")}</p>
        </div>
      )}
    </>
  );
}

/** Its title, and where the arm begins. */
function Head({ made }: { made: ScenarioFile }) {
  return (
    <div class="scenario-head" role="group" aria-label={t("scenario.head.heading")}>
      <input
        class="text-field scenario-title"
        type="text"
        maxLength={60}
        aria-label={t("scenario.head.title")}
        value={made.title}
        onChange={(event) => {
          const title = event.currentTarget.value.trim();
          if (title === "") event.currentTarget.value = made.title;
          else void changeHead({ title });
        }}
      />
      <span class="scenario-start" title={t("scenario.head.startHint")}>
        {t("scenario.head.start", { where: startText(made.start, project.value?.poses ?? []) })}
      </span>
      <button
        type="button"
        onClick={() => void changeHead({ start: [...live.command].map((value) => rounded(value, 3)) })}
      >
        {t("scenario.head.startHere")}
      </button>
    </div>
  );
}

function AddButtons() {
  return (
    <div class="scenario-add" role="group" aria-label={t("scenario.add.label")}>
      {STEP_KINDS.map((kind) => (
        <button key={kind} type="button" data-add-step={kind} onClick={() => void addStep(kind)}>
          <Icon name="add" />
          {t(`scenario.do.${kind}`)}
        </button>
      ))}
    </div>
  );
}
