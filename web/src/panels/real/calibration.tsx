/** Calibration: a measurement that is simulated or opened, what it says of the arm, and the real arm as a file. */

import { useSignal } from "@preact/signals";
import { measure, t } from "../../i18n";
import { NumberField } from "../../parts/number-field";
import { Section } from "../../parts/section";
import { Table } from "../../parts/table";
import type { CalibrationReport, MeasureQuestion } from "../../protocol.gen";
import { FileButton } from "./file-button";
import { Progress } from "./progress";
import { ResidualMap } from "./residual-map";
import { calibration, foundAddress, MOST_SEED, real, takeFound, uploadMeasurements } from "./state";
import { parameterTitle, parameterUnit, significant } from "./words";

type ModelName = NonNullable<MeasureQuestion["model"]>;
const MODELS: readonly ModelName[] = ["auto", "offsets", "geometry", "elastic", "full"];
const MOST_POSES = 500;

export function Calibration() {
  const poses = useSignal(40);
  const noise = useSignal(0.05);
  const seed = useSignal(0);
  const model = useSignal<ModelName>("auto");
  const isBusy = calibration.isRunning.value;
  const start = (): void =>
    void calibration.start({ poses: poses.value, noise: noise.value, seed: seed.value, model: model.value });
  return (
    <>
      <div class="real-form">
        <NumberField
          label={t("real.poses")}
          value={poses.value}
          digits={0}
          lower={2}
          upper={MOST_POSES}
          onCommit={(value) => (poses.value = Math.round(value))}
        />
        <NumberField
          label={t("real.noise")}
          unit="mm"
          value={noise.value}
          digits={3}
          step={0.01}
          lower={0.001}
          upper={10}
          onCommit={(value) => (noise.value = value)}
        />
        <NumberField
          label={t("real.measureSeed")}
          value={seed.value}
          digits={0}
          lower={0}
          upper={MOST_SEED}
          onCommit={(value) => (seed.value = Math.round(value))}
        />
        <Models value={model.value} onChoose={(name) => (model.value = name)} />
        <button type="button" class="primary" disabled={isBusy || real.value === null} onClick={start}>
          {t("real.measure")}
        </button>
        <FileButton
          label={t("real.openCsv")}
          accept=".csv,.txt,text/csv"
          disabled={isBusy}
          onFile={(file) => void uploadMeasurements(file, model.value)}
        />
      </div>
      {real.value === null && <p class="hint">{t("real.measureNeedsReal")}</p>}
      <Progress work={calibration} />
      <Found />
    </>
  );
}

function Models({ value, onChoose }: { value: ModelName; onChoose: (name: ModelName) => void }) {
  return (
    <label>
      {t("real.model")}
      <select
        aria-label={t("real.model")}
        value={value}
        onChange={(event) => onChoose(event.currentTarget.value as ModelName)}
      >
        {MODELS.map((name) => (
          <option key={name} value={name}>
            {t(`real.model.${name}`)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Found() {
  const job = calibration.job.value;
  if (job?.state !== "done" || job.result === null) return null;
  const { result, source } = job;
  const hidden = result.parameters.filter(({ identifiable }) => !identifiable).length;
  return (
    <div class="real-found" data-model={result.model}>
      <p>
        {source === ""
          ? t("real.ofSimulated", { n: result.measurements })
          : t("real.ofFile", { file: source, n: result.measurements })}{" "}
        {t("real.foundModel", { model: t(`real.model.${result.model as ModelName}`) })}
        {result.outliers.length > 0 && ` ${t("real.outliers", { rows: result.outliers.join(", ") })}`}
      </p>
      <Errors result={result} />
      <div class="real-files">
        <a href={foundAddress()} download="real.toml">
          {t("real.download")}
        </a>
        <button type="button" onClick={() => void takeFound()}>
          {t("real.take")}
        </button>
      </div>
      <Maps result={result} isKnown={source === ""} />
      {hidden > 0 && <p class="hint">{t("real.hidden", { n: hidden })}</p>}
      <Parameters result={result} />
    </div>
  );
}

/** Errors over the workspace before and after; of a simulated arm the truth, else what the calibration does not know. */
function Maps({ result: { map }, isKnown }: { result: CalibrationReport; isKnown: boolean }) {
  if (map === null) return null;
  const { points, before, after } = map;
  return (
    <div class="real-maps">
      <ResidualMap name="before" title={t("real.mapBefore")} points={points} errors={before} />
      <ResidualMap
        name="after"
        title={isKnown ? t("real.mapAfter") : t("real.mapUnknown")}
        points={points}
        errors={after}
      />
    </div>
  );
}

function Parameters({ result }: { result: CalibrationReport }) {
  return (
    <Section id="real.parameters" title={t("real.parameters")} open={false}>
      <div class="real-parameters">
        <Table
          label={t("real.parameters")}
          head={[
            t("real.parameterName"),
            t("real.value"),
            t("real.sigma"),
            t("real.unit"),
            t("real.identifiable"),
          ]}
          rows={result.parameters.map(({ name, value, sigma, unit, identifiable }) => ({
            key: name,
            cells: [
              parameterTitle(name),
              identifiable ? significant(value) : "–",
              sigma === null ? "–" : significant(sigma),
              parameterUnit(unit),
              identifiable ? t("real.yes") : t("real.no"),
            ],
          }))}
        />
      </div>
    </Section>
  );
}

function Errors({ result }: { result: CalibrationReport }) {
  const rows = [
    { key: "before", title: t("real.before"), errors: result.before },
    { key: "after", title: t("real.after"), errors: result.after },
    ...(result.cross_validation === null
      ? []
      : [{ key: "across", title: t("real.across"), errors: result.cross_validation }]),
  ];
  return (
    <Table
      label={t("real.errors")}
      head={[t("real.errors"), t("real.mean"), t("real.max")]}
      rows={rows.map(({ key, title, errors }) => ({
        key: `errors.${key}`,
        cells: [title, measure(errors.mean, 3, "mm"), measure(errors.max, 3, "mm")],
      }))}
    />
  );
}
