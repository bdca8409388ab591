/** X-ray, names and tape in the view, while somebody presents. */

import { computed, effect, signal } from "@preact/signals";
import { sheet } from "../catalog";
import { linkTitle, measure, t } from "../i18n";
import { layout } from "../project";
import { coloursChanged } from "../theme";
import { everyFrame, view } from "../viewer/view";
import type { JointMark, PointMm } from "../viewer/viewer";
import { jointName } from "./names";

export const isXray = signal(false);
export const isLabelled = signal(false);
export const isMeasuring = signal(false);
/** The ends of the tape, mm. */
export const ends = signal<readonly PointMm[]>([]);
/** mm between them; null before there are two. */
export const distance = computed(() => {
  const [a, b] = ends.value;
  return a === undefined || b === undefined ? null : Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
});

/** Keep the view in step with the tools until the result is called. */
export function followTools(): () => void {
  const before = everyFrame.peek();
  const stops = [
    effect(() => {
      const showing = view.value?.showing;
      if (showing !== undefined) showing.xray = isXray.value;
    }),
    effect(() => {
      const data = sheet.value;
      const hasAxes = data !== null && (isXray.value || isLabelled.value);
      const joints = hasAxes ? marksOf(data.joints) : [];
      const names = isLabelled.value ? (layout.value?.links ?? []) : [];
      const frames = names.map((name, index) => ({
        index,
        text: index === names.length - 1 ? t("present.tool") : linkTitle(name),
        isLeft: index === names.length - 1, // the tool is often where the last link is
      }));
      view.value?.showing.mark(joints, frames, data?.reach ?? 1000);
    }),
    effect(() => {
      everyFrame.value = isLabelled.value || before;
    }),
    effect(() => {
      if (coloursChanged.value < 0) return;
      const between = distance.value;
      const text = between === null ? "" : measure(between, 1, "mm");
      view.value?.showing.measure(isMeasuring.value ? ends.value : [], text, sheet.value?.reach ?? 1000);
    }),
    effect(() => {
      const shown = view.value;
      if (shown === null || !isMeasuring.value) return undefined;
      return shown.onPick(({ point }) => {
        if (point === null) return true;
        ends.value = ends.peek().length === 1 ? [...ends.peek(), point] : [point];
        return true;
      });
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    const showing = view.peek()?.showing;
    if (showing !== undefined) {
      showing.xray = false;
      showing.mark([], [], 1000);
      showing.measure([], "", 1000);
    }
    everyFrame.value = before;
    ends.value = [];
  };
}

function marksOf(joints: NonNullable<typeof sheet.value>["joints"]): JointMark[] {
  return joints.map(({ kind, name, axis }, i) => ({ index: i + 1, axis, text: jointName(kind, name, i) }));
}
