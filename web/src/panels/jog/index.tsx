/** Moving the arm by hand: sliders, buttons to hold, keys, a gamepad, fields, and handles at the tool. */

import { moveJoints } from "../../acts";
import { sheet } from "../../catalog";
import { t, word } from "../../i18n";
import { Section } from "../../parts/section";
import { Segments } from "../../parts/segments";
import { project } from "../../project";
import type { RobotSheet } from "../../protocol.gen";
import { DragChoices } from "./drag-tool";
import "./jog.css";
import { JointRows, ToolRows } from "./rows";
import { Hints, Settings } from "./settings";
import { Sliders } from "./sliders";
import { chooseMode, mode, MODES } from "./state";
import { ToolPose } from "./tool-pose";

export default function JogPanel() {
  const data = sheet.value;
  if (data === null || data.name !== project.value?.arm.name)
    return <p class="quiet loading">{t("loading.arm")}</p>;
  return <Jog key={data.name} data={data} />;
}

function Jog({ data }: { data: RobotSheet }) {
  const modes = MODES.map((id) => ({ id, title: t(`jog.mode.${id}`), hint: t(`jog.modeHint.${id}`) }));
  return (
    <div class="jog">
      <ToolPose />
      <DragChoices />
      <Section
        id="jog.joints"
        title={t(`jog.heading.${mode.value}`)}
        help={t(`jog.help.${mode.value}`)}
        open="always"
        actions={<Segments label={t("jog.mode")} choices={modes} chosen={mode.value} onChoose={chooseMode} />}
      >
        {mode.value !== "sliders" && <Settings units={unitsOf(data)} />}
        {mode.value === "sliders" && <Sliders joints={data.joints} />}
        {mode.value === "joints" && <JointRows joints={data.joints} />}
        {mode.value === "tool" && <ToolRows />}
        <NamedPoses data={data} />
        <Hints />
      </Section>
    </div>
  );
}

function unitsOf(data: RobotSheet): string[] {
  return mode.value === "tool" ? ["mm", "°"] : [...new Set(data.joints.map((joint) => joint.unit))];
}

function NamedPoses({ data }: { data: RobotSheet }) {
  if (data.configurations.length === 0 || mode.value === "tool") return null;
  return (
    <div class="named-poses" role="group" aria-label={t("jog.poses")}>
      <span aria-hidden="true">{t("jog.poses")}</span>
      {data.configurations.map((pose) => (
        <button key={pose.name} type="button" data-pose-name={pose.name} onClick={() => moveJoints(pose.q)}>
          {word("pose", pose.name)}
        </button>
      ))}
    </div>
  );
}
