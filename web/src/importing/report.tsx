/** The report of an import: what the arm is, how whole its files were, what was guessed or repaired, its DH table. */

import { useId } from "preact/hooks";
import { number, shortNumber, t, unit } from "../i18n";
import { Icon } from "../parts/icon";
import { Table } from "../parts/table";
import type { FindingReport, HealthReport, ImportContent, ImportReport } from "../protocol.gen";
import { choose, type LengthUnit, ownUnit, placeOf, reading, UNITS } from "./state";

const PARTS = ["geometry", "limits", "inertias", "meshes", "collision"] as const;
const WHOLE_PART = 20;
const GOOD = 80;
const FAIR = 50;

export function Report({ made, isStale }: { made: ImportContent; isStale: boolean }) {
  const { report, row } = made;
  return (
    <div class="import-report" data-stale={isStale ? "" : undefined}>
      <dl class="import-facts">
        <Fact name={t("import.arm")} value={row.title} />
        <Fact name={t("import.kind")} value={`${t(`import.kind.${report.kind}`)} · ${report.file}`} />
        <Fact name={t("arm.axes")} value={number(report.dof, 0)} />
        <Fact name={t("arm.reach")} value={`${number(row.reach, 0)} ${unit("mm")}`} />
      </dl>
      <div class="import-choices">
        <ChainChoice report={report} />
        <UnitChoice report={report} />
      </div>
      <Health health={report.health} />
      <Findings findings={report.findings} />
      <details class="import-dh">
        <summary>{t("import.dh")}</summary>
        <DhRows report={report} />
      </details>
    </div>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function ChainChoice({ report }: { report: ImportReport }) {
  const id = useId();
  const { tip } = reading.value;
  return (
    <div class="import-choice">
      <label for={id}>{t("import.chain")}</label>
      <select
        id={id}
        value={tip ?? ""}
        disabled={report.chains.length < 2 && tip === null}
        onChange={(event) => {
          const chain = report.chains.find((one) => one.tip === event.currentTarget.value);
          choose({ tip: chain?.tip ?? null, base: chain?.base ?? null });
        }}
      >
        <option value="">{t("import.chainAuto")}</option>
        {report.chains.map((chain) => (
          <option key={chain.tip} value={chain.tip}>
            {t("import.chainOf", { base: chain.base, tip: chain.tip, n: chain.dof })}
          </option>
        ))}
      </select>
    </div>
  );
}

function UnitChoice({ report }: { report: ImportReport }) {
  const id = useId();
  const own = ownUnit(report.kind);
  return (
    <div class="import-choice">
      <label for={id}>{t("import.unit")}</label>
      <select
        id={id}
        value={reading.value.unit ?? own}
        onChange={(event) => choose({ unit: event.currentTarget.value as LengthUnit })}
      >
        {(Object.keys(UNITS) as LengthUnit[]).map((name) => (
          <option key={name} value={name}>
            {t(`import.unit.${name}`)}
          </option>
        ))}
      </select>
    </div>
  );
}

function Health({ health }: { health: HealthReport }) {
  const level = health.score >= GOOD ? "good" : health.score >= FAIR ? "fair" : "poor";
  return (
    <section class="import-health" aria-label={t("import.health")}>
      <p class="import-score" data-level={level}>
        <strong>{number(health.score, 0)}</strong>
        <span>{t("import.ofHundred")}</span>
      </p>
      <dl>
        {PARTS.map((part) => (
          <div key={part}>
            <dt>{t(`import.part.${part}`)}</dt>
            <dd>
              <meter min={0} max={WHOLE_PART} value={health[part]} aria-label={t(`import.part.${part}`)} />
              <span>{shortNumber(health[part], 1)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Findings({ findings }: { findings: readonly FindingReport[] }) {
  if (findings.length === 0)
    return (
      <p class="import-clean">
        <Icon name="check" />
        {t("import.clean")}
      </p>
    );
  return (
    <section aria-label={t("import.findings")}>
      <h3>{t("import.found", { n: findings.length })}</h3>
      <ul class="import-findings">
        {findings.map((finding, i) => (
          <li key={i} data-level={finding.severity}>
            <span>{finding.message}</span> <code>{placeOf(finding.where)}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

function DhRows({ report }: { report: ImportReport }) {
  return (
    <>
      <Table
        label={t("import.dh")}
        head={[t("joint.name"), "θ, °", `d, ${unit("mm")}`, `a, ${unit("mm")}`, "α, °"]}
        rows={report.dh.map((row) => ({
          key: row.joint,
          cells: [row.joint, ...[row.theta, row.d, row.a, row.alpha].map((value) => number(value, 2))],
        }))}
      />
      <p class="hint">{t("import.dhProof", { error: report.dh_error.toExponential(0) })}</p>
    </>
  );
}
