/** A move: how it goes, where to, and how fast. */

import { sheet } from "../../catalog";
import { listed, t, word } from "../../i18n";
import { live } from "../../live";
import { IconButton } from "../../parts/icon-button";
import { NumberField } from "../../parts/number-field";
import { Segments } from "../../parts/segments";
import { toolPose } from "../../poses";
import { project } from "../../project";
import type { MoveStep } from "../../protocol.gen";
import { sayUndoable } from "../scene/acts";
import { changeStep } from "./acts";
import { converted } from "./convert";
import { PointTable } from "./points";
import {
  asFrame,
  type Frame,
  goalOf,
  isSame,
  type PathKind,
  pathOf,
  rounded,
  withGoal,
  withVia,
} from "./steps";
import { Scheme, Total } from "./timing";

const FAR = 100_000;
const NAMES = ["X", "Y", "Z", "A", "B", "C"] as const;

interface MoveProps {
  readonly step: MoveStep;
  readonly index: number;
}

const PATHS: readonly PathKind[] = ["joint", "line", "arc", "curve"];
const CURVES = ["line", "quadratic", "spline", "bspline"] as const;

export function MoveEditor({ step, index }: MoveProps) {
  const path = pathOf(step);
  const set = (next: MoveStep): void => void changeStep(index, () => next);
  return (
    <>
      <div class="scenario-line">
        <Segments
          label={t("scenario.path.label")}
          choices={PATHS.map((id) => ({
            id,
            title: t(`scenario.path.${id}`),
            hint: t(`scenario.path.${id}Hint`),
          }))}
          chosen={path}
          onChoose={(id) => void choosePath(index, step, id)}
        />
        {path !== "curve" && <Goal step={step} set={set} />}
        {path !== "curve" && (
          <button type="button" onClick={() => set(takeHere(step))}>
            {t("scenario.goal.here")}
          </button>
        )}
      </div>
      <GoalFields step={step} set={set} />
      {path === "arc" && <ArcFields step={step} set={set} />}
      {path === "curve" && <CurveFields step={step} set={set} />}
      {path === "joint" && (
        <>
          <PointTable
            label={t("scenario.via")}
            kind="joints"
            rows={step.via}
            least={0}
            here={hereJoints}
            onRows={(via) => set(withVia(step, via))}
          />
          <Scheme step={step} set={set} />
        </>
      )}
      <Speeds step={step} set={set} />
    </>
  );
}

/** Go another kind of path: what it cannot have is said, and undo brings it back. */
async function choosePath(index: number, step: MoveStep, path: PathKind): Promise<void> {
  const made = await converted(step, path, herePose());
  const isDone = await changeStep(index, () => made.step);
  if (!isDone || made.lost.length === 0) return;
  const what = listed(made.lost.map((lost) => t(`scenario.lost.${lost}`)));
  sayUndoable(t("scenario.lost", { what }), t("scenario.edit.change", { n: index + 1 }));
}

/** A path of the tool through several frames. */
function CurveFields({ step, set }: SetProps) {
  return (
    <>
      <label class="field scenario-curve">
        <span class="field-label">{t("planner.path")}</span>
        <select
          aria-label={t("planner.path")}
          value={step.path}
          onChange={(event) => {
            const kind = CURVES.find((one) => one === event.currentTarget.value) ?? "line";
            set({ ...step, path: kind, blend: kind === "line" ? step.blend : 0 });
          }}
        >
          {CURVES.map((kind) => (
            <option key={kind} value={kind}>
              {t(`planner.path.${kind === "line" ? "linear" : kind}`)}
            </option>
          ))}
        </select>
      </label>
      <PointTable
        label={t("scenario.frames")}
        kind="frames"
        rows={step.through ?? []}
        least={1}
        here={herePose}
        onRows={(rows) => set({ ...step, through: rows.map(asFrame) })}
      />
    </>
  );
}

interface SetProps {
  readonly step: MoveStep;
  readonly set: (next: MoveStep) => void;
}

/** Where to: a pose with a name, one that was saved, joint values, or a pose of the tool. */
function Goal({ step, set }: SetProps) {
  const kind = goalOf(step);
  const named = sheet.value?.configurations ?? [];
  const saved = project.value?.poses ?? [];
  const same = saved.find(({ q }) => Array.isArray(step.to) && isSame(q, step.to));
  const value = kind === "named" ? `name/${String(step.to)}` : same === undefined ? kind : `saved/${same.id}`;
  const choose = (choice: string): void => {
    const [group, name] = [choice.split("/")[0], choice.slice(choice.indexOf("/") + 1)];
    const pose = saved.find(({ id }) => id === name);
    if (group === "name") set(withGoal(step, name));
    else if (group === "saved" && pose !== undefined) set(withGoal(step, pose.q));
    else if (choice === "pose") set(withGoal(step, { pose: herePose() }));
    else if (choice === "joints") set(withGoal(step, hereJoints()));
  };
  return (
    <label class="scenario-goal">
      <span class="field-label">{t("scenario.goal.label")}</span>
      <select
        aria-label={t("scenario.goal.name")}
        value={value}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value="pose">{t("scenario.goal.pose")}</option>
        <option value="joints">{t("scenario.goal.joints")}</option>
        {saved.length > 0 && (
          <optgroup label={t("scenario.goal.saved")}>
            {saved.map(({ id, name }) => (
              <option key={id} value={`saved/${id}`}>
                {name}
              </option>
            ))}
          </optgroup>
        )}
        <optgroup label={t("scenario.goal.named")}>
          {named.map(({ name }) => (
            <option key={name} value={`name/${name}`}>
              {word("pose", name)}
            </option>
          ))}
          {kind === "named" && !named.some(({ name }) => name === step.to) && (
            <option value={value}>{String(step.to)}</option>
          )}
        </optgroup>
      </select>
    </label>
  );
}

