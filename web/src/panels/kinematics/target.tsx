/** The target pose of the tool: six fields, and the same by handles in the 3D view. */

import { useSignalEffect } from "@preact/signals";
import { number, t } from "../../i18n";
import { followSlow } from "../../live";
import { NumberField } from "../../parts/number-field";
import { ReferenceSelect } from "../../parts/reference-select";
import { Section } from "../../parts/section";
import { Segments } from "../../parts/segments";
import type { Pose } from "../../poses";
import { isCurrent } from "../../own-joints";
import type { RobotSheet } from "../../protocol.gen";
import { inReference, inWorld } from "../../reference";
import { aim, aimHere, busy, findAll, forget, handles, type Handles, target, type Task, task } from "./state";

const NAMES = ["X", "Y", "Z", "A", "B", "C"] as const;
const FAR_MM = 1e5;
const FULL_TURN = 360;
/** What an arm with so few axes can be asked for, besides a whole pose and a point. */
const TASKS: Readonly<Record<number, readonly Task[]>> = {
  2: ["planar"],
  3: ["planar", "planar-pose"],
  4: ["scara"],
  5: ["approach"],
};

export function Target({ data }: { data: RobotSheet }) {
  useSignalEffect(() => {
    if (target.value !== null) return;
    followSlow();
    if (isCurrent()) aimHere();
  });
  const pose = target.value === null ? null : inReference(target.value);
  const set = (index: number, value: number): void => {
    if (pose !== null) aim(inWorld(pose.with(index, value) as unknown as Pose));
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    void findAll();
  };
  return (
    <Section
      id="kinematics.target"
      title={t("kinematics.target")}
      help={t("kinematics.target.help")}
      open="always"
      actions={<ReferenceSelect />}
    >
      <form onSubmit={submit}>
        <div class="fields kinematics-target">
          {NAMES.map((name, i) => (
            <NumberField
              key={name}
              label={name}
              value={pose?.[i] ?? null}
              unit={i < 3 ? "mm" : "°"}
              lower={i < 3 ? -FAR_MM : -FULL_TURN}
              upper={i < 3 ? FAR_MM : FULL_TURN}
              onCommit={(value) => set(i, value)}
            />
          ))}
        </div>
        <Constrain data={data} />
        <div class="row kinematics-acts">
          <button type="submit" class="primary" disabled={busy.value || pose === null}>
            {t("kinematics.find")}
          </button>
          <button type="button" onClick={aimHere}>
            {t("kinematics.here")}
          </button>
        </div>
      </form>
      <HandleChoice />
      <p class="unseen" aria-live="polite">
        {pose !== null && t("kinematics.target.said", { x: say(pose[0]), y: say(pose[1]), z: say(pose[2]) })}
      </p>
    </Section>
  );
}

const say = (value: number): string => number(value, 1);

function HandleChoice() {
  return (
    <div class="row kinematics-handles">
      <span class="quiet" aria-hidden="true">
        {t("kinematics.handles")}
      </span>
      <Segments<Handles>
        label={t("kinematics.handles")}
        choices={(["off", "translate", "rotate"] as const).map((id) => ({
          id,
          title: t(`kinematics.handles.${id}`),
        }))}
        chosen={handles.value}
        onChoose={(id) => (handles.value = id)}
      />
    </div>
  );
}

/** What of the target is asked for: by default what an arm of this kind can do. */
function Constrain({ data }: { data: RobotSheet }) {
  const own = data.task as Task;
  const tasks = new Set<Task>([own, "pose", "position", ...(TASKS[data.dof] ?? [])]);
  return (
    <label class="kinematics-task">
      <span class="field-label">{t("kinematics.task")}</span>
      <select
        class="text-field"
        value={task.value ?? own}
        onChange={(event) => {
          forget();
          task.value = event.currentTarget.value as Task;
        }}
      >
        {[...tasks].map((id) => (
          <option key={id} value={id}>
            {t(`kinematics.task.${id}`)}
          </option>
        ))}
      </select>
    </label>
  );
}
