/** The fault clinic: a simulated minute with a fault, or a recording; which fault it shows, since when, how long yet. */

import { useSignal } from "@preact/signals";
import { listed, measure, sentence, t } from "../../i18n";
import { Card } from "../../parts/card";
import { NumberField } from "../../parts/number-field";
import { Table } from "../../parts/table";
import { layout } from "../../project";
import type { ClinicJob, DiagnosisReport, InjectQuestion } from "../../protocol.gen";
import { FileButton } from "./file-button";
import { Progress } from "./progress";
import { clinic, MOST_SEED, recordingAddress, uploadRecording } from "./state";
import { faultTitle, significant } from "./words";

type Fault = NonNullable<InjectQuestion["fault"]>;
const OF_JOINTS: readonly Fault[] = [
  "backlash",
  "gear_wear",
  "belt_slip",
  "stuck_servo",
  "weak_servo",
  "encoder_jump",
];
const FAULTS: readonly Fault[] = [...OF_JOINTS, "loose_tool", "wrong_payload", "imu_bias"];
const FILES = ["csv", "mcap", "parquet"] as const;
const LAST_ONSET_S = 55;

export function Clinic() {
  const fault = useSignal<Fault | "none">("gear_wear");
  const joint = useSignal("");
  const onset = useSignal(30);
  const seed = useSignal(0);
  const joints = layout.value?.joints ?? [];
  const at = joints.includes(joint.value) ? joint.value : "";
  const kind = fault.value === "none" ? null : fault.value;
  const isOfJoint = kind !== null && OF_JOINTS.includes(kind);
  const isBusy = clinic.isRunning.value;
  const start = (): void =>
    void clinic.start({
      fault: kind,
      joint: at === "" || !isOfJoint ? null : at,
      onset: kind === null ? null : onset.value,
      seed: seed.value,
    });
  return (
    <>
      <div class="real-form">
        <FaultChoice value={fault.value} onChoose={(name) => (fault.value = name)} />
        <JointChoice value={at} isOfJoint={isOfJoint} onChoose={(name) => (joint.value = name)} />
        <NumberField
          label={t("real.onset")}
          unit="s"
          value={onset.value}
          digits={1}
          lower={0}
          upper={LAST_ONSET_S}
          disabled={kind === null}
          onCommit={(value) => (onset.value = value)}
        />
        <NumberField
          label={t("real.clinicSeed")}
          value={seed.value}
          digits={0}
          lower={0}
          upper={MOST_SEED}
          onCommit={(value) => (seed.value = Math.round(value))}
        />
        <button type="button" class="primary" disabled={isBusy} onClick={start}>
          {t("real.inject")}
        </button>
        <FileButton
          label={t("real.openRecording")}
          accept=".csv,.mcap,.parquet"
          disabled={isBusy}
          onFile={(file) => void uploadRecording(file)}
        />
      </div>
      <Progress work={clinic} />
      <Diagnosis />
    </>
  );
}

interface FaultChoiceProps {
  readonly value: Fault | "none";
  readonly onChoose: (fault: Fault | "none") => void;
}

function FaultChoice({ value, onChoose }: FaultChoiceProps) {
  return (
    <label>
      {t("real.fault")}
      <select
        aria-label={t("real.fault")}
        value={value}
        onChange={(event) => onChoose(event.currentTarget.value as Fault | "none")}
      >
        <option value="none">{t("real.fault.none")}</option>
        {FAULTS.map((name) => (
          <option key={name} value={name}>
            {faultTitle(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface JointChoiceProps {
  readonly value: string;
  readonly isOfJoint: boolean;
  readonly onChoose: (joint: string) => void;
}

function JointChoice({ value, isOfJoint, onChoose }: JointChoiceProps) {
  return (
    <label>
      {t("real.joint")}
      <select
        aria-label={t("real.joint")}
        value={value}
        disabled={!isOfJoint}
        onChange={(event) => onChoose(event.currentTarget.value)}
      >
        <option value="">{t("real.anyJoint")}</option>
        {(layout.value?.joints ?? []).map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Diagnosis() {
  const job = clinic.job.value;
  if (job?.state !== "done" || job.result === null) return null;
  const { result } = job;
  const title = sentence(result.title);
  return (
    <div class="real-found" data-cause={result.cause ?? "none"}>
      <Card
        kind={result.healthy ? "good" : "warn"}
        title={result.joint === null ? title : t("real.faultOf", { fault: title, joint: result.joint })}
      >
        <p>{sentence(result.evidence)}</p>
        {result.since !== null && result.noticed !== null && (
          <p>
            {t("real.since", {
              since: measure(result.since, 1, "s"),
              noticed: measure(result.noticed, 1, "s"),
            })}
          </p>
        )}
        <Life result={result} />
      </Card>
      <Truth job={job} />
      <Table
        label={t("real.candidates")}
        head={[t("real.candidates"), t("real.joint"), t("real.score")]}
        rows={result.candidates.map(({ cause, joint, score }) => ({
          key: `${cause}.${joint ?? ""}`,
          cells: [faultTitle(cause), joint ?? "–", significant(score)],
        }))}
      />
      {result.findings.map(({ message }) => (
        <p key={message} class="hint">
          {sentence(message)}
        </p>
      ))}
      {result.unseen.length > 0 && (
        <p class="hint">{t("real.unseen", { faults: listed(result.unseen.map(faultTitle)) })}</p>
      )}
      <div class="real-files">
        {FILES.map((kind) => (
          <a key={kind} href={recordingAddress(kind)} download>
            {t("real.recording", { kind: kind.toUpperCase() })}
          </a>
        ))}
      </div>
    </div>
  );
}

/** How long until the limit: an interval, with what it assumes. */
function Life({ result: { life } }: { result: DiagnosisReport }) {
  if (life === null) return null;
  const [low, high] = [measure(life.low, 0, "s"), life.high === null ? "∞" : measure(life.high, 0, "s")];
  return (
    <>
      <p data-life>{t("real.life", { low, high })}</p>
      <p class="hint">{sentence(life.assumptions)}</p>
    </>
  );
}

function Truth({ job: { source, injected, result } }: { job: ClinicJob }) {
  if (source !== "") return <p class="hint">{t("real.ofRecording", { file: source })}</p>;
  if (injected === null) return <p class="hint">{t("real.truthNone")}</p>;
  const fault = faultTitle(injected.cause);
  const what = injected.joint === null ? fault : t("real.faultOf", { fault, joint: injected.joint });
  const isRight = result?.cause === injected.cause && result.joint === injected.joint;
  return (
    <p class="hint" data-right={isRight}>
      {t("real.truth", { fault: what, onset: measure(injected.onset, 1, "s") })}
    </p>
  );
}
