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


@dataclass(frozen=True, slots=True, eq=False)
class ArmSolver:
    """An arm in the form that kernels take, and its closed form where it has one; at most one of the three is set."""

    chain: tuple[Floats, Floats, Floats, Floats]
    """constants, revolute, lower, upper: see armlab.kernels.chain."""
    weights: Floats
    """How much a joint's way counts when solutions are compared: one over its top speed, so that near means quick."""
    family: Family | None
    six: GeneralSix | None
    seven: SevenArm | None

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
    weights = 1.0 / speeds if np.isfinite(speeds).all() else np.ones(robot.dof)
    chain = (robot._constants, robot._revolute, robot.lower.copy(), robot.upper.copy())
    return ArmSolver(chain, np.ascontiguousarray(weights / weights.max()), family, six, seven)
