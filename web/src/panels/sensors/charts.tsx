/** Curves of a sensor: what it reads beside the truth, how filters drift, and its Allan deviation. */

import { number, t } from "../../i18n";
import { layout } from "../../project";
import { sensed } from "../../sensed";
import { Table } from "../../parts/table";
import type { AllanCurveReport, DriftReport, SensorChoice } from "../../protocol.gen";
import { columnsOf } from "./buffer";
import type { Line } from "./chart";
import { Plot } from "./plot";
import { allan, drift } from "./state";

const AXES = ["x", "y", "z"] as const;
const LEAST = 1e-6;

/** Per number of a reading the ideal value dashed, and the one read. */
function linesOf(names: readonly string[], colours: (index: number) => string): readonly Line[] {
  return names.flatMap((name, i) => [
    { name: `${name} ${t("sensors.ideal")}`, colour: colours(i), isDashed: true },
    { name, colour: colours(i) },
  ]);
}

const byAxis = (i: number): string => `--axis-${AXES[i] ?? "x"}`;
const bySeries = (i: number): string => `--series-${(i % 7) + 1}`;

interface ChartOf {
  readonly name: string;
  readonly title: string;
  readonly names: readonly string[];
  readonly from: number;
}

/** Which charts show a sensor: what they are called, and which numbers of a reading they draw. */
function chartsOf({ kind }: SensorChoice): readonly ChartOf[] {
  const three = (name: "gyro" | "acc" | "force" | "torque", from: number): ChartOf => ({
    name,
    title: t(`sensors.${name}`),
    names: AXES,
    from,
  });
  switch (kind) {
    case "imu":
      return [three("gyro", 0), three("acc", 3)];
    case "wrench":
      return [three("force", 0), three("torque", 3)];
    case "encoders":
    case "torques":
      return [{ name: kind, title: t(`sensors.chart.${kind}`), names: layout.value?.joints ?? [], from: 0 }];
    case "laser":
    case "proximity":
    case "contact":
      return [{ name: kind, title: t(`sensors.chart.${kind}`), names: [t(`sensors.kind.${kind}`)], from: 0 }];
  }
}

export function Signals({ sensor }: { sensor: SensorChoice }) {
  const { id } = sensor;
  return (
    <div class="sensors-plots" key={id}>
      {chartsOf(sensor).map(({ name, title, names, from }) => (
        <Plot
          key={`${id}.${name}`}
          name={name}
          title={title}
          lines={linesOf(names, names === AXES ? byAxis : bySeries)}
          columns={() => columnsOf(sensed.value, id, from, names.length)}
        />
      ))}
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
