/** The tables of limits and of links. */

import { number, shortNumber, t, unit as unitWord } from "../i18n";
import type { JointRow, RobotSheet } from "../protocol.gen";
import { Estimated } from "./data-panel";

export function LimitsTable({ data }: { data: RobotSheet }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t("data.heading")}>
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">{t("joints.name")}</th>
            <th scope="col">
              {t("data.range")} <Estimated data={data} what="limits" />
            </th>
            <th scope="col">
              {t("data.velocity")} <Estimated data={data} what="velocity" />
            </th>
            <th scope="col">
              {t("data.acceleration")} <Estimated data={data} what="acceleration" />
            </th>
            <th scope="col">
              {t("data.effort")} <Estimated data={data} what="effort" />
            </th>
          </tr>
        </thead>
        <tbody>
          {data.joints.map((joint) => (
            <LimitsRow key={joint.name} joint={joint} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function LimitsRow({ joint }: { joint: JointRow }) {
  const unit = unitWord(joint.unit);
  const force = unitWord(joint.kind === "revolute" ? "N·m" : "N");
  return (
    <tr>
      <th scope="row">{joint.name}</th>
      <td>
        {shortNumber(joint.lower, 1)}…{shortNumber(joint.upper, 1)} {unit}
      </td>
      <td>{withUnit(joint.velocity, t("data.perSecond", { unit }))}</td>
      <td>{withUnit(joint.acceleration, t("data.perSecond2", { unit }))}</td>
      <td>{withUnit(joint.effort, force)}</td>
    </tr>
  );
}

export function LinksTable({ data }: { data: RobotSheet }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t("links.heading")}>
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">{t("links.name")}</th>
            <th scope="col">
              {t("links.mass")}, {unitWord("kg")} <Estimated data={data} what="link masses" />
            </th>
            <th scope="colgroup" colSpan={3}>
              {t("links.com")}, {unitWord("mm")} <Estimated data={data} what="link masses" />
            </th>
          </tr>
        </thead>
        <tbody>
          {data.links.map((link) => (
            <tr key={link.name}>
              <th scope="row">{link.name}</th>
              <td>{number(link.mass, 2)}</td>
              {link.com.map((value, axis) => (
                <td key={axis}>{number(value, 1)}</td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t("links.total")}</th>
            <td>{number(data.mass, 2)}</td>
            <td colSpan={3} />
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

function withUnit(value: number | null, unit: string): string {
  return value === null ? "–" : `${shortNumber(value, value < 10 ? 1 : 0)} ${unit}`;
}
