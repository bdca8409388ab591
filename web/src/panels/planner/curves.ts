/** The numbers behind the curves of a plan: columns over time, and the limits they must keep. */

import type { JointPeak, JointRow, PlanReport } from "../../protocol.gen";

export type Quantity = "q" | "qd" | "qdd";

export interface Curve {
  readonly name: string;
  /** Which of the --series colours. */
  readonly series: number;
  readonly values: readonly number[];
  /** Lines that it must stay between; none where there is no limit. */
  readonly limits: readonly number[];
}

export interface Curves {
  readonly t: readonly number[];
  readonly curves: readonly Curve[];
  readonly isShare: boolean;
}

const SERIES = 7;
const FULL = 100;

/** Return the curves of the joints that are not hidden, in units or in percent of the limits. */
export function curvesOf(
  report: PlanReport,
  quantity: Quantity,
  joints: readonly JointRow[],
  isShare: boolean,
  hidden: ReadonlySet<string>,
): Curves {
  const rows = report[quantity];
  const curves = report.peaks.flatMap((peak, i) => {
    if (hidden.has(peak.joint)) return [];
    const values = rows.map((row) => row[i] ?? 0);
    const [lower, upper] = limitsOf(quantity, peak, joints[i]);
    const series = (i % SERIES) + 1;
    if (!isShare || lower === null || upper === null) {
      const limits = lower === null || upper === null ? [] : [lower, upper];
      return [{ name: peak.joint, series, values, limits }];
    }
    const [middle, half] = [(lower + upper) / 2, (upper - lower) / 2];
    const shares = values.map((value) => ((value - middle) / half) * FULL);
    return [{ name: peak.joint, series, values: shares, limits: [-FULL, FULL] }];
  });
  return { t: report.t, curves, isShare };
}

/** Return from where to where a value may go; a plan at less speed has lower limits, which its peaks tell. */
export function limitsOf(
  quantity: Quantity,
  peak: JointPeak,
  joint: JointRow | undefined,
): readonly [number | null, number | null] {
  if (quantity === "q") return [joint?.lower ?? null, joint?.upper ?? null];
  const [value, share, stated] =
    quantity === "qd"
      ? [peak.velocity, peak.velocity_share, joint?.velocity]
      : [peak.acceleration, peak.acceleration_share, joint?.acceleration];
  const limit = share > 1e-4 ? value / share : (stated ?? null);
  return limit === null ? [null, null] : [-limit, limit];
}
