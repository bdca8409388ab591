/** How the plan goes through its points: the scheme or the curve, times, speeds, rounded corners. */

import { t } from "../../i18n";
import { NumberField } from "../../parts/number-field";
import { Segments } from "../../parts/segments";
import type { JointPlan, ToolPlan } from "../../protocol.gen";
import { change, draft, isClassic, PATHS, roleOf, SCHEMES, takesTimes, timesFor, withScheme } from "./draft";

const FIRST_TOOL_SPEED = 250;
const LARGEST = 1e6;

export function Settings() {
  const made = draft.value;
  return made.mode === "joint" ? <JointSettings plan={made.joint} /> : <ToolSettings plan={made.tool} />;
}

function setJoint(label: string, values: Partial<JointPlan>): void {
  change(label, (made) => ({ ...made, joint: { ...made.joint, ...values } }));
}

function setTool(label: string, values: Partial<ToolPlan>): void {
  change(label, (made) => ({ ...made, tool: { ...made.tool, ...values } }));
}

function JointSettings({ plan }: { plan: JointPlan }) {
  const { scheme, speed, times, points } = plan;
  const isTimed = times !== null;
  return (
    <div class="planner-settings">
      <label class="planner-scheme">
        <span class="field-label">{t("planner.scheme")}</span>
        <select
          value={scheme}
          onChange={(event) => {
            const next = event.currentTarget.value;
            change(t("planner.edit.scheme"), (made) => withScheme(made, next));
          }}
        >
          {SCHEMES.map((name) => (
            <option key={name} value={name}>
              {t(`planner.scheme.${name}`)}
            </option>
          ))}
        </select>
      </label>
      <Speed value={speed} onCommit={(value) => setJoint(t("planner.edit.speed"), { speed: value })} />
      <label
        class="planner-check"
        title={takesTimes(scheme) ? t("planner.timesHint") : t("planner.timesNone")}
      >
        <input
          type="checkbox"
          checked={isTimed}
          disabled={!takesTimes(scheme) || points.length < 2}
          onChange={(event) =>
            setJoint(t("planner.edit.times"), {
              times: event.currentTarget.checked ? timesFor([], points.length - 1) : null,
            })
          }
        />
        {t("planner.times")}
      </label>
      <p class="hint">
        {t(`planner.about.${scheme}`)}
        {isClassic(scheme) && points.length !== 4 && (
          <strong> {t("planner.needsFour", { n: points.length })}</strong>
        )}
      </p>
      {isTimed && <Times times={times} count={points.length} />}
    </div>
  );
}

function Times({ times, count }: { times: readonly number[]; count: number }) {
  return (
    <div class="planner-times" role="group" aria-label={t("planner.timesOf")}>
      {times.map((time, i) => (
        <NumberField
          key={i}
          label={`${roleOf(i, count)} → ${roleOf(i + 1, count)}`}
          value={time}
          unit="s"
          lower={0.001}
          upper={LARGEST}
          digits={3}
          step={0.1}
          onCommit={(value) => setJoint(t("planner.edit.times"), { times: times.with(i, value) })}
        />
      ))}
    </div>
  );
}

function ToolSettings({ plan }: { plan: ToolPlan }) {
  const { path, blend, speed, tool_speed: toolSpeed } = plan;
  const kinds = PATHS.map((id) => ({
    id,
    title: t(`planner.path.${id}`),
    hint: t(`planner.pathAbout.${id}`),
  }));
  return (
    <div class="planner-settings">
      <div>
        <span class="field-label">{t("planner.path")}</span>
        <Segments
          label={t("planner.path")}
          choices={kinds}
          chosen={path}
          onChoose={(id) => setTool(t("planner.edit.path"), { path: id })}
        />
      </div>
      <NumberField
        label={t("planner.blend")}
        value={blend}
        unit="mm"
        lower={0}
        upper={10000}
        digits={1}
        onCommit={(value) => setTool(t("planner.edit.blend"), { blend: value })}
      />
      <label class="planner-check">
        <input
          type="checkbox"
          checked={toolSpeed !== null}
          onChange={(event) =>
            setTool(t("planner.edit.speed"), {
              tool_speed: event.currentTarget.checked ? FIRST_TOOL_SPEED : null,
            })
          }
        />
        {t("planner.toolSpeedLimit")}
      </label>
      {toolSpeed !== null && (
        <NumberField
          label={t("planner.toolSpeed")}
          value={toolSpeed}
          unit="mm/s"
          lower={0.1}
          upper={LARGEST}
          digits={1}
          step={10}
          onCommit={(value) => setTool(t("planner.edit.speed"), { tool_speed: value })}
        />
      )}
      <Speed value={speed} onCommit={(value) => setTool(t("planner.edit.speed"), { speed: value })} />
      <p class="hint">{t(`planner.pathAbout.${path}`)}</p>
    </div>
  );
}

function Speed({ value, onCommit }: { value: number; onCommit: (value: number) => void }) {
  return (
    <NumberField
      label={t("planner.speed")}
      value={value}
      unit="%"
      lower={1}
      upper={100}
      digits={value < 1 ? 2 : 0}
      step={5}
      onCommit={onCommit}
    />
  );
}
