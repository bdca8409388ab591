"""Which way of inverse kinematics an arm has, found once from its geometry and kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from armlab.arrays import Floats
from armlab.kinematics.closed import Family, recognise
from armlab.kinematics.general_six import GeneralSix, recognise_general_six
from armlab.kinematics.seven import SevenArm, recognise_seven
from armlab.model.robot import Robot

KEPT_ROBOTS = 256
SLOWEST = 1e-6  # rad/s or m/s


@dataclass(frozen=True, slots=True, eq=False)
class ArmSolver:
    """An arm in the form that kernels take, and its closed form where it has one; at most one of the three is set."""

    chain: tuple[Floats, Floats, Floats, Floats]
    """constants, revolute, lower, upper: see armlab.kernels.chain."""
    weights: Floats
    """How much a joint's way counts when solutions are compared: one over its top speed, so that near means quick."""
    length: float
    """No point of the arm is farther than this (m) from the first joint's origin."""
    family: Family | None
    six: GeneralSix | None
    seven: SevenArm | None

    def is_too_far(self, T: Floats) -> bool:
        """Whether the point of `T` (4, 4) is farther from the first joint than the whole arm is long."""
        dx, dy, dz = T[0, 3] - self.chain[0][0, 9], T[1, 3] - self.chain[0][0, 10], T[2, 3] - self.chain[0][0, 11]
        return bool(dx * dx + dy * dy + dz * dz > self.length * self.length)

    def proposals(self, T: Floats) -> tuple[Floats, Floats]:
        """Return the closed form's q (m, k, n) and valid (m, k) for targets (m, 4, 4), before the gate."""
        assert self.family is not None
        q = np.empty((len(T), self.family.count, len(self.weights)))
        valid = np.empty((len(T), self.family.count))
        self.family.solve_into(T, q, valid)
        return q, valid


@lru_cache(maxsize=KEPT_ROBOTS)
def solver_of(robot: Robot) -> ArmSolver:
    """Return the arm's solver; the geometry decides, not the name."""
    family = recognise(robot)
    six = recognise_general_six(robot) if family is None and robot.dof == 6 else None
    seven = recognise_seven(robot) if robot.dof == 7 else None
    speeds = robot.velocity
    weights = 1.0 / np.maximum(speeds, SLOWEST) if np.isfinite(speeds).all() else np.ones(robot.dof)
    chain = (robot._constants, robot._revolute, robot.lower.copy(), robot.upper.copy())
    strokes = np.maximum(np.abs(robot.lower), np.abs(robot.upper)) * (1.0 - robot._revolute)
    length = float(np.linalg.norm(robot._constants[1:, 9:], axis=1).sum() + strokes.sum()) + 1e-6
    return ArmSolver(chain, np.ascontiguousarray(weights / weights.max()), length, family, six, seven)
