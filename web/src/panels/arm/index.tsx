/** The arm on the bench: choose another one, change its lengths, limits, tool and base, and read its numbers. */

import { sheet, sheetFailure } from "../../catalog";
import { t } from "../../i18n";
import { FailureNote } from "../../parts/failure";
import { Section } from "../../parts/section";
import type { RobotSheet } from "../../protocol.gen";
import "./arm.css";
import { ArmsList } from "./arms-list";
import { Chooser } from "./chooser";
import { DhTable } from "./dh-table";
import { FollowersTable } from "./followers-table";
import { Identity, Source } from "./identity";
import { Limits } from "./limits";
import { LinksTable } from "./links-table";
import { MisfitCard } from "./misfit-card";
import { BaseFields, ToolSelect } from "./mounting";
import { loadOriginal, original, originalFailure } from "./state";
import { ToolFields } from "./tool-fields";

export default function ArmPanel() {
  const data = sheet.value;
  return (
    <>
      {sheetFailure.value !== null && <FailureNote failure={sheetFailure.value} />}
      {data === null ? <p class="quiet loading">{t("loading.arm")}</p> : <Identity data={data} />}
      {data !== null && <MisfitCard data={data} />}
      <ArmsList />
      <Section id="arm.list" title={t("arm.list.heading")} help={t("arm.list.help")}>
        <Chooser />
      </Section>
      <Section id="arm.mounting" title={t("arm.mounting.heading")} help={t("arm.mounting.help")}>
        <ToolSelect />
        <ToolFields />
        <BaseFields />
      </Section>
      {data !== null && <Numbers data={data} />}
    </>
  );
}

function Numbers({ data }: { data: RobotSheet }) {
  const own = original.value;
  const isOwn = own !== null && own.name === data.name; // the numbers of another arm may still be on their way
  const isCoupled = data.followers.length > 0; // rows of joints that follow others cannot be changed
  const waiting =
    originalFailure.value === null ? (
      <p class="quiet">{t("loading.arm")}</p>
    ) : (
      <FailureNote failure={originalFailure.value} onRetry={() => void loadOriginal()} />
    );
  return (
    <>
      {!isCoupled && (
        <Section id="arm.dh" title={t("arm.dh.heading")} help={t("arm.dh.help")} open={false}>
          {isOwn ? <DhTable key={own.name} data={data} own={own} /> : waiting}
        </Section>
      )}
      <Section id="arm.limits" title={t("arm.limits.heading")} help={t("arm.limits.help")} open={false}>
        {isOwn ? <Limits key={own.name} data={data} own={own} /> : waiting}
      </Section>
      {isCoupled && (
        <Section
          id="arm.followers"
          title={t("arm.followers.heading")}
          help={t("arm.followers.help")}
          open={false}
        >
          <FollowersTable followers={data.followers} />
        </Section>
      )}
      <Section id="arm.links" title={t("arm.links.heading")} open={false}>
        <LinksTable data={data} />
      </Section>
      <Section id="arm.source" title={t("arm.source.heading")} open={false}>
        <Source data={data} />
      </Section>
    </>
  );
}
