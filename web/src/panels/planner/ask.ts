/** What the planner asks the server: the plan, the tool's path, and joints for a point that was dragged. */

import { effect, signal, untracked } from "@preact/signals";
import { asFailure, Failure, postJson } from "../../api";
import { onLanguage } from "../../i18n";
import { latestWins } from "../../latest";
import type { Pose } from "../../poses";
import { doc } from "../../project";
import type { PlanReport, SolutionsReport, WhyReport } from "../../protocol.gen";
import { session } from "../../session";
import { changes, draft, type Plan, planOf, type Point } from "./draft";

export interface Planned {
  readonly plan: Plan;
  readonly report: PlanReport;
  /** X Y Z of the tool along the path, mm. */
  readonly path: readonly (readonly [number, number, number])[];
  /** Which change of the draft it was made from. */
  readonly change: number;
}

interface ToolPoses {
  readonly poses: readonly Pose[];
}

/** More samples than this make a picture no better. */
const MOST_SAMPLES = 1500;
const FINE_STEP_S = 0.01;
const COARSE_STEP_S = 0.05;
const PATH_POINTS = 400;
const MOST_BLAMED = 24;
const SOON_MS = 100;

export const planned = signal<Planned | null>(null);
export const failure = signal<Failure | null>(null);
export const isAsking = signal(false);
/** Why nodes cannot be reached, by their place in the list. */
export const unreachable = signal<ReadonlyMap<number, string>>(new Map());

const address = (what: string): string => `api/sessions/${session.peek()}/${what}`;
/** An address for points of the arm that the document has: they are not for another one. */
const addressNow = (what: string): string => `${address(what)}?revision=${doc.peek()?.revision ?? 0}`;

interface Question {
  readonly plan: Plan;
  readonly change: number;
  /** The addresses to ask. */
  readonly plans: string;
  readonly poses: string;
}

const asker = latestWins(
  async ({ plan, change, ...to }: Question): Promise<Planned> => {
    const report = await askPlan(plan, to.plans);
    const every = Math.max(1, Math.ceil(report.q.length / PATH_POINTS));
    const rows = report.q.filter((_, i) => i % every === 0 || i === report.q.length - 1);
    const poses = await toolPoses(rows, to.poses);
    return { plan, report, change, path: poses.map(([x, y, z]) => [x, y, z]) };
  },
  (answer) => {
    isAsking.value = false;
    failure.value = null;
    unreachable.value = new Map();
    planned.value = answer;
  },
  (reason, { plan, change }) => {
    if (asFailure(reason).code === "outdated") {
      setTimeout(askAgain, SOON_MS); // the new document is on its way
      return;
    }
    isAsking.value = false;
    planned.value = null;
    unreachable.value = new Map();
    failure.value = asFailure(reason);
    if (plan.kind === "tool" && failure.value.isRefusal) void blame(plan.frames, change);
  },
);

/** Ask for the plan of the draft; the answer comes in `planned` or `failure`. */
export function askForPlan(): void {
  const plan = planOf(draft.peek());
  if (plan === null) return;
  isAsking.value = true;
  asker.ask({ plan, change: changes.peek(), plans: addressNow("plan"), poses: addressNow("tool_poses") });
}

function askAgain(): void {
  if (planOf(draft.peek()) === null) forgetPlan();
  else if (isAsking.peek()) askForPlan();
}

/** Forget what was planned. */
export function forgetPlan(): void {
  asker.forget();
  isAsking.value = false;
  planned.value = null;
  failure.value = null;
  unreachable.value = new Map();
}

/** Find out which of the nodes cannot be reached at all. */
async function blame(frames: readonly Pose[], change: number): Promise<void> {
  const found = new Map<number, string>();
  for (const [index, pose] of frames.slice(0, MOST_BLAMED).entries()) {
    const why = await postJson<WhyReport>(address("why"), { pose }).catch(() => null);
    if (change !== changes.peek()) return;
    if (why !== null && !why.reachable) found.set(index, why.summary);
  }
  unreachable.value = found;
}

async function askPlan(plan: Plan, to: string): Promise<PlanReport> {
  const report = await postJson<PlanReport>(to, { plan, step: FINE_STEP_S });
  if (report.t.length <= MOST_SAMPLES) return report;
  const step = Math.min(Math.max(report.duration / MOST_SAMPLES, COARSE_STEP_S), 1);
  return postJson<PlanReport>(to, { plan, step });
}

/** Return where the tool is at each row of joint values. */
export async function toolPoses(
  rows: readonly Point[],
  to = addressNow("tool_poses"),
): Promise<readonly Pose[]> {
  if (rows.length === 0) return [];
  const { poses } = await postJson<ToolPoses>(to, { q: rows });
  return poses;
}

/** Return the joint values nearest to `from` that bring the tool to `pose`; null where there are none. */
export async function jointsFor(pose: Pose, from: Point): Promise<Point | null> {
  const { ik } = await postJson<SolutionsReport>(address("ik"), { pose });
  const far = (q: Point): number => Math.max(...q.map((value, i) => Math.abs(value - (from[i] ?? 0))));
  const [best] = [...ik.solutions].sort((one, other) => far(one.q) - far(other.q));
  return best?.q ?? null;
}

onLanguage(() => {
  if (planned.peek() !== null || failure.peek() !== null) askForPlan();
});

/** What was planned once is planned again after each change; with too few points left, it is forgotten. */
effect(() => {
  if (changes.value === 0) return;
  untracked(() => {
    if (planned.peek() === null && failure.peek() === null && !isAsking.peek()) return;
    if (planOf(draft.peek()) === null) forgetPlan();
    else askForPlan();
  });
});
