/** Forward kinematics, live: the joints' values, the tool's pose and matrix, and the frame of every link. */

import { linkTitle, number, t, unit as unitWord } from "../../i18n";
import { followSlow, live } from "../../live";
import { LiveNumber } from "../../parts/live-number";
import { Section } from "../../parts/section";
import { Table } from "../../parts/table";
import { poseAt, toolPose } from "../../poses";
import { layout } from "../../project";
import type { RobotSheet } from "../../protocol.gen";
import { view } from "../../viewer/view";
import { matrixAt } from "./numbers";

const NAMES = ["X", "Y", "Z", "A", "B", "C"] as const;

export function Forward({ data }: { data: RobotSheet }) {
  return (
    <>
      <Section
        id="kinematics.joints"
        title={t("kinematics.fk.joints")}
        help={t("kinematics.fk.help")}
        open="always"
      >
        <dl class="kinematics-values">
          {data.joints.map(({ name, unit }, i) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <LiveNumber of={() => live.q[i]} digits={2} unit={unit} />
              </dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section id="kinematics.tool" title={t("kinematics.fk.tool")} open="always">
        <dl class="kinematics-values" data-kind="tool">
          {NAMES.map((name, i) => (
            <div key={name}>
              <dt data-axis={i < 3 ? name.toLowerCase() : "turn"}>{name}</dt>
              <dd data-fk={name}>
                <LiveNumber of={() => toolPose(live.frames)?.[i]} digits={2} unit={i < 3 ? "mm" : "°"} />
              </dd>
            </div>
          ))}
        </dl>
        <ToolMatrix />
      </Section>
      <Section id="kinematics.frames" title={t("kinematics.fk.frames")} help={t("kinematics.fk.frames.help")}>
        <div class="kinematics-frames">
          <FrameTable />
        </div>
      </Section>
    </>
  );
}

function ToolMatrix() {
  followSlow();
  const matrix = matrixAt(live.frames, live.frames.length / 7 - 1);
  if (matrix === null) return null;
  return (
    <div class="kinematics-matrix" role="group" aria-label={t("kinematics.fk.matrix")}>
      <span class="kinematics-matrix-name" aria-hidden="true">
        T =
      </span>
      <table>
        <tbody>
          {matrix.map((row, i) => (
            <tr key={i}>
              {row.map((value, j) => (
                <td key={j} data-cell={`${i}${j}`}>
                  {i === 3 ? value : number(value, j === 3 ? 2 : 4)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <span class="unit">{unitWord("mm")}</span>
    </div>
  );
}

/** Pointing at a row lights its link up. */
function FrameTable() {
  followSlow();
  const names = layout.value?.links ?? [];
  const light = (name: string | null): void => view.peek()?.highlight(name === null ? [] : [name]);
  const rows = names.map((name, index) => ({
    key: name,
    cells: [
      <button
        key={name}
        type="button"
        class="kinematics-frame"
        onPointerEnter={() => light(name)}
        onPointerLeave={() => light(null)}
        onFocus={() => light(name)}
        onBlur={() => light(null)}
      >
        {linkTitle(name)}
      </button>,
      ...(poseAt(live.frames, index) ?? []).map((value) => number(value, 1)),
    ],
  }));
  return (
    <Table
      label={t("kinematics.fk.frames")}
      head={[t("kinematics.fk.frame"), ...NAMES.map((name, i) => `${name}, ${unitWord(i < 3 ? "mm" : "°")}`)]}
      rows={rows}
    />
  );
}
