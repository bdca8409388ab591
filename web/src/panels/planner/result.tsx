/** What comes of a plan: how long it takes, how near it comes to the limits, what a check found, and curves. */

import type { Failure } from "../../api";
import { number, shortNumber, t, unit } from "../../i18n";
import { Card } from "../../parts/card";
import { failureText } from "../../parts/failure";
import { Table } from "../../parts/table";
import type { FindingReport, JointPeak, PlanReport } from "../../protocol.gen";
import { failure, isAsking, planned } from "./ask";
import { changes, draft, planOf, pointsOf, roleOf } from "./draft";

const FULL = 1.0005;
const KINDS = { error: "error", warning: "warn", note: "info" } as const;

export function Result() {
  const made = planned.value;
  return (
    <div class="planner-result" aria-busy={isAsking.value}>
      {failure.value !== null && <Failed />}
      {made === null && failure.value === null && (
        <p class="planner-none quiet">
          {isAsking.value
            ? t("planner.asking")
            : t(planOf(draft.value) === null ? "planner.result.none" : "planner.result.press")}
        </p>
      )}
      {made !== null && <Report report={made.report} isOld={made.change !== changes.value} />}
    </div>
  );
}

function Failed() {
  const reason = failure.value;
  if (reason === null) return null;
  return (
    <Card kind="error" title={t("planner.failed")}>
      <p>{withRoles(reason)}</p>
    </Card>
  );
}

/** Return the text for a failure, with the names that the points have in the table. */
function withRoles(reason: Failure): string {
  const { index, problem } = reason.parameters;
  const count = pointsOf(draft.value).length;
  if (typeof index !== "number" || index >= count) return failureText(reason);
  const name = roleOf(index, count);
  if (reason.code === "joint_outside" && typeof problem === "string")
    return t("planner.atPoint", { name, problem });
  if (reason.code === "repeated_point")
    return t("planner.repeated", { first: name, second: roleOf(index + 1, count) });
  return failureText(reason);
}

function Report({ report, isOld }: { report: PlanReport; isOld: boolean }) {
  const { duration, tool_peak: peak, findings } = report;
  return (
    <div data-old={isOld ? "" : undefined} data-duration={duration}>
      <dl class="planner-sums">
        <div>
          <dt>{t("planner.duration")}</dt>
          <dd class="planner-duration">
            {number(duration, 3)} <span class="unit">{unit("s")}</span>
          </dd>
        </div>
        <div>
          <dt>{t("planner.toolPeak")}</dt>
          <dd>
            {number(peak.speed, 0)} <span class="unit">{unit("mm/s")}</span>
          </dd>
        </div>
        <div>
          <dt>{t("planner.turnPeak")}</dt>
          <dd>
            {number(peak.turn_speed, 0)} <span class="unit">{unit("°/s")}</span>
          </dd>
        </div>
      </dl>
      <Findings findings={findings} />
      <Peaks peaks={report.peaks} />
    </div>
  );
}

function Findings({ findings }: { findings: readonly FindingReport[] }) {
  if (findings.length === 0) return <p class="hint planner-fine">{t("planner.fine")}</p>;
  return (
    <div class="planner-findings">
      {findings.map(({ severity, code, message }, i) => (
        <Card key={`${code}${i}`} kind={KINDS[severity]}>
          {message}
        </Card>
      ))}
    </div>
  );
}

function Peaks({ peaks }: { peaks: readonly JointPeak[] }) {
  const rows = peaks.map((peak) => ({
    key: peak.joint,
    cells: [
      peak.joint,
      <Peak value={peak.velocity} share={peak.velocity_share} unit={peak.unit} per="1" />,
      <Peak value={peak.acceleration} share={peak.acceleration_share} unit={peak.unit} per="2" />,
      <Peak value={peak.jerk} share={peak.jerk_share} unit={peak.unit} per="3" />,
    ],
  }));
  const head = [t("joint.name"), t("planner.velocity"), t("planner.acceleration"), t("planner.jerk")];
  return <Table label={t("planner.peaks")} head={head} rows={rows} />;
}

/** A largest value, with a bar for its share of the limit. */
function Peak(props: { value: number; share: number; unit: string; per: "1" | "2" | "3" }) {
  const { value, share, per } = props;
  const isOver = share > FULL;
  return (
    <span class="planner-peak" data-over={isOver ? "" : undefined}>
      <span>
        {shortNumber(value, Math.abs(value) < 10 ? 2 : 0)}{" "}
        <span class="unit">{t(`planner.per.${per}`, { unit: unit(props.unit) })}</span>
      </span>
      <span class="planner-share" style={{ "--share": `${Math.min(share, 1) * 100}%` }}>
        {number(share * 100, 0)} %
      </span>
    </span>
  );
}
