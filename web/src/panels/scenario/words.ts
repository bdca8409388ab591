/** What a step does, in one line; what was found, in the reader's words. */

import { shortNumber, t, unit, word } from "../../i18n";
import type { FindingReport, SavedPose, MoveStep, ScenarioFile } from "../../protocol.gen";
import { goalOf, isSame, type Step, pathOf, withoutPlace } from "./steps";

/** Return the line of a step in the list. */
export function summary(step: Step, saved: readonly SavedPose[]): string {
  switch (step.do) {
    case "move":
      return moveSummary(step, saved);
    case "pick":
      return step.body === null ? t("scenario.sum.pickNearest") : t("scenario.sum.pick", { name: step.body });
    case "place":
      return t("scenario.sum.place");
    case "wait":
      return t("scenario.sum.wait", { time: brief(step.seconds), unit: unit("s") });
    case "stop":
      return t("scenario.sum.stop");
  }
}

function moveSummary(step: MoveStep, saved: readonly SavedPose[]): string {
  const path = pathOf(step);
  const goal = goalText(step, saved);
  const speed =
    step.tool_speed !== null
      ? ` · ${shortNumber(step.tool_speed, 0)} ${unit("mm/s")}`
      : step.speed < 100
        ? ` · ${shortNumber(step.speed, 0)} ${unit("%")}`
        : "";
  const via = step.via.length === 0 ? "" : ` · ${t("scenario.sum.via", { n: step.via.length })}`;
  const scheme = step.scheme === null ? "" : ` · ${t(`planner.scheme.${step.scheme}`)}`;
  return `${t(`scenario.sum.${path}`, { goal })}${via}${scheme}${speed}`;
}

/** Return the goal of a move in few words. */
function goalText(step: MoveStep, saved: readonly SavedPose[]): string {
  const kind = goalOf(step);
  if (kind === "frames") return t("scenario.sum.frames", { n: step.through?.length ?? 0 });
  if (kind === "pose") return frameText(step.to_pose ?? []);
  return startText(step.to ?? "", saved);
}

/** Return joint values, or the name that they have. */
export function startText(to: ScenarioFile["start"], saved: readonly SavedPose[]): string {
  if (typeof to === "string") return word("pose", to);
  const pose = saved.find(({ q }) => isSame(q, to));
  return pose?.name ?? to.map((value) => shortNumber(value, 1)).join("  ");
}

function frameText(frame: readonly number[]): string {
  return frame
    .slice(0, 3)
    .map((value, i) => `${"XYZ"[i] ?? ""} ${shortNumber(value, 1)}`)
    .join("  ");
}

/** Return what was found, without the step: the list says that beside it. */
export const findingText = (finding: FindingReport): string => withoutPlace(finding);

/** Return the step that a finding is about, from 0; -1 where it names none. */
export function stepOf({ where }: FindingReport): number {
  return typeof where.step === "number" ? where.step - 1 : -1;
}

/** Return a number with no more decimals than it has, at most two. */
function brief(value: number): string {
  return shortNumber(value, Number.isInteger(Math.round(value * 100) / 10) ? 1 : 2);
}
