"""Solutions that the joint limits rule out: what the geometry would allow, and which joints are in the way."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.kernels.gate import LIMIT_SLACK, TOLERANCE
from armlab.kinematics.lm_trace import LmProblem
from armlab.kinematics.solvers import solver_of
from armlab.kinematics.task import TaskLike
from armlab.model.robot import Robot

TURN = 2.0 * math.pi
SAME = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class OutsideSolution:
    """Joint values (n,) that would put the tool at the target, their branch, and the joints that are past a limit."""

    q: Floats
    branch: str
    joints: tuple[int, ...]


def solutions_outside(
    robot: Robot, T_world_tool: ArrayLike, *, task: TaskLike | None = None
) -> tuple[OutsideSolution, ...]:
    """Return the branches that only the limits rule out for one target (4, 4), nearest to the limits first.

    Each angle is shifted by whole turns to where it is least past a limit. Arms without a closed form have none here.

    Raises:
        InvalidInput: if the target is not one pose.
    """
    problem = LmProblem.of(robot, T_world_tool, task, 1.0)
    family = solver_of(robot).family
    if family is None:
        return ()
    q, valid = family.loosened().solve(problem.target[None], robot.dof)
    found: list[OutsideSolution] = []
    mask = np.array(problem.task.mask)
    for branch in np.flatnonzero(valid[0]):
        values = _nearest_turns(robot, q[0, branch])
        past = _excess(robot, values)
        joints = tuple(int(i) for i in np.flatnonzero(past > LIMIT_SLACK))
        is_same = any(np.abs(values - other.q).max() < SAME for other in found)
        if joints and not is_same and np.abs(problem.residual(values) * mask).max() < TOLERANCE:
            found.append(OutsideSolution(values, family.branch_names[branch], joints))
    return tuple(sorted(found, key=lambda solution: float(_excess(robot, solution.q).sum())))


def _excess(robot: Robot, q: Floats) -> Floats:
    """Return how far each joint is past a limit, 0 inside (rad or m)."""
    return np.asarray(np.maximum(np.maximum(robot.lower - q, q - robot.upper), 0.0))


def _nearest_turns(robot: Robot, q: Floats) -> Floats:
    """Return the same angles, each shifted by whole turns to where it is least past its limits."""
    copies = q + TURN * np.arange(-2, 3)[:, None]
    past = np.array([_excess(robot, copy) for copy in copies]) + 1e-9 * np.abs(copies)
    best = np.where(robot.chain.revolute > 0.5, past.argmin(axis=0), 2)
    return np.asarray(copies[best, np.arange(robot.dof)])
