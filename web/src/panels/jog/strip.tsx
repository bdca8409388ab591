/** Moving the arm beside any panel: a strip over the view with a row per joint, the tool's pose and the speed.
 *
 * Keys, gamepad and handles are always on; the strip itself makes room for the panel that has all of it and more. */

import { useEffect } from "preact/hooks";
import { moveJoint } from "../../acts";
import { sheet } from "../../catalog";
import { wantedJoint } from "../../goal";
import { number, spaceBefore, t, unit as unitWord } from "../../i18n";
import { followFast, followSlow, live } from "../../live";
import { Segments } from "../../parts/segments";
import { Slider } from "../../parts/slider";
import { toolPose } from "../../poses";
import { isPresenting } from "../../presentation/state";
import { project } from "../../project";
import type { JointRow, RobotSheet } from "../../protocol.gen";
import { inReference, reference } from "../../reference";
import { shape, shownPanel } from "../../workbench/layout";
import { OverloadCard } from "../../workbench/overload";
import { shortNames } from "../poses/saved";
import { DragTool, useHandles } from "./drag-tool";
import { HoldButton } from "./hold-button";
import "./jog.css";
import { startGamepad, startKeyboard } from "./listening";
import { Refusal } from "./refusal";
import { SpeedChoice } from "./settings";
import { chooseMode, isStripOpen, mode, openStrip } from "./state";
import { TOOL_AXES } from "./steps";
import "./strip.css";

export default function JogInView() {
  useEffect(startKeyboard, []);
  useEffect(startGamepad, []);
  useHandles();
  const data = sheet.value;
  const isReady = data !== null && data.name === project.value?.arm.name;
  return (
    <>
      {isReady && (isPresenting.value || shownPanel("right")?.id !== "jog") && (
        <Strip key={data.name} data={data} />
      )}
      <div class="view-warnings">
        <OverloadCard />
        <Refusal />
      </div>
    </>
  );
}

function Strip({ data }: { data: RobotSheet }) {
  const isOpen = isStripOpen.value ?? shape.value === "wide";
  const names = shortNames(data.joints.map(({ name }) => name));
  return (
    <section class="strip" aria-label={t("jog.strip")} data-open={isOpen}>
      <div class="strip-head">
        <button
          type="button"
          class="strip-fold"
          aria-expanded={isOpen}
          title={t(isOpen ? "jog.strip.close" : "jog.strip.open")}
          onClick={() => openStrip(!isOpen)}
        >
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <path d={isOpen ? "M5.500 8l4.500 4.500L14.500 8" : "M7.500 5.500L12 10l-4.500 4.500"} />
          </svg>
          <span>{t("jog.title")}</span>
        </button>
        {isOpen && <Whose />}
        {isOpen && <DragTool />}
      </div>
      {isOpen && (
        <div class="strip-body">
          {mode.value === "tool" ? (
            <ToolRows />
          ) : (
            <ul class="strip-rows">
              {data.joints.map((joint, i) => (
                <Joint key={joint.name} joint={joint} index={i} shown={names[i] ?? joint.name} />
              ))}
            </ul>
          )}
          {mode.value !== "tool" && <Pose />}
          <div class="strip-speed">
            <SpeedChoice />
          </div>
        </div>
      )}
    </section>
  );
}

/** What the rows and keys move: the joints, or the tool. */
function Whose() {
  return (
    <Segments
      label={t("jog.mode")}
      choices={(["joints", "tool"] as const).map((id) => ({
        id,
        title: t(`jog.mode.${id}`),
        hint: t(`jog.modeHint.${id}`),
      }))}
      chosen={mode.value === "tool" ? "tool" : "joints"}
      onChoose={(id) => chooseMode(id === "tool" ? "tool" : "sliders")}
    />
  );
}

function Joint({ joint, index, shown }: { joint: JointRow; index: number; shown: string }) {
  followFast();
  const { name, lower, upper, unit, home } = joint;
  const actual = live.q[index] ?? home;
  const label = t("jog.slider", {
    name,
    lower: number(lower, 1),
    upper: number(upper, 1),
    unit: unitWord(unit),
  });
  return (
    <li class="strip-row" data-strip={name}>
      <span class="strip-name" title={name}>
        {shown}
      </span>
      <HoldButton name={name} axis={index} sign={-1} />
      <Slider
        label={label}
        value={wantedJoint(index) ?? home}
        actual={actual}
        lower={lower}
        upper={upper}
        unit={unit}
        onInput={(to) => moveJoint(index, to)}
      />
      <HoldButton name={name} axis={index} sign={1} />
      <Value value={actual} unit={unit} />
    </li>
  );
}

function ToolRows() {
  followSlow();
  const pose = shownPose();
  return (
    <ul class="strip-rows">
      {TOOL_AXES.map((name, i) => (
        <li key={name} class="strip-row" data-strip={name}>
          <span class="strip-name">{name}</span>
          <HoldButton name={name} axis={i} sign={-1} />
          <Value value={pose?.[i] ?? null} unit={i < 3 ? "mm" : "°"} />
          <HoldButton name={name} axis={i} sign={1} />
        </li>
      ))}
    </ul>
  );
}

/** Where the tool is, in the frame that poses are shown in. */
function shownPose(): ReturnType<typeof toolPose> {
  const pose = toolPose(live.frames);
  return pose === null ? null : inReference(pose);
}

function Pose() {
  followSlow();
  const frame = reference.value;
  const heading = frame === null ? t("jog.tool.heading") : t("frames.toolIn", { name: frame.name });
  const pose = shownPose();
  return (
    <dl class="strip-pose" aria-label={heading} title={heading}>
      {TOOL_AXES.map((name, i) => (
        <div key={name} data-axis={i < 3 ? name.toLowerCase() : "turn"} data-strip-pose={name}>
          <dt class="pose-name">{name}</dt>
          <dd>
            <Value value={pose?.[i] ?? null} unit={i < 3 ? "mm" : "°"} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ value, unit }: { value: number | null; unit: string }) {
  return (
    <span class="strip-value">
      {value === null ? "–" : number(value, 2)}
      {spaceBefore(unit)}
      <span class="unit">{unitWord(unit)}</span>
    </span>
  );
}
