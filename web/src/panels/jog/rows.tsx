/** The rows of the jog: a button at each end, and between them what moves. */

import { number, spaceBefore, t, unit as unitWord } from "../../i18n";
import { followSlow, live } from "../../live";
import { clamp } from "../../numbers";
import type { JointRow } from "../../protocol.gen";
import { referenceName } from "../../reference";
import { HoldButton } from "./hold-button";
import { frame } from "./state";
import { AXIS_LETTERS, TOOL_AXES } from "./steps";

export function JointRows({ joints }: { joints: readonly JointRow[] }) {
  return (
    <ul class="jog-rows" style={{ "--rows": Math.ceil(joints.length / 2) }}>
      {joints.map((joint, index) => (
        <li key={joint.name} class="jog-row" data-joint={joint.name}>
          <HoldButton name={joint.name} axis={index} sign={-1} />
          <Gauge joint={joint} index={index} />
          <HoldButton name={joint.name} axis={index} sign={1} />
        </li>
      ))}
    </ul>
  );
}

/** Where the joint is between its limits. */
function Gauge({ joint: { name, lower, upper, unit, home }, index }: { joint: JointRow; index: number }) {
  followSlow();
  const value = live.q[index] ?? home;
  const share = clamp((value - lower) / Math.max(upper - lower, 1e-9), 0, 1);
  return (
    <div class="jog-gauge">
      <span class="jog-name">{name}</span>
      <span class="jog-value">
        {number(value, 2)}
        {spaceBefore(unit)}
        <span class="unit">{unitWord(unit)}</span>
      </span>
      <span class="jog-track" aria-hidden="true" style={{ "--share": share.toFixed(4) }} />
      <span class="jog-limits" title={t("jog.limits")}>
        <span>{number(lower, 0)}</span>
        <span>{number(upper, 0)}</span>
      </span>
    </div>
  );
}

export function ToolRows() {
  return (
    <ul class="jog-rows" style={{ "--rows": TOOL_AXES.length / 2 }}>
      {TOOL_AXES.map((name, index) => {
        const axis = AXIS_LETTERS[index] ?? "x";
        const what = index < 3 ? "along" : "about";
        return (
          <li key={name} class="jog-row" data-axis={name}>
            <HoldButton name={name} axis={index} sign={-1} />
            <div class="jog-axis" data-axis={axis}>
              <span class="jog-name">{name}</span>
              <span class="quiet">
                {t(`jog.${what}.${frame.value}`, { axis: axis.toUpperCase(), frame: referenceName() })}
              </span>
            </div>
            <HoldButton name={name} axis={index} sign={1} />
          </li>
        );
      })}
    </ul>
  );
}
