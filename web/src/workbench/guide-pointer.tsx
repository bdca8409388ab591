/** The guide's small card with an arrow at the control that a step is about; it lets every click through. */

import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { clamp } from "../numbers";
import type { Step } from "./guide";
import "../styles/guide-pointer.css";
import { room, shape } from "./layout";

const MARGIN_PX = 12;
/** The buttons of the view stay free. */
const TOOLS_PX = 60;
const LOOK_MS = 300;
const COUNT = 3;

/** Where each step happens; the first that is there and shown is meant. */
const PLACES: Readonly<Record<Step, readonly string[]>> = {
  move: ["#right .joint input[type=range]", "#right-tab-jog"],
  turn: [".view"],
  arm: ["#right [data-section='arm.list']", "#right-tab-arm"],
};

export function GuidePointer({ step, at }: { step: Step | null; at: number }) {
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (step === null) return undefined;
    const look = (): void => {
      if (card.current !== null) put(card.current, step);
    };
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [step, room.value, shape.value]);
  return (
    <div ref={card} class="guide-pointer" role="status" data-step={step ?? ""} hidden={step === null}>
      {step !== null && (
        <>
          <span class="guide-pointer-step">{t("welcome.step", { at, count: COUNT })}</span>
          <span>{t(`welcome.${step}`, { key: "D" })}</span>
        </>
      )}
    </div>
  );
}

/** Put the card over the view, beside what the step is about. */
function put(card: HTMLElement, step: Step): void {
  const target = PLACES[step]
    .map((selector) => document.querySelector(selector))
    .find((found) => found !== null);
  const box = target?.getBoundingClientRect();
  const view = document.querySelector(".view")?.getBoundingClientRect();
  if (box === undefined || view === undefined) return;
  const { offsetWidth: width, offsetHeight: height } = card;
  const isBeside = step !== "turn" && shape.peek() !== "narrow";
  const left = isBeside ? view.right - width - MARGIN_PX : box.left + (box.width - width) / 2;
  const middle = Math.min(box.top + box.height / 2, box.top + 24);
  const top = isBeside
    ? middle - height / 2
    : step === "turn"
      ? view.top + MARGIN_PX
      : view.bottom - height - TOOLS_PX;
  card.dataset.points = isBeside ? "right" : "down";
  card.style.left = `${clamp(left, 8, Math.max(innerWidth - width - 8, 8))}px`;
  card.style.top = `${clamp(top, 8, Math.max(innerHeight - height - 8, 8))}px`;
}
