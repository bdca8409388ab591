/** The first visit: three things to try, in a strip that gets out of the way; done or skipped, it does not come back. */

import { computed, signal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { goal } from "../goal";
import { t } from "../i18n";
import { is } from "../live";
import { recall, remember } from "../memory";
import { Icon } from "../parts/icon";
import { project } from "../project";
import { say } from "../toasts";
import { link } from "../wire";
import { GuidePointer } from "./guide-pointer";
import { openPanel } from "./layout";

const STEPS = ["move", "turn", "arm"] as const;
export type Step = (typeof STEPS)[number];

const isOver = signal(recall("visited") !== null);
const done = signal<ReadonlySet<Step>>(new Set());
/** The first step that is not done. */
export const next = computed<Step | null>(() =>
  isOver.value ? null : (STEPS.find((step) => !done.value.has(step)) ?? null),
);

/** What was there when the guide began. */
let first: { readonly arm: string; readonly bodies: number } | null = null;
let firstGoal = goal.peek();

/** Tell the guide that the person has done this. */
export function did(step: Step): void {
  if (isOver.peek() || done.peek().has(step)) return;
  done.value = new Set([...done.peek(), step]);
  if (next.peek() !== null) return;
  end();
  say("good", t("guide.done"), { key: "guide" });
}

/** Begin again: the help dialog offers it. */
export function restartGuide(): void {
  first = null;
  firstGoal = goal.peek();
  done.value = new Set();
  isOver.value = false;
  openPanel("jog");
  focusView();
}

/** Keys move the arm while the view has the focus; a dialog that is closing gives its own focus back first. */
function focusView(): void {
  if (document.querySelector("dialog[open]") !== null) requestAnimationFrame(focusView);
  else document.querySelector<HTMLElement>(".view canvas")?.focus();
}

/** Notice what the person does, and Escape, which skips the rest. */
function useDeeds(): void {
  useSignalEffect(() => {
    if ((goal.value !== null && goal.value !== firstGoal) || is("jogging")) did("move");
  });
  useSignalEffect(() => {
    const now = project.value;
    if (now === null || isOver.value) return;
    first ??= { arm: now.arm.name, bodies: now.bodies.length };
    if (now.arm.name !== first.arm || now.bodies.length > first.bodies) did("arm");
  });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented || isOver.peek()) return;
      if (document.querySelector("dialog[open], :popover-open") === null) end();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

export function Guide() {
  useDeeds();
  if (isOver.value || link.value === "denied" || link.value === "stale") return null;
  return (
    <section class="guide" aria-label={t("guide.label")}>
      <GuidePointer step={next.value} at={next.value === null ? 0 : STEPS.indexOf(next.value) + 1} />
      <ol>
        {STEPS.map((step, index) => (
          <li key={step} data-state={stateOf(step)} aria-current={next.value === step ? "step" : undefined}>
            <span class="guide-number">{done.value.has(step) ? <Icon name="check" /> : index + 1}</span>
            <button type="button" onClick={() => show(step)}>
              {t(`guide.${step}`)}
            </button>
          </li>
        ))}
      </ol>
      <button type="button" class="guide-skip" onClick={end}>
        {t("guide.skip")}
      </button>
    </section>
  );
}

function stateOf(step: Step): "done" | "next" | "later" {
  if (done.value.has(step)) return "done";
  return next.value === step ? "next" : "later";
}

/** Bring to the front what the step is about. */
function show(step: Step): void {
  if (step === "turn") document.querySelector<HTMLElement>(".view canvas")?.focus();
  else openPanel(step === "move" ? "jog" : "arm");
  const selector = step === "move" ? "#right input[type=range]" : "#right input[type=search]";
  if (step !== "turn") setTimeout(() => document.querySelector<HTMLElement>(selector)?.focus(), 150);
}

function end(): void {
  isOver.value = true;
  remember("visited", "yes");
}
