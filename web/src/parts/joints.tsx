/** Every joint as a slider and a number: both ask the server where the arm is then. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { number, t, unit as unitWord, word } from "../i18n";
import { clamp, parseNumber, rounded } from "../numbers";
import type { JointRow, RobotSheet } from "../protocol.gen";
import { goTo, q, setJoint } from "../state";

const DIGITS = 2;
const STEP = 1;
const FINE_STEP = 0.1;
const PAGE_STEP = 10;

export function Joints({ data }: { data: RobotSheet }) {
  return (
    <section id="joints" class="joints" aria-labelledby="joints-heading">
      <h3 id="joints-heading">{t("joints.heading")}</h3>
      <ul>
        {data.joints.map((joint, index) => (
          <Joint key={`${data.name}/${joint.name}`} joint={joint} index={index} />
        ))}
      </ul>
      <NamedPoses data={data} />
    </section>
  );
}

function NamedPoses({ data }: { data: RobotSheet }) {
  if (data.poses.length === 0) return null;
  return (
    <div class="poses" role="group" aria-label={t("joints.poses")}>
      <span aria-hidden="true">{t("joints.poses")}</span>
      {data.poses.map((pose) => (
        <button key={pose.name} type="button" data-pose-name={pose.name} onClick={() => goTo(pose.q)}>
          {word("pose", pose.name)}
        </button>
      ))}
    </div>
  );
}

function Joint({ joint, index }: { joint: JointRow; index: number }) {
  const value = q.value[index] ?? joint.home;
  const problem = useSignal<string | null>(null);
  const problemId = `joint-problem-${index}`;
  useEffect(() => {
    problem.value = null;
  }, [value]);
  return (
    <li class="joint" data-joint={joint.name}>
      <span class="joint-name">{joint.name}</span>
      <Slider joint={joint} index={index} value={value} onTouch={() => (problem.value = null)} />
      <NumberField joint={joint} index={index} value={value} problem={problem} problemId={problemId} />
      <span class="unit" aria-hidden="true">
        {unitWord(joint.unit)}
      </span>
      <span class="limits" aria-hidden="true">
        <span>{number(joint.lower, 0)}</span>
        <span>{number(joint.upper, 0)}</span>
      </span>
      <span id={problemId} class="problem" role="alert">
        {problem.value}
      </span>
    </li>
  );
}

interface SliderProps {
  readonly joint: JointRow;
  readonly index: number;
  readonly value: number;
  readonly onTouch: () => void;
}

function Slider({ joint, index, value, onTouch }: SliderProps) {
  const { name, lower, upper } = joint;
  const unit = unitWord(joint.unit);
  const share = (at: number): string => `${(clamp((at - lower) / (upper - lower), 0, 1) * 100).toFixed(2)}%`;
  const move = (to: number): void => {
    onTouch();
    setJoint(index, rounded(to, DIGITS));
  };
  return (
    <input
      class="slider"
      type="range"
      min={lower}
      max={upper}
      step="any"
      value={value}
      style={{ "--at": share(value), "--from": share(clamp(0, lower, upper)) }}
      aria-label={t("joints.slider", { name, lower: number(lower, 1), upper: number(upper, 1), unit })}
      aria-valuetext={`${number(value, DIGITS)} ${unit}`}
      onInput={(event) => move(event.currentTarget.valueAsNumber)}
      onKeyDown={(event) => {
        const by = stepOf(event.key, event.shiftKey);
        if (by === null) return;
        event.preventDefault();
        move(value + by);
      }}
    />
  );
}

interface NumberFieldProps {
  readonly joint: JointRow;
  readonly index: number;
  readonly value: number;
  readonly problem: { value: string | null };
  readonly problemId: string;
}

function NumberField({ joint, index, value, problem, problemId }: NumberFieldProps) {
  const draft = useSignal<string | null>(null);
  useEffect(() => {
    draft.value = null;
  }, [value]);
  const commit = (text: string): void => {
    problem.value = problemWith(text, joint);
    const typed = parseNumber(text);
    if (problem.value !== null || typed === null) return;
    draft.value = null;
    setJoint(index, typed);
  };
  return (
    <input
      class="number"
      type="text"
      inputMode="decimal"
      autocomplete="off"
      value={draft.value ?? number(value, DIGITS)}
      aria-label={t("joints.value", { name: joint.name, unit: unitWord(joint.unit) })}
      aria-invalid={problem.value !== null}
      aria-describedby={problemId}
      onInput={(event) => (draft.value = event.currentTarget.value)}
      onChange={(event) => commit(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit(event.currentTarget.value);
        const by = event.key.startsWith("Arrow") ? verticalStep(event.key, event.shiftKey) : null;
        if (by === null) return;
        event.preventDefault();
        setJoint(index, rounded(value + by, DIGITS));
      }}
    />
  );
}

/** Return what is wrong with the typed text, or null. */
function problemWith(text: string, joint: JointRow): string | null {
  const typed = parseNumber(text);
  if (typed === null) return t("problem.notANumber", { text: text.trim() });
  if (typed >= joint.lower && typed <= joint.upper) return null;
  return t("problem.outside", {
    value: number(typed, DIGITS),
    lower: number(joint.lower, DIGITS),
    upper: number(joint.upper, DIGITS),
    unit: unitWord(joint.unit),
  });
}

/** How far a key moves a slider; null for keys that the browser handles. */
function stepOf(key: string, isFine: boolean): number | null {
  if (key === "ArrowRight" || key === "ArrowUp") return isFine ? FINE_STEP : STEP;
  if (key === "ArrowLeft" || key === "ArrowDown") return isFine ? -FINE_STEP : -STEP;
  if (key === "PageUp") return PAGE_STEP;
  if (key === "PageDown") return -PAGE_STEP;
  return null;
}

/** In a text field the keys left and right belong to the text. */
function verticalStep(key: string, isFine: boolean): number | null {
  return key === "ArrowUp" || key === "ArrowDown" ? stepOf(key, isFine) : null;
}