function GoalFields({ step, set }: SetProps) {
  const kind = goalOf(step);
  if (kind === "frames" || kind === "named") return null;
  if (kind === "pose") {
    const frame = step.to_pose ?? herePose();
    return (
      <div class="scenario-fields">
        {NAMES.map((name, i) => (
          <NumberField
            key={name}
            label={name}
            value={frame[i] ?? 0}
            unit={i < 3 ? "mm" : "°"}
            digits={1}
            lower={i < 3 ? -FAR : -360}
            upper={i < 3 ? FAR : 360}
            step={i < 3 ? 10 : 5}
            onCommit={(value) => set(withGoal(step, { pose: replaced(frame, i, value) }))}
          />
        ))}
      </div>
    );
  }
  return <JointFields step={step} set={set} />;
}

function JointFields({ step, set }: SetProps) {
  const to = Array.isArray(step.to) ? (step.to as readonly number[]) : [];
  return (
    <div class="scenario-fields">
      {(sheet.value?.joints ?? []).map((joint, i) => (
        <NumberField
          key={joint.name}
          label={joint.name}
          value={to[i] ?? 0}
          unit={joint.unit}
          digits={1}
          lower={joint.lower}
          upper={joint.upper}
          step={5}
          onCommit={(value) =>
            set(
              withGoal(
                step,
                to.map((old, k) => (k === i ? value : old)),
              ),
            )
          }
        />
      ))}
    </div>
  );
}

function ArcFields({ step, set }: SetProps) {
  const arc = step.arc ?? here();
  return (
    <fieldset class="scenario-set">
      <legend class="field-label">{t("scenario.arc.heading")}</legend>
      <div class="scenario-fields">
        {(["X", "Y", "Z"] as const).map((name, i) => (
          <NumberField
            key={name}
            label={t("scenario.arc.field", { name })}
            value={arc[i] ?? 0}
            unit="mm"
            digits={1}
            lower={-FAR}
            upper={FAR}
            step={10}
            onCommit={(value) => {
              const [x, y, z] = arc.map((old, k) => (k === i ? value : old));
              set({ ...step, arc: [x ?? 0, y ?? 0, z ?? 0] });
            }}
          />
        ))}
        <button type="button" onClick={() => set({ ...step, arc: here() })}>
          {t("scenario.goal.here")}
        </button>
      </div>
    </fieldset>
  );
}

function Speeds({ step, set }: SetProps) {
  return (
    <div class="scenario-fields">
      <NumberField
        label={t("scenario.speed.joint")}
        value={step.speed}
        unit="%"
        digits={0}
        lower={1}
        upper={100}
        step={5}
        onCommit={(speed) => set({ ...step, speed })}
      />
      <Total step={step} set={set} />
      {step.path === "line" && step.through !== null && (
        <NumberField
          label={t("planner.blend")}
          value={step.blend}
          unit="mm"
          digits={1}
          lower={0}
          upper={10_000}
          onCommit={(blend) => set({ ...step, blend })}
        />
      )}
      {pathOf(step) !== "joint" && (
        <span class="scenario-tool-speed">
          <NumberField
            label={t("scenario.speed.tool")}
            value={step.tool_speed}
            unit="mm/s"
            digits={0}
            lower={1}
            upper={10_000}
            step={10}
            onCommit={(speed) => set({ ...step, tool_speed: speed })}
          />
          {step.tool_speed !== null && (
            <IconButton
              icon="close"
              label={t("scenario.speed.free")}
              onClick={() => set({ ...step, tool_speed: null })}
            />
          )}
        </span>
      )}
    </div>
  );
}

/** The same goal kind, where the arm is now. */
function takeHere(step: MoveStep): MoveStep {
  return withGoal(step, goalOf(step) === "pose" ? { pose: herePose() } : hereJoints());
}

function hereJoints(): readonly number[] {
  return [...live.command].map((value) => rounded(value, 3));
}

function herePose(): Frame {
  const [x = 0, y = 0, z = 0, a = 0, b = 0, c = 0] = toolPose(live.frames) ?? [];
  return [rounded(x, 2), rounded(y, 2), rounded(z, 2), rounded(a, 2), rounded(b, 2), rounded(c, 2)];
}

function here(): readonly [number, number, number] {
  const [x, y, z] = herePose();
  return [x, y, z];
}

function replaced(frame: Frame, index: number, value: number): Frame {
  const [x = 0, y = 0, z = 0, a = 0, b = 0, c = 0] = frame.map((old, i) => (i === index ? value : old));
  return [x, y, z, a, b, c];
}
