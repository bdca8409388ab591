"""Motions along a path of the tool: geometry, then joints, then timing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from numpy.typing import ArrayLike

from armlab.errors import UnknownName
from armlab.kinematics.task import TaskLike
from armlab.model.robot import Robot
from armlab.motion.follow.follow import FollowResult, follow
from armlab.motion.limits import Limits, ToolLimits, limits_of
from armlab.motion.timing.timing import jerk_limited, time_optimal
from armlab.motion.toolpath.toolpath import ToolPath
from armlab.motion.trajectory import Trajectory

Timing = Literal["smooth", "fastest"]
TIMINGS: tuple[Timing, ...] = ("smooth", "fastest")


@dataclass(frozen=True, slots=True, eq=False)
class ToolMotion:
    """A planned motion along a tool path: the trajectory, and how the path was followed."""

    path: ToolPath
    trajectory: Trajectory
    followed: FollowResult


def plan_tool(
    robot: Robot,
    path: ToolPath,
    *,
    start: ArrayLike | None = None,
    limits: Limits | None = None,
    tool_limits: ToolLimits | None = None,
    timing: Timing = "smooth",
    task: TaskLike = "pose",
) -> ToolMotion:
    """Return the quickest motion of the tool along `path` that keeps every limit, from rest to rest.

    The branch that can follow the whole path is chosen, from `start` (n,) if given. `smooth` also limits the jerk;
    `fastest` does not. `task` says which part of the path's poses must be met, as for `solve_ik`.

    Raises:
        PlanningFailed: if no branch can follow the path: where, why, and what would help.
    """
    if timing not in TIMINGS:
        raise UnknownName("timing", timing, TIMINGS)
    followed = follow(robot, path, start=start, task=task)
    assert followed.path is not None
    time = jerk_limited if timing == "smooth" else time_optimal
    trajectory = time(
        followed.path,
        limits if limits is not None else limits_of(robot),
        stops=path.knots if timing == "smooth" else path.stops,  # a jump in curvature is a jolt
        tool=path if tool_limits is not None else None,
        tool_limits=tool_limits,
    )
    return ToolMotion(path, trajectory, followed)
