"""Where a motion is to end: joint values, or a pose with every branch that reaches it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.kernels.gate import LIMIT_SLACK
from armlab.kinematics.all_ik import all_ik
from armlab.kinematics.ik import solve_ik
from armlab.kinematics.targets import limit_violation
from armlab.messages import _
from armlab.model.coupling import repeating
from armlab.model.robot import Robot

MOST_GOALS = 1000
TURN = 2.0 * math.pi


@dataclass(frozen=True, slots=True, eq=False)
class PoseGoal:
    """A pose of the tool in the world (4, 4): the motion ends at whichever solution it comes to first."""

    T_world_tool: ArrayLike


def goals_of(robot: Robot, start: Floats, goal: ArrayLike | PoseGoal) -> Floats:
    """Return the configurations (k, n) at which a motion may end.

    Raises:
        Unreachable: if no configuration reaches a pose, with the reason.
        LimitViolation: if joint values are outside the limits.
    """
    if isinstance(goal, PoseGoal):
        found = all_ik(robot, goal.T_world_tool)
        if not found:
            solve_ik(robot, goal.T_world_tool, start=start)  # which says why
        return _near_turns(robot, start, np.array([one.q for one in found]))
    rows = as_floats(goal, (robot.dof,) if np.ndim(goal) < 2 else (None, robot.dof), f"{robot.name}: goal")
    rows = rows.reshape(-1, robot.dof)
    if not 0 < len(rows) <= MOST_GOALS:
        raise InvalidInput(
            "goal_count",
            _("goal: {count} configurations given; from 1 to {most} are taken"),
            count=len(rows),
            most=MOST_GOALS,
        )
    for row in rows:
        check_inside(robot, row)
    return rows


def check_inside(robot: Robot, q: Floats) -> None:
    """Raise LimitViolation for the first joint of `q` (n,) outside its limits."""
    outside = (q < robot.lower - LIMIT_SLACK) | (q > robot.upper + LIMIT_SLACK)
    if outside.any():
        i = int(np.argmax(outside))
        raise limit_violation(robot, i, float(q[i]))


def _near_turns(robot: Robot, start: Floats, rows: Floats) -> Floats:
    """Return the configurations with joints that turn all the way round at the turn nearest to the start; each once."""
    back = repeating(robot.joints, robot.followers)
    moved = rows.copy()
    moved[:, back] -= TURN * np.round((rows - start)[:, back] / TURN)
    moved = np.where(moved < robot.lower - LIMIT_SLACK, moved + TURN * back, moved)
    moved = np.where(moved > robot.upper + LIMIT_SLACK, moved - TURN * back, moved)
    _whole, first = np.unique(np.round(moved, 9), axis=0, return_index=True)
    return np.ascontiguousarray(moved[np.sort(first)])
