/** What the arm is: its name, its facts, and where the numbers come from. */

import type { ComponentChildren } from "preact";
import { armTitle } from "../../arm-title";
import { listed, number, shortNumber, t, unit, word } from "../../i18n";
import { project } from "../../project";
import type { RobotSheet } from "../../protocol.gen";
import { changedParts } from "./changes";
import { ResetButton } from "./reset-button";
import { reset, toolWord } from "./state";

export function Identity({ data }: { data: RobotSheet }) {
  return (
    <div class="identity">
      <h2>{armTitle(data)}</h2>
      <p>
        {data.maker === "" ? t("arm.list.noMaker") : data.maker} · <code>{data.name}</code>
      </p>
      <Facts data={data} />
      <Changed />
    </div>
  );
}

/** What is not as in the catalog, and a way back. */
function Changed() {
  const arm = project.value?.arm;
  const parts = arm === undefined ? [] : changedParts(arm);
  return (
    <div class="arm-changed">
      {parts.length > 0 && (
        <p>{t("arm.changed.what", { what: listed(parts.map((part) => t(`arm.changed.${part}`))) })}</p>
      )}
      <ResetButton isNeeded={parts.length > 0} onReset={reset.all} />
    </div>
  );
}

function Facts({ data }: { data: RobotSheet }) {
  const hasTool = data.tool !== "" && data.tool !== "none";
  return (
    <dl class="facts">
      <Fact name={t("arm.axes")}>{number(data.dof, 0)}</Fact>
      {data.wrist_reach !== null && (
        <Fact name={t("arm.wristReach")} hint={t("arm.wristReachHint")}>
          {number(data.wrist_reach, 0)} {unit("mm")} <Estimated data={data} what="dimensions" />
        </Fact>
      )}
      <Fact name={t(hasTool ? "arm.toolReach" : "arm.flangeReach")} hint={t("arm.reachHint")}>
        {number(data.reach, 0)} {unit("mm")} <Estimated data={data} what="dimensions" />
      </Fact>
      <Fact name={t("arm.payload")}>
        {data.payload === null ? t("arm.unknown") : `${shortNumber(data.payload, 1)} ${unit("kg")}`}
      </Fact>
      <Fact name={t("arm.mass")}>
        {shortNumber(data.mass, 1)} {unit("kg")} <Estimated data={data} what="mass" />
      </Fact>
      {hasTool && <Fact name={t("arm.tool")}>{toolWord(data.tool)}</Fact>}
    </dl>
  );
}

function Fact({ name, hint, children }: { name: string; hint?: string; children: ComponentChildren }) {
  return (
    <div title={hint}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A mark beside numbers that nobody published. */
export function Estimated({ data, what }: { data: RobotSheet; what: string }) {
  return data.estimated.includes(what) ? <span class="estimated">{t("estimated.mark")}</span> : null;
}

export function Source({ data }: { data: RobotSheet }) {
  const what = listed(data.estimated.map((name) => word("estimated", name)));
  return (
    <>
      <p class="source">{data.source}</p>
      {data.notes !== "" && <p class="source">{data.notes}</p>}
      {data.estimated.length > 0 && <p class="source">{t("estimated.note", { what })}</p>}
    </>
  );
}
