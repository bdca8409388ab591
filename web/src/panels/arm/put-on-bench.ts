/** Another arm takes the place of the one on the bench; what cannot stay is said. */

import { chooseArm } from "../../catalog";
import { t } from "../../i18n";
import { project, undo } from "../../project";
import type { RobotRow } from "../../protocol.gen";
import { say } from "../../toasts";

export async function putOnBench(row: RobotRow): Promise<void> {
  const before = project.peek();
  if (before === null || before.arm.name === row.name) return;
  const lost = before.poses.filter((pose) => pose.q.length !== row.dof).length;
  const failure = await chooseArm(row.name);
  if (failure !== null || lost === 0) return;
  say("warn", t("arm.lostPoses", { n: lost }), {
    key: "arm.lostPoses",
    actions: [{ text: t("edit.undo"), run: undo }],
  });
}
