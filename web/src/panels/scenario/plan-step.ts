/** A plan as a step of a scenario: everything that the plan says, the step says too. */

import type { JointPlan, MoveStep, ToolPlan } from "../../protocol.gen";
import { newMove } from "./steps";

/** Return the move that carries out a plan; the arm is at its first point when the step begins. */
export function moveOfPlan(plan: JointPlan | ToolPlan): MoveStep {
  if (plan.kind === "joint") {
    const { points, scheme, times, duration, speed } = plan;
    const last = points.at(-1) ?? [];
    return { ...newMove(last), to: [...last], via: points.slice(1, -1), scheme, times, duration, speed };
  }
  const { frames, path, blend, speed, tool_speed, duration } = plan;
  const kind = path === "linear" ? "line" : path;
  return {
    ...newMove([]),
    to: null,
    through: [...frames],
    path: kind,
    blend: kind === "line" ? blend : 0,
    speed,
    tool_speed,
    duration,
  };
}
