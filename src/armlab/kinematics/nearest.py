"""The pose that comes nearest to a target: first in position, then in orientation, inside the limits."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.gate import TOLERANCE
from armlab.kernels.search.nearest import ANGLE, GAP, OUT_SIZE, nearest_into
from armlab.kernels.search.newton import NewtonChain
from armlab.kernels.search.problem import SearchTask
from armlab.kinematics.numeric import SEED, length_of
from armlab.kinematics.task import Task
from armlab.model.robot import Robot


class NearestPose(NamedTuple):
    """Joint values (n,) inside the limits, and what is left of the rows that the task asks for."""

    q: Floats
    gap: float
    """m"""
    angle: float
    """rad"""

    @property
    def is_met(self) -> bool:
        """Whether the target is reached after all."""
        return max(self.gap, self.angle) <= TOLERANCE


@lru_cache(maxsize=256)
def newton_chain_of(robot: Robot) -> NewtonChain:
    """Return the arm as the kernels take it, with the law of its coupled joints."""
    chain, coupling = robot.uncoupled.chain, robot.coupling
    matrix = np.eye(robot.dof) if coupling is None else coupling.matrix.copy()
    offset = np.zeros(robot.dof) if coupling is None else coupling.offset.copy()
    turning, lower, upper = robot.chain.revolute, robot.lower.copy(), robot.upper.copy()
    return NewtonChain(chain.constants, chain.revolute, matrix, offset, turning, lower, upper, length_of(robot))


def nearest_pose(robot: Robot, T_world_tool: Floats, task: Task) -> NearestPose:
    """Return the place nearest to a target (4, 4), as found from home and from many seeded random places."""
    q, out = robot.home.copy(), np.empty(OUT_SIZE)
    wanted = SearchTask(task.weights, task.mode)
    nearest_into(newton_chain_of(robot), np.array(T_world_tool), wanted, SEED, TOLERANCE, q, out)
    return NearestPose(q, float(out[GAP]), float(out[ANGLE]))
