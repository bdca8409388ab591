/** Where the tool's point is on the flange, and what the tool carries. */

import { number, shortNumber, t } from "../../i18n";
import { Card } from "../../parts/card";
import { FailureNote } from "../../parts/failure";
import { project } from "../../project";
import type { LoadReport, MountedToolReport } from "../../protocol.gen";
import { MAX_MM } from "./changes";
import { type FrameField, FrameFields } from "./frame-fields";
import { askAgain, mounted, mountedFailure } from "./mounted-tool";
import { BASE_NAMES, changePayloadCom, changePayloadMass, changeTcp, reset } from "./state";

const MAX_DEG = 360;
const MAX_KG = 10_000;
const NO_COM = [0, 0, 0] as const;

export function ToolFields() {
  const report = mounted.value;
  if (report === null)
    return mountedFailure.value === null ? (
      <p class="quiet">{t("loading.arm")}</p>
    ) : (
      <FailureNote failure={mountedFailure.value} onRetry={askAgain} />
    );
  return (
    <>
      <Tcp key={report.tool} report={report} />
      <Payload report={report} />
    </>
  );
}

function Tcp({ report }: { report: MountedToolReport }) {
  const own = report.own_tcp;
  const tcp = project.value?.arm.tcp ?? null;
  return (
    <FrameFields
      title={t("tool.tcp")}
      what="tcp"
      fields={BASE_NAMES.map((name, i) => ({
        name,
        label: t("tool.tcp.field", { name }),
        value: (tcp ?? own)[i] ?? 0,
        own: own[i] ?? 0,
        ...(i < 3
          ? { unit: "mm", lower: -MAX_MM, upper: MAX_MM }
          : { unit: "°", lower: -MAX_DEG, upper: MAX_DEG }),
        onCommit: (value) => changeTcp(own, i, value),
      }))}
      isChanged={tcp !== null}
      resetTitle={t("tool.tcp.reset")}
      onReset={reset.tcp}
    />
  );
}

function Payload({ report }: { report: MountedToolReport }) {
  const { mass, com } = project.value?.arm.payload ?? { mass: 0, com: NO_COM };
  const first: FrameField = {
    name: t("tool.payload.mass"),
    value: mass,
    own: 0,
    unit: "kg",
    lower: 0,
    upper: MAX_KG,
    onCommit: changePayloadMass,
  };
  const centre = com.map((value, i): FrameField => {
    const name = BASE_NAMES[i] ?? "";
    return {
      name,
      label: t("tool.payload.comField", { name }),
      ...(i === 0 ? { caption: t("tool.payload.com") } : {}),
      value,
      own: 0,
      unit: "mm",
      lower: -MAX_MM,
      upper: MAX_MM,
      onCommit: (to) => changePayloadCom(i, to),
    };
  });
  return (
    <FrameFields
      title={t("tool.payload")}
      what="payload"
      fields={[first, ...centre]}
      isChanged={project.value?.arm.payload != null}
      resetTitle={t("tool.payload.reset")}
      onReset={reset.payload}
    >
      <Weights report={report} />
    </FrameFields>
  );
}

/** What the numbers come to, and what is estimated. */
function Weights({ report }: { report: MountedToolReport }) {
  const { payload, carried, rated } = report;
  const sum = t("tool.carried", {
    tool: shortNumber(report.mass, 3),
    load: shortNumber(payload?.mass ?? 0, 3),
    sum: shortNumber(carried, 3),
  });
  return (
    <>
      <p class="hint">{t("tool.payload.hint")}</p>
      <p class="hint" data-carried={carried}>
        {rated === null ? sum : t("tool.carried.rated", { carried: sum, rated: shortNumber(rated, 1) })}
      </p>
      {payload !== null && payload.mass > 0 && <p class="hint">{inertiaOf(payload)}</p>}
      {rated !== null && carried > rated && (
        <Card kind="warn">
          <p>{t("tool.overloaded", { carried: shortNumber(carried, 3), rated: shortNumber(rated, 1) })}</p>
        </Card>
      )}
    </>
  );
}

function inertiaOf({ radius, inertia }: LoadReport): string {
  const digits = Math.max(0, 1 - Math.floor(Math.log10(inertia))); // two that count
  return t("tool.payload.inertia", { radius: number(radius, 0), inertia: number(inertia, digits) });
}
