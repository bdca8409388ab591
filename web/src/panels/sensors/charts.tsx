/** Curves of a sensor: what it reads beside the truth, how filters drift, and its Allan deviation. */

import { number, t } from "../../i18n";
import { Table } from "../../parts/table";
import type { AllanCurveReport, DriftReport, ImuChoice } from "../../protocol.gen";
import { columnsOf } from "./buffer";
import type { Line } from "./chart";
import { Plot } from "./plot";
import { allan, drift, shown } from "./state";

const AXES = ["x", "y", "z"] as const;
const LEAST = 1e-6;

/** Per axis the ideal value dashed, and the one read. */
function axisLines(): readonly Line[] {
  return AXES.flatMap((axis) => [
    { name: `${axis} ${t("sensors.ideal")}`, colour: `--axis-${axis}`, isDashed: true },
    { name: axis, colour: `--axis-${axis}` },
  ]);
}

export function Signals({ sensor: { id } }: { sensor: ImuChoice }) {
  return (
    <div class="sensors-plots" key={id}>
      <Plot
        key={`${id}.gyro`}
        name="gyro"
        title={t("sensors.gyro")}
        lines={axisLines()}
        columns={() => columnsOf(shown.value, id, 0)}
      />
      <Plot
        key={`${id}.acc`}
        name="acc"
        title={t("sensors.acc")}
        lines={axisLines()}
        columns={() => columnsOf(shown.value, id, 3)}
      />
    </div>
  );
}

export function Drift() {
  const report = drift.value;
  if (report === null || report.filters.length === 0) return <p class="quiet">{t("sensors.driftSoon")}</p>;
  const lines = report.filters.map(({ filter }, i) => ({ name: filter, colour: `--series-${(i % 7) + 1}` }));
  const placed = report.filters.filter(({ position }) => position !== null);
  const last = (values: readonly number[] | null): string =>
    values === null || values.length === 0 ? "–" : number(values.at(-1) ?? 0, 2);
  return (
    <>
      <div class="sensors-plots">
        <Plot
          name="orientation"
          title={t("sensors.orientationError")}
          lines={lines}
          columns={() => [drift.value?.t ?? [], ...(drift.value?.filters ?? []).map((f) => f.orientation)]}
        />
        <Plot
          name="position"
          title={t("sensors.positionError")}
          lines={lines.filter((_, i) => report.filters[i]?.position !== null)}
          logY
          columns={() => [
            drift.value?.t ?? [],
            ...(drift.value?.filters ?? []).flatMap(({ position }) =>
              position === null ? [] : [position.map((mm) => Math.max(mm, LEAST))],
            ),
          ]}
        />
      </div>
      <Table
        label={t("sensors.drift")}
        head={[t("sensors.filter"), t("sensors.orientationError"), t("sensors.positionError")]}
        rows={report.filters.map(({ filter, orientation, position }) => ({
          key: filter,
          cells: [filter, last(orientation), placed.length === 0 ? "–" : last(position)],
        }))}
      />
      {report.joints.length > 0 && <Visibility joints={report.joints} />}
    </>
  );
}

function Visibility({ joints }: { joints: DriftReport["joints"] }) {
  return (
    <>
      <p class="sensors-caption">{t("sensors.visibility")}</p>
      <Table
        label={t("sensors.visibility")}
        head={[t("sensors.joint"), t("sensors.atRest"), t("sensors.moving")]}
        rows={joints.map(({ joint, at_rest: rest, moving }) => ({
          key: joint,
          cells: [joint, number(rest, 2), number(moving, 2)],
        }))}
      />
    </>
  );
}

export function Allan() {
  const report = allan.value;
  if (report === null) return <p class="quiet">{t("sensors.allanSoon")}</p>;
  const lines = AXES.map((axis) => ({ name: axis, colour: `--axis-${axis}` }));
  const columns = ({ tau, deviation }: AllanCurveReport): number[][] => [
    [...tau],
    ...AXES.map((_, i) => deviation.map((row) => Math.max(row[i] ?? 0, LEAST * LEAST))),
  ];
  return (
    <>
      <div class="sensors-plots" key={report.name}>
        <Plot
          name="allan.gyro"
          title={t("sensors.allanGyro")}
          lines={lines}
          logX
          logY
          columns={() => columns(report.gyroscope)}
        />
        <Plot
          name="allan.acc"
          title={t("sensors.allanAcc")}
          lines={lines}
          logX
          logY
          columns={() => columns(report.accelerometer)}
        />
      </div>
      <Table
        label={t("sensors.allan")}
        head={[report.name, t("sensors.white"), t("sensors.instability"), t("sensors.walk")]}
        rows={[
          ...noiseRows(t("sensors.gyroShort"), "gyro", report.gyroscope),
          ...noiseRows(t("sensors.accShort"), "acc", report.accelerometer),
        ]}
      />
    </>
  );
}

function noiseRows(what: string, key: string, { found, stated }: AllanCurveReport) {
  return [
    { key: `${key}.found`, title: t("sensors.found"), noise: found },
    ...(stated === null ? [] : [{ key: `${key}.stated`, title: t("sensors.stated"), noise: stated }]),
  ].map(({ key: row, title, noise }) => ({
    key: row,
    cells: [
      `${what}, ${title}`,
      noise.noise_density.toPrecision(3),
      noise.bias_instability.toPrecision(3),
      noise.random_walk.toPrecision(3),
    ],
  }));
}
