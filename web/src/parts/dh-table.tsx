/** The Denavit-Hartenberg table in either convention. */

import { signal } from "@preact/signals";
import { number, t, unit } from "../i18n";
import type { RobotSheet } from "../protocol.gen";

const CONVENTIONS = ["standard", "modified"] as const;
const convention = signal<(typeof CONVENTIONS)[number]>("standard");

export function DhTable({ data }: { data: RobotSheet }) {
  const isStandard = convention.value === "standard";
  const rows = isStandard ? data.dh_standard : data.dh_modified;
  return (
    <>
      <ConventionSwitch />
      <div class="scroll" tabIndex={0} role="region" aria-label={t("dh.heading")}>
        <table class="numbers" data-convention={convention.value}>
          <thead>
            <tr>
              <th scope="col">{t("joints.name")}</th>
              <th scope="col">θ, °</th>
              <th scope="col">d, {unit("mm")}</th>
              <th scope="col">a, {unit("mm")}</th>
              <th scope="col">α, °</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.joint}>
                <th scope="row">{row.joint}</th>
                <td>{number(row.theta, 2)}</td>
                <td>{number(row.d, 2)}</td>
                <td>{number(row.a, 2)}</td>
                <td>{number(row.alpha, 2)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">{t(isStandard ? "dh.noteStandard" : "dh.noteModified")}</p>
    </>
  );
}

function ConventionSwitch() {
  return (
    <div class="segments" role="radiogroup" aria-label={t("dh.convention")}>
      {CONVENTIONS.map((choice) => (
        <label key={choice} class="segment">
          <input
            type="radio"
            name="convention"
            checked={convention.value === choice}
            onChange={() => (convention.value = choice)}
          />
          <span>{t(`dh.${choice}`)}</span>
        </label>
      ))}
    </div>
  );
}
