/** The guide's small card with an arrow at the control that a step is about; it lets every click through. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { isKey, t } from "../i18n";
import { clamp } from "../numbers";
import type { Step } from "./guide";
import "../styles/guide-pointer.css";
import { drawerOpen, room, shape, shownPanel } from "./layout";

const MARGIN_PX = 12;
const ARROW_PX = 14;
/** Of a high target, the card points at its upper part. */
const DEEP_PX = 24;
const LOOK_MS = 200;
const COUNT = 3;

interface Place {
  /** The panel on the right that must be open. */
  readonly panel: "jog" | "arm" | null;
  readonly exact: string;
  /** Where `exact` is not there though the panel is open: another way to do the same. */
  readonly near: string;
}

const PLACES: Readonly<Record<Step, Place>> = {
  move: {
    panel: "jog",
    exact: "#right .joint input[type=range]",
    near: "#right .jog-hold",
  },
  turn: { panel: null, exact: ".view", near: ".view" },
  arm: { panel: "arm", exact: "#right [data-section='arm.list']", near: "#right input[type=search]" },
};

type Aim = "exact" | "near" | "tab";

export function GuidePointer({ step, at }: { step: Step | null; at: number }) {
  const card = useRef<HTMLDivElement>(null);
  const aim = useSignal<Aim | null>(null);
  useEffect(() => {
    if (step === null) return undefined;
    let shown: Element | null = null;
    const look = (): void => {
      const found = isCovered() ? null : find(PLACES[step]);
      aim.value = found?.aim ?? null;
      if (found === null || card.current === null) return;
      if (found.target !== shown && step !== "turn") found.target.scrollIntoView({ block: "nearest" });
      shown = found.target;
      put(card.current, found.target, step === "turn" ? "view" : found.aim);
    };
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [step, aim.value, room.value, shape.value]);
  return (
    <div
      ref={card}
      class="guide-pointer"
      role="status"
      data-step={step ?? ""}
      data-aim={aim.value ?? ""}
      hidden={step === null || aim.value === null}
    >
      {step !== null && (
        <>
          <span class="guide-pointer-step">{t("welcome.step", { at, count: COUNT })}</span>
          <span>{words(step, aim.value)}</span>
        </>
      )}
    </div>
  );
}

function words(step: Step, aim: Aim | null): string {
  const { panel } = PLACES[step];
  if (aim === "tab" && panel !== null) return t("welcome.open", { panel: t(`${panel}.title`) });
  const words = aim === "near" && step === "move" ? "welcome.near" : `welcome.${step}`;
  const plain = `${words}Touch`;
  return matchMedia("(pointer: coarse)").matches && isKey(plain) ? t(plain) : t(words, { key: "D" });
}

/** Tell whether something lies over the view that the card must not lie on. */
function isCovered(): boolean {
  const isDrawer = shape.peek() !== "wide" && drawerOpen.peek();
  return isDrawer || document.querySelector("dialog[open]") !== null;
}

/** Return what the card points at now: the control itself, or the tab that leads to it; null while it is loading. */
function find({ panel, exact, near }: Place): { readonly aim: Aim; readonly target: Element } | null {
  const isOpen = panel === null || shownPanel("right")?.id === panel;
  const tries: readonly (readonly [Aim, string])[] = isOpen
    ? [
        ["exact", exact],
        ["near", near],
      ]
    : [["tab", `#right-tab-${panel}`]];
  for (const [aim, selector] of tries) {
    const target = document.querySelector(selector);
    if (target !== null) return { aim, target };
  }
  return null;
}

/** Put the card beside its target, with the arrow at it. */
function put(card: HTMLElement, target: Element, aim: Aim | "view"): void {
  const view = document.querySelector(".view")?.getBoundingClientRect();
  if (view === undefined) return;
  const box = target.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = card;
  const points = aim === "tab" && shape.peek() !== "narrow" ? "up" : besides(aim);
  const x = box.left + box.width / 2;
  const y = box.top + Math.min(box.height / 2, DEEP_PX);
  const wanted = {
    right: [view.right - width - MARGIN_PX, y - height / 2],
    down: [x - width / 2, aim === "view" ? view.top + MARGIN_PX : box.top - height - MARGIN_PX],
    up: [x - width / 2, box.bottom + MARGIN_PX],
  }[points];
  const left = clamp(wanted[0] ?? 0, 8, Math.max(innerWidth - width - 8, 8));
  const top = clamp(wanted[1] ?? 0, 8, Math.max(innerHeight - height - 8, 8));
  const along = points === "right" ? [y - top, height] : [x - left, width];
  card.dataset.points = points;
  card.style.left = `${left}px`;
  card.style.top = `${top}px`;
  card.style.setProperty("--arrow", `${clamp(along[0] ?? 0, ARROW_PX, (along[1] ?? 0) - ARROW_PX)}px`);
}

/** Beside the right dock there is room over the view; where the panels are below it, only above the target. */
function besides(aim: Aim | "view"): "right" | "down" {
  return aim === "view" || shape.peek() === "narrow" ? "down" : "right";
}
