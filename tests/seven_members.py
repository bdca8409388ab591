"""Single postures of redundant arms, from the kernel that their intervals are made of."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.closed_form import intervals as closed_intervals
from armlab.kinematics.seven import SevenArm
from armlab.model.robot import Robot


def interval_member(robot: Robot, arm: SevenArm, T: Floats, branch: int, q7: float) -> Floats | None:
    """Return the posture (7,) of a branch with the last joint at `q7`, or None where it is not possible.

    Where axes 1 and 3 are one, their turn is shared so that both are equally far from their limits.
    """
    q = np.empty(7)
    limits = robot.chain.lower, robot.chain.upper
    found = closed_intervals.member_into(arm.constants, arm.chain, *limits, np.array(T), branch, float(q7), q)
    return q if found else None
