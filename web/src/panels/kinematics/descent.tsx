/** Levenberg and Marquardt's method from where the arm is: its steps as a table, a plot, and a ghost that walks. */

import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { moveJoints } from "../../acts";
import { sheet } from "../../catalog";
import { number, t, unit as unitWord } from "../../i18n";
import { Card } from "../../parts/card";
import { FailureNote } from "../../parts/failure";
import { IconButton } from "../../parts/icon-button";
import { Section } from "../../parts/section";
import { type Row, Table } from "../../parts/table";
import type { StepsReport } from "../../protocol.gen";
import "./descent.css";
import { LmForm } from "./lm-form";
import { Plot } from "./plot";
import { at, descend, lookAt, playing, stepFailure, trace } from "./state";
import { scientific } from "./words";

const BEAT_MS = 450;

export function Descent() {
  const report = trace.value;
  return (
    <Section id="kinematics.lm" title={t("kinematics.lm")} help={t("kinematics.lm.help")} open={false}>
      <LmForm />
      {stepFailure.value !== null && (
        <FailureNote failure={stepFailure.value} onRetry={() => void descend()} />
      )}
      {report === null ? <p class="quiet">{t("kinematics.lm.none")}</p> : <Trace report={report} />}
    </Section>
  );
}

function Trace({ report }: { report: StepsReport }) {
  useSignalEffect(() => {
    if (!playing.value) return;
    const timer = setInterval(() => void lookAt(at.peek() + 1), BEAT_MS);
    return () => clearInterval(timer);
  });
  return (
    <>
      <Outcome report={report} />
      <Controls last={report.steps.length} />
      <Plot report={report} />
      <Steps report={report} />
    </>
  );
}

function Outcome({ report }: { report: StepsReport }) {
  return (
    <div aria-live="polite">
      <Card
        kind={report.converged ? "good" : "warn"}
        title={t(report.converged ? "kinematics.lm.reached" : "kinematics.lm.missed", {
          n: report.steps.length,
        })}
      >
        <p>
          {t(`kinematics.lm.stop.${report.stop}`, {
            mm: scientific(report.position_error),
            degrees: scientific(report.rotation_error),
          })}
        </p>
      </Card>
    </div>
  );
}

function Controls({ last }: { last: number }) {
  const step = at.value;
  const toggle = (): void => {
    if (step === last && !playing.value) void lookAt(0);
    playing.value = !playing.value;
  };
  const stepTo = (to: number): void => {
    playing.value = false;
    void lookAt(to);
  };
  const end = trace.value?.q;
  return (
    <div class="row kinematics-controls" role="group" aria-label={t("kinematics.lm.controls")}>
      <IconButton
        icon={playing.value ? "hold" : "play"}
        label={t(playing.value ? "kinematics.lm.pause" : "kinematics.lm.play")}
        onClick={toggle}
      />
      <span class="kinematics-back">
        <IconButton
          icon="step"
          label={t("kinematics.lm.back")}
          disabled={step === 0}
          onClick={() => stepTo(step - 1)}
        />
      </span>
      <IconButton
        icon="step"
        label={t("kinematics.lm.step")}
        disabled={step === last}
        onClick={() => stepTo(step + 1)}
      />
      <span class="kinematics-at" data-step={step}>
        {t("kinematics.lm.at", { step, last })}
      </span>
      <button type="button" onClick={() => end !== undefined && moveJoints(end)}>
        {t("kinematics.lm.go")}
      </button>
    </div>
  );
}

function Steps({ report }: { report: StepsReport }) {
  const box = useRef<HTMLDivElement>(null);
  const step = at.value;
  useEffect(() => {
    const row = box.current?.querySelector<HTMLElement>("[data-chosen]");
    const region = box.current?.firstElementChild;
    if (row == null || region == null) return;
    const over = row.offsetTop + row.offsetHeight - region.clientHeight - region.scrollTop;
    const under = row.offsetTop - 2 * row.offsetHeight - region.scrollTop;
    if (over > 0) region.scrollTop += over;
    else if (under < 0) region.scrollTop += under;
  }, [step, report]);
  return (
    <div ref={box} class="kinematics-steps">
      <Table
        label={t("kinematics.lm.table")}
        head={[
          "k",
          "λ",
          `‖e‖, ${unitWord("mm")}`,
          "‖Δθ‖",
          t("kinematics.lm.step.verdict"),
          ...(sheet.value?.joints ?? []).map(({ name, unit }) => `${name}, ${unitWord(unit)}`),
        ]}
        rows={rowsOf(report, step)}
      />
    </div>
  );
}

/** One row per step that was tried, with where it started, and last where it all ended. */
function rowsOf(report: StepsReport, step: number): Row[] {
  const look = (to: number) => (): void => {
    playing.value = false;
    void lookAt(to);
  };
  const values = (q: readonly number[]): string[] => q.map((value) => number(value, 2));
  const rows = report.steps.map((one, i) => ({
    key: String(i),
    chosen: i === step,
    onClick: look(i),
    cells: [
      i,
      scientific(one.damping),
      scientific(one.error),
      scientific(one.step),
      <span key="accepted" class="kinematics-verdict" data-accepted={one.accepted}>
        {t(one.accepted ? "kinematics.lm.accepted" : "kinematics.lm.rejected")}
      </span>,
      ...values(one.q),
    ],
  }));
  const last = report.steps.length;
  const end = ["", scientific(report.error), "", t("kinematics.lm.end"), ...values(report.q)];
  return [
    ...rows,
    { key: "end", chosen: step === last, onClick: look(last), cells: [number(last, 0), ...end] },
  ];
}
