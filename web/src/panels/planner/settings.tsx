/** How the plan goes through its points: the scheme or the curve, times, speeds, rounded corners. */

import { sheet } from "../../catalog";
import { t, unit } from "../../i18n";
import { IconButton } from "../../parts/icon-button";
import { NumberField } from "../../parts/number-field";
import { Segments } from "../../parts/segments";
import type { JointPlan, ToolPlan } from "../../protocol.gen";
import {
  change,
  draft,
  durationOf,
  type End,
  endRates,
  ENDS,
  isClassic,
  PATHS,
  roleOf,
  SCHEMES,
  takesTimes,
  timesFor,
  withDuration,
  withEnd,
  withScheme,
} from "./draft";

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
      <Total plan={plan} />
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
              duration: null,
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
      <Ends plan={plan} />
    </div>
  );
}

/** How the motion starts and ends where it does not rest there: S2's conditions at the ends. */
function Ends({ plan }: { plan: JointPlan }) {
  const rates = endRates(plan.scheme);
  const joints = sheet.value?.joints ?? [];
  if (rates === 0 || plan.points.length < 2) return null;
  const set = (end: End, values: readonly number[]): void =>
    change(t("planner.edit.ends"), (made) => ({ ...made, joint: withEnd(made.joint, end, values) }));
  return (
    <details class="planner-ends" open={plan.ends !== null}>
      <summary>{t("planner.ends")}</summary>
      <div class="scroll" role="region" tabIndex={0} aria-label={t("planner.ends")}>
        <table class="numbers planner-table">
          <thead>
            <tr>
              <th scope="col">{t("planner.ends.what")}</th>
              {joints.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ENDS.filter(([, order]) => order <= rates).map(([end, order]) => {
              const values = plan.ends?.[end] ?? joints.map(() => 0);
              return (
                <tr key={end} data-end={end}>
                  <th scope="row">{t(`planner.ends.${end}`)}</th>
                  {joints.map((joint, i) => (
                    <td key={joint.name}>
                      <NumberField
                        bare
                        label={t("planner.valueOf", {
                          name: t(`planner.ends.${end}`),
                          what: joint.name,
                          unit: t(`planner.per.${order}`, { unit: unit(joint.unit) }),
                        })}
                        value={values[i] ?? 0}
                        digits={1}
                        lower={-LARGEST}
                        upper={LARGEST}
                        onCommit={(value) => set(end, values.with(i, value))}
                      />
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** How long the whole takes: left empty, as short as the limits allow. */
function Total({ plan }: { plan: JointPlan | ToolPlan }) {
  const isFree = plan.kind === "joint" && plan.times === null && plan.ends !== null;
  const given = durationOf(plan);
  const set = (duration: number | null): void =>
    change(t("planner.edit.times"), (made) => ({
      ...made,
      [made.mode]: withDuration(made.mode === "joint" ? made.joint : made.tool, duration),
    }));
  return (
    <span class="planner-total" title={t(isFree ? "planner.totalEnds" : "planner.totalHint")}>
      <NumberField
        label={t("planner.total")}
        value={given}
        unit="s"
        digits={3}
        lower={0.001}
        upper={LARGEST}
        step={0.1}
        disabled={isFree}
        onCommit={set}
      />
      {given !== null && (
        <IconButton icon="close" label={t("planner.totalClear")} onClick={() => set(null)} />
      )}
    </span>
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
      <Total plan={plan} />
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
