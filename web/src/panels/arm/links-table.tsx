/** The table of links. */

import { linkTitle, number, t, unit as unitWord } from "../../i18n";
import { Table } from "../../parts/table";
import type { RobotSheet } from "../../protocol.gen";
import { Estimated } from "./identity";

export function LinksTable({ data }: { data: RobotSheet }) {
  return (
    <Table
      label={`${t("arm.links.mass")}, ${t("arm.links.com")}`}
      head={[
        t("arm.links.name"),
        <>
          {t("arm.links.mass")}, {unitWord("kg")} <Estimated data={data} what="link masses" />
        </>,
        <>
          {t("arm.links.com")}, {unitWord("mm")} <Estimated data={data} what="link masses" />
        </>,
      ]}
      rows={data.links.map((link) => ({
        key: link.name,
        cells: [
          linkTitle(link.name),
          number(link.mass, 2),
          link.com.map((value) => number(value, 1)).join("  "),
        ],
      }))}
      foot={[t("arm.links.total"), number(data.mass, 2), ""]}
    />
  );
}
