/** Solutions that only the joint limits rule out, greyed, each with the joints that would be past their limits. */

import { measure, number, t } from "../../i18n";
import type { OutsideReport, RobotSheet } from "../../protocol.gen";
import { Bits, Joints } from "./solution-parts";
import { branchWords } from "./words";

export function Outside({ data, solutions }: { data: RobotSheet; solutions: readonly OutsideReport[] }) {
  return (
    <>
      <h4>{t("kinematics.outside")}</h4>
      <ul class="kinematics-outside" aria-label={t("kinematics.outside")}>
        {solutions.map((solution) => (
          <li key={solution.q.join()} data-outside={solution.branch}>
            <span class="kinematics-branch">{branchWords(solution.branch)}</span>
            <Joints data={data} q={solution.q} />
            <Bits kuka={solution.kuka} />
            {solution.past.map(({ joint, value, lower, upper, unit }) => (
              <span key={joint} class="kinematics-past">
                {t("kinematics.outside.past", {
                  joint,
                  value: measure(value, 1, unit),
                  lower: number(lower, 1),
                  upper: measure(upper, 1, unit),
                })}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}
