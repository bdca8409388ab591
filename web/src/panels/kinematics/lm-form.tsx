/** The settings of Levenberg and Marquardt's method, and its start: the arm's own position, or values of one's own. */

import { moveJoints } from "../../acts";
import { sheet } from "../../catalog";
import { t } from "../../i18n";
import { live } from "../../live";
import { NumberField } from "../../parts/number-field";
import { Segments } from "../../parts/segments";
import type { RobotSheet } from "../../protocol.gen";
import { change, DEFAULTS, type LmSettings, settings, start } from "./lm-settings";
import { aim, busy, descend, target, targetAt } from "./state";

/** ‖e‖ < 0.1 is what the paper wants. */
const EXAMPLE_MM = 0.1;

interface Field {
  readonly name: keyof LmSettings;
  readonly label: "damping" | "tolerance" | "most" | "shrink" | "grow";
  readonly digits: number;
  readonly step: number;
  readonly lower: number;
  readonly upper: number;
  readonly unit?: string;
}

const FIELDS: readonly Field[] = [
  { name: "damping", label: "damping", digits: 4, step: 0.01, lower: 1e-4, upper: 1e6 },
  { name: "tolerance", label: "tolerance", digits: 6, step: 0.001, lower: 1e-6, upper: 100, unit: "mm" },
  { name: "steps", label: "most", digits: 0, step: 1, lower: 1, upper: 500 },
  { name: "shrink", label: "shrink", digits: 3, step: 0.1, lower: 0.001, upper: 1 },
  { name: "grow", label: "grow", digits: 2, step: 1, lower: 1.01, upper: 1000 },
];

export function LmForm() {
  return (
    <>
      <div class="fields kinematics-lm">
        {FIELDS.map(({ name, label, ...field }) => (
          <NumberField
            key={name}
            {...field}
            label={t(`kinematics.lm.${label}`)}
            value={settings.value[name]}
            onCommit={(value) => change({ [name]: name === "steps" ? Math.round(value) : value })}
          />
        ))}
      </div>
      <Start />
      <div class="row kinematics-start">
        <button
          type="button"
          class="primary"
          disabled={busy.value || target.value === null}
          onClick={() => void descend()}
        >
          {t("kinematics.lm.start")}
        </button>
        {settings.value !== DEFAULTS && (
          <button type="button" onClick={() => (settings.value = DEFAULTS)}>
            {t("kinematics.lm.defaults")}
          </button>
        )}
        <Example data={sheet.value} />
      </div>
    </>
  );
}

function Start() {
  const from = start.value;
  const joints = sheet.value?.joints ?? [];
  const choose = (id: "arm" | "values"): void => {
    start.value = id === "arm" ? null : [...live.q].map((value) => Number(value.toFixed(3)));
  };
  return (
    <>
      <div class="row kinematics-from">
        <span class="quiet" aria-hidden="true">
          {t("kinematics.lm.from")}
        </span>
        <Segments
          label={t("kinematics.lm.from")}
          choices={[
            { id: "arm", title: t("kinematics.lm.from.arm") },
            { id: "values", title: t("kinematics.lm.from.values") },
          ]}
          chosen={from === null ? "arm" : "values"}
          onChoose={choose}
        />
      </div>
      {from !== null && (
        <div class="fields kinematics-lm" data-lm-start={from.join(",")}>
          {joints.map(({ name, unit, lower, upper }, i) => (
            <NumberField
              key={name}
              label={name}
              value={from[i] ?? 0}
              unit={unit}
              lower={lower}
              upper={upper}
              onCommit={(value) => (start.value = from.with(i, value))}
            />
          ))}
        </div>
      )}
    </>
  );
}

/** The worked example of S4, where the arm has its start and its end: one click sets it up and runs it. */
function Example({ data }: { data: RobotSheet | null }) {
  const at = (name: string) => data?.configurations.find((known) => known.name === name)?.q;
  const from = at("paper-start");
  const end = at("paper-end");
  if (from === undefined || end === undefined) return null;
  const run = async (): Promise<void> => {
    const pose = await targetAt(end);
    if (pose === null) return;
    aim(pose);
    start.value = from;
    settings.value = { ...DEFAULTS, tolerance: EXAMPLE_MM };
    moveJoints(from);
    await descend();
  };
  return (
    <button
      type="button"
      disabled={busy.value}
      title={t("kinematics.lm.example.hint")}
      onClick={() => void run()}
    >
      {t("kinematics.lm.example")}
    </button>
  );
}
