/** What stands between the arm and the pose that it was sent to: in front of the view, whatever panel sent it. */

import { number, t } from "../../i18n";
import { followSlow, live } from "../../live";
import { Card } from "../../parts/card";
import { toolPose } from "../../poses";
import { atLimit, refusal, target } from "./moving";
import { apart } from "./steps";

/** Why a pose is not reached, as far as we have words of our own for it. */
const REASONS: readonly string[] = ["out_of_reach", "limits", "orientation", "too_few_axes", "branch"];

export function Refusal() {
  followSlow();
  const answer = refusal.value;
  const sent = target.value;
  if (atLimit.value !== null)
    return (
      <div class="jog-refusal" aria-live="polite">
        <Card kind="warn">{t("jog.atLimit", { name: atLimit.value })}</Card>
      </div>
    );
  if (answer === null || sent === null) return null;
  const here = toolPose(live.frames);
  const [distance, turn] = here === null ? [0, 0] : apart(here, sent);
  const code = REASONS.includes(answer.code) ? answer.code : "";
  return (
    <div class="jog-refusal" aria-live="polite">
      <Card kind="warn" title={t("jog.refused")}>
        <p>{code === "" ? answer.message : t(`jog.refused.${code}`)}</p>
        <p class="hint">{t("jog.refused.apart", { distance: number(distance, 1), turn: number(turn, 1) })}</p>
      </Card>
    </div>
  );
}
