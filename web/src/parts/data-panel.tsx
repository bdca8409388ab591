/** The right side: what the arm is, where its tool is, its joints, and its tables. */

import type { ComponentChildren } from "preact";
import { listed, number, shortNumber, t, unit, word } from "../i18n";
import type { RobotSheet } from "../protocol.gen";
import { chosen, sheet, sheetFailure } from "../state";
import { DhTable } from "./dh-table";
import { Joints } from "./joints";
import { LimitsTable, LinksTable } from "./tables";
import { ToolPose } from "./tool-pose";

export function DataPanel() {
  const data = sheet.value;
  return (
    <section class="panel" aria-label={t("panel.label")}>
      {data === null ? <Waiting /> : <Sheet data={data} />}
    </section>
  );
}

function Waiting() {
  if (chosen.value === "" || sheetFailure.value !== null) return null;
  return <p class="quiet">{t("loading.arm")}</p>;
}

function Sheet({ data }: { data: RobotSheet }) {
  return (
    <>
      <div class="identity">
        <h2>{data.title}</h2>
        <p>
          {data.maker === "" ? t("arms.noMaker") : data.maker} · <code>{data.name}</code>
        </p>
        <Facts data={data} />
      </div>
      <ToolPose />
      <Joints data={data} />
      <Fold title={t("data.heading")}>
        <LimitsTable data={data} />
      </Fold>
      <Fold title={t("dh.heading")}>
        <DhTable data={data} />
      </Fold>
      <Fold title={t("links.heading")}>
        <LinksTable data={data} />
      </Fold>
      <Fold title={t("source.heading")}>
        <Source data={data} />
      </Fold>
    </>
  );
}

function Facts({ data }: { data: RobotSheet }) {
  const hasTool = data.tool !== "" && data.tool !== "none";
  return (
    <dl class="facts">
      <Fact name={t("panel.axes")}>{number(data.dof, 0)}</Fact>
      <Fact name={t("panel.reach")}>
        {number(data.reach, 0)} {unit("mm")}
        <Estimated data={data} what="dimensions" />
      </Fact>
      <Fact name={t("panel.payload")}>
        {data.payload === null ? t("panel.unknown") : `${shortNumber(data.payload, 1)} ${unit("kg")}`}
      </Fact>
      <Fact name={t("panel.mass")}>
        {shortNumber(data.mass, 1)} {unit("kg")}
        <Estimated data={data} what="mass" />
      </Fact>
      {hasTool && <Fact name={t("panel.tool")}>{data.tool}</Fact>}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A mark beside numbers that nobody published. */
export function Estimated({ data, what }: { data: RobotSheet; what: string }) {
  return data.estimated.includes(what) ? <span class="estimated">{t("estimated.mark")}</span> : null;
}

function Fold({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <details class="fold">
      <summary>
        <h3>{title}</h3>
        <svg viewBox="0 0 20 20" aria-hidden="true" class="glyph">
          <path d="M7.500 5.500L12 10l-4.500 4.500" />
        </svg>
      </summary>
      {children}
    </details>
  );
}

function Source({ data }: { data: RobotSheet }) {
  const what = listed(data.estimated.map((name) => word("estimated", name)));
  return (
    <>
      <p class="source">{data.source}</p>
      {data.notes !== "" && <p class="source">{data.notes}</p>}
      {data.estimated.length > 0 && <p class="source">{t("estimated.note", { what })}</p>}
    </>
  );
}
