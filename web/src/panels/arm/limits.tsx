/** How far each joint may move, which can be changed, and how fast and how hard, which cannot. */

import { shortNumber, t, unit as unitWord } from "../../i18n";
import { Table } from "../../parts/table";
import { project } from "../../project";
import type { JointRow, Range, RobotSheet } from "../../protocol.gen";
import { type End, ENDS, rangesOf } from "./changes";
import { type Cell, EditTable } from "./edit-table";
import { Estimated } from "./identity";
import { ResetButton } from "./reset-button";
import { changeLimit, reset } from "./state";

const MOST = 100_000;

export function Limits({ data, own }: { data: RobotSheet; own: RobotSheet }) {
  const changed = project.value?.arm.limits ?? null;
  const first = rangesOf(own.joints);
  const ranges = changed ?? first;
  return (
    <>
      <EditTable
        label={t("arm.limits.range")}
        head={[
          t("joint.name"),
          t("arm.limits.lower"),
          <>
            {t("arm.limits.upper")} <Estimated data={data} what="limits" />
          </>,
        ]}
        rows={own.joints.map((joint, i) => ({
          joint: joint.name,
          unit: unitWord(joint.unit),
          cells: ENDS.map((end) => cellOf(own, i, end, ranges[i], first[i])),
        }))}
      />
      <ResetButton isNeeded={changed !== null} onReset={reset.limits} />
      <div class="arm-speeds">
        <Speeds data={data} />
      </div>
    </>
  );
}

function cellOf(own: RobotSheet, index: number, end: End, now?: Range, first?: Range): Cell {
  const { name = "", unit = "" } = own.joints[index] ?? {};
  const other = now?.[end === "lower" ? "upper" : "lower"] ?? 0;
  const isInOrder = (value: number): boolean => (end === "lower" ? value < other : value > other);
  return {
    symbol: t(`arm.limits.${end}`),
    label: `${t(`arm.limits.${end}Of`, { joint: name })}, ${unitWord(unit)}`,
    value: now?.[end] ?? 0,
    own: first?.[end] ?? 0,
    unit,
    lower: -MOST,
    upper: MOST,
    onCommit: (value) =>
      isInOrder(value)
        ? changeLimit(own, index, end, value)
        : Promise.resolve(
            t(`arm.limits.${end}Wrong`, { other: shortNumber(other, 3), unit: unitWord(unit) }),
          ),
  };
}

function Speeds({ data }: { data: RobotSheet }) {
  const column = (title: string, what: string) => (
    <>
      {title} <Estimated data={data} what={what} />
    </>
  );
  return (
    <Table
      label={[t("arm.limits.velocity"), t("arm.limits.acceleration"), t("arm.limits.effort")].join(", ")}
      head={[
        t("joint.name"),
        column(t("arm.limits.velocity"), "velocity"),
        column(t("arm.limits.acceleration"), "acceleration"),
        column(t("arm.limits.effort"), "effort"),
      ]}
      rows={data.joints.map((joint) => ({ key: joint.name, cells: speedsOf(joint) }))}
    />
  );
}

function speedsOf(joint: JointRow): readonly string[] {
  const unit = unitWord(joint.unit);
  const force = unitWord(joint.kind === "revolute" ? "N·m" : "N");
  return [
    joint.name,
    withUnit(joint.velocity, t("unit.perSecond", { unit })),
    withUnit(joint.acceleration, t("unit.perSecond2", { unit })),
    withUnit(joint.effort, force),
  ];
}

function withUnit(value: number | null, unit: string): string {
  return value === null ? "–" : `${shortNumber(value, value < 10 ? 1 : 0)} ${unit}`;
}
