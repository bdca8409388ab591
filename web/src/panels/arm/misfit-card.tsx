/** Poses and plans that lie outside the limits are kept, and named here. */

import { listed, t } from "../../i18n";
import { Card } from "../../parts/card";
import { project } from "../../project";
import type { RobotSheet } from "../../protocol.gen";
import { misfits } from "./changes";

const MOST_NAMES = 5;

export function MisfitCard({ data }: { data: RobotSheet }) {
  const now = project.value;
  if (now?.arm.name !== data.name) return null;
  const { poses, plan } = misfits(now, data.joints);
  if (poses.length === 0 && !plan) return null;
  const names = poses.length > MOST_NAMES ? [...poses.slice(0, MOST_NAMES), "…"] : poses;
  return (
    <div aria-live="polite">
      <Card kind="warn" title={t("arm.misfit.title")}>
        {poses.length > 0 && <p>{t("arm.misfit.poses", { n: poses.length, names: listed(names) })}</p>}
        {plan && <p>{t("arm.misfit.plan")}</p>}
        <p class="hint">{t("arm.misfit.hint")}</p>
      </Card>
    </div>
  );
}
