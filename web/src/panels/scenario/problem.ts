/** The words for what went wrong with a scenario. */

import type { Failure } from "../../api";
import { t } from "../../i18n";
import { failureText } from "../../parts/failure";
import { pickText } from "../scene/hold";
import { withoutStep } from "./steps";

interface Problem {
  readonly text: Failure;
  readonly step: number;
  readonly file?: string;
}

export function problemText({ text, step, file }: Problem): string {
  if (file !== undefined) {
    if (text.code === "too_long") return t("scenario.file.tooLong", { name: file });
    if (text.code === "network" || text.code === "no_access") return failureText(text);
    return t("scenario.file.refused", { name: file, message: text.message });
  }
  const words = withoutStep(pickText(text));
  return step >= 0 ? t("scenario.failed.step", { n: step + 1, message: words }) : words;
}
