/** The joints that have no value of their own, and the laws by which they follow others. */

import { number, t, unit as unitWord } from "../../i18n";
import { Table } from "../../parts/table";
import type { RobotSheet } from "../../protocol.gen";

export function FollowersTable({ followers }: { followers: RobotSheet["followers"] }) {
  return (
    <Table
      label={t("arm.followers.heading")}
      head={[
        t("arm.followers.joint"),
        t("arm.followers.follows"),
        t("arm.followers.multiplier"),
        t("arm.followers.offset"),
      ]}
      rows={followers.map(({ name, follows, multiplier, offset, unit }) => ({
        key: name,
        cells: [name, follows, number(multiplier, 4), `${number(offset, 2)} ${unitWord(unit)}`],
      }))}
    />
  );
}
