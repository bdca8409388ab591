/** The steps in their order: click to edit, drag or Alt with arrows to reorder. */

import { signal } from "@preact/signals";
import type { HTMLAttributes } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { stepNote, t } from "../../i18n";
import { Icon, type IconName } from "../../parts/icon";
import { IconButton } from "../../parts/icon-button";
import { project } from "../../project";
import type { FindingReport } from "../../protocol.gen";
import { chosen, deleteStep, duplicateStep, findings, moveStep, problem, running, scenario } from "./acts";
import { sentenceAtStep } from "./problem";
import type { Step, StepKind } from "./steps";
import { stepOf, summary } from "./words";

const ICONS: Readonly<Record<StepKind, IconName>> = {
  move: "planner",
  pick: "tool",
  place: "down",
  wait: "hold",
  stop: "stop",
};
/** The step that is being dragged, and where it would go. */
const drag = signal<{ readonly from: number; readonly to: number } | null>(null);

export function StepList() {
  const list = useRef<HTMLOListElement>(null);
  const steps = scenario.value?.steps ?? [];
  const focus = (index: number): void => {
    chosen.value = index;
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-focus="${index}"]`)?.focus());
  };
  return (
    <ol ref={list} class="scenario-steps" aria-label={t("scenario.list.label")}>
      {steps.map((step, index) => (
        <Row key={index} step={step} index={index} count={steps.length} focus={focus} />
      ))}
    </ol>
  );
}

interface RowProps {
  readonly step: Step;
  readonly index: number;
  readonly count: number;
  readonly focus: (index: number) => void;
}

function Row({ step, index, count, focus }: RowProps) {
  const item = useRef<HTMLLIElement>(null);
  const isChosen = chosen.value === index;
  const isRunning = running.value === index;
  const wrong = problem.value;
  const isStuck = wrong?.isOfRun === true;
  const why = isStuck && wrong.step === index ? sentenceAtStep(wrong) : null;
  useEffect(() => {
    if (isChosen || (isRunning && !isStuck)) item.current?.scrollIntoView({ block: "nearest" });
  }, [isRunning, isChosen, isStuck]);
  const moving = drag.value;
  return (
    <li
      ref={item}
      class="scenario-step"
      data-step={index}
      data-do={step.do}
      data-chosen={isChosen ? "" : undefined}
      data-running={isRunning ? "" : undefined}
      data-failed={why === null ? undefined : ""}
      data-drop={
        moving !== null && moving.to === index && moving.from !== index ? dropSide(moving) : undefined
      }
      {...dragging(index)}
      onKeyDown={(event) => press(event, index, count, focus)}
    >
      <button
        type="button"
        class="scenario-name"
        data-focus={index}
        aria-pressed={isChosen}
        aria-current={isRunning ? "step" : undefined}
        onClick={() => (chosen.value = index)}
      >
        <span class="scenario-number">{index + 1}</span>
        <Icon name={ICONS[step.do]} />
        <span class="scenario-text">
          {summary(step, project.value?.poses ?? [])}
          {step.note !== "" && <span class="scenario-note">{stepNote(step.note)}</span>}
        </span>
        <Mark index={index} />
      </button>
      <RowButtons index={index} count={count} />
      {why !== null && (
        <p class="scenario-why" role="alert">
          {why}
        </p>
      )}
    </li>
  );
}

function RowButtons({ index, count }: { index: number; count: number }) {
  return (
    <span class="scenario-buttons">
      <IconButton
        icon="up"
        label={t("scenario.list.up", { n: index + 1 })}
        disabled={index === 0}
        onClick={() => void moveStep(index, index - 1)}
      />
      <IconButton
        icon="down"
        label={t("scenario.list.down", { n: index + 1 })}
        disabled={index === count - 1}
        onClick={() => void moveStep(index, index + 1)}
      />
      <IconButton
        icon="copy"
        label={t("scenario.list.duplicate", { n: index + 1 })}
        onClick={() => void duplicateStep(index)}
      />
      <IconButton
        icon="delete"
        label={t("scenario.list.delete", { n: index + 1 })}
        onClick={() => void deleteStep(index)}
      />
    </span>
  );
}

/** A sign on a step that something was found in. */
function Mark({ index }: { index: number }) {
  const found = (findings.value ?? []).filter((one) => stepOf(one) === index && one.severity !== "note");
  const isBroken = problem.value?.step === index || found.some(isError);
  if (!isBroken && found.length === 0) return null;
  return (
    <span class="scenario-mark" data-level={isBroken ? "error" : "warning"}>
      <Icon name="warn" />
      <span class="unseen">{t(isBroken ? "scenario.list.error" : "scenario.list.warning")}</span>
    </span>
  );
}

function isError({ severity }: FindingReport): boolean {
  return severity === "error";
}

/** What makes the row of a step one that can be dragged to another place. */
function dragging(index: number): HTMLAttributes<HTMLLIElement> {
  return {
    draggable: true,
    onDragStart: (event) => {
      drag.value = { from: index, to: index };
      event.dataTransfer?.setData("text/plain", String(index));
    },
    onDragOver: (event) => {
      if (drag.value === null) return;
      event.preventDefault();
      if (drag.value.to !== index) drag.value = { ...drag.value, to: index };
    },
    onDrop: (event) => {
      event.preventDefault();
      if (drag.value !== null) void moveStep(drag.value.from, index);
      drag.value = null;
    },
    onDragEnd: () => (drag.value = null),
  };
}

function dropSide({ from, to }: { from: number; to: number }): "above" | "below" {
  return to > from ? "below" : "above";
}

function press(event: KeyboardEvent, index: number, count: number, focus: (to: number) => void): void {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const to = index + by;
  if (by !== 0 && to >= 0 && to < count) {
    if (event.altKey) void moveStep(index, to).then(() => focus(to));
    else focus(to);
  } else if (event.key === "Delete") {
    const next = Math.min(index, count - 2);
    void deleteStep(index).then(() => focus(next));
  } else if (by === 0) return;
  event.preventDefault();
  event.stopPropagation();
}
