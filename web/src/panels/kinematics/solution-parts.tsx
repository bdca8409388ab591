/** What every solution shows: its joint values, and KUKA's names for its branch. */

import { measure, t } from "../../i18n";
import type { RobotSheet, StatusTurn } from "../../protocol.gen";
import { statusTurnText } from "./words";

/** KUKA's names for a branch: S and T. */
export function Bits({ kuka }: { kuka: StatusTurn | null }) {
  if (kuka === null) return null;
  return (
    <span class="kinematics-bits" title={t("kinematics.kuka.hint")}>
      {statusTurnText(kuka)}
    </span>
  );
}

export function Joints({ data, q }: { data: RobotSheet; q: readonly number[] }) {
  return (
    <span class="kinematics-joints">
      {data.joints.map(({ name, unit }, i) => (
        <span key={name}>
          <span class="kinematics-joint">{name}</span> {measure(q[i] ?? 0, 2, unit)}
        </span>
      ))}
    </span>
  );
}
