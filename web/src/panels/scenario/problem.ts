/** The words for what went wrong with a scenario. */

import type { Failure } from "../../api";
import { sentenceOf } from "../../events";
import { t } from "../../i18n";
import { failureText } from "../../parts/failure";
import { withoutPlace } from "./steps";

/** Why a change, a file or a run was refused. */
export interface Problem {
  readonly text: Failure;
  /** Which step, from 0; -1 for the whole scenario. */
  readonly step: number;
  readonly file?: string;
  /** Whether it was found by running: the list then says it at its step. */
  readonly isOfRun?: boolean;
}

/** Return the sentence as it stands at its step. */
export const sentenceAtStep = ({ text }: Problem): string => sentenceOf(text.code, withoutPlace(text));

export function problemText({ text, step, file }: Problem): string {
  if (file !== undefined) {
    if (text.code === "too_long") return t("scenario.file.tooLong", { name: file });
    if (text.code === "network" || text.code === "no_access") return failureText(text);
    return t("scenario.file.refused", { name: file, message: text.message });
  }
  const words = sentenceAtStep({ text, step });
  return step >= 0 ? t("scenario.failed.step", { n: step + 1, message: words }) : words;
}
