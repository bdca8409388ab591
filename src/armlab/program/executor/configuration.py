"""Which joint values a pose means: the status and turn bits of KUKA's programs."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.errors import Unreachable
from armlab.kinematics.all_ik import all_ik
from armlab.kinematics.closed.status import kuka_turn, status_function
from armlab.kinematics.ik import solve_ik
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.program.instructions import Configuration

AXES = 6
STATUS = 0b111
"""The bits of a status that name a branch."""


def configured(robot: Robot, T_world_tool: Floats, q: Floats, wanted: Configuration, task: str) -> Floats:
    """Return the solution for a pose with the wanted status and turn; of several the one nearest to `q`.

    Raises:
        Unreachable: if the pose, or the pose with this status and turn, cannot be reached.
    """
    if robot.dof != AXES or task != "pose":
        return solve_ik(robot, T_world_tool, start=q, task=task)
    every = [solution.q for solution in all_ik(robot, T_world_tool, turns=True)]
    if not every:
        return solve_ik(robot, T_world_tool, start=q)  # says why not
    statuses = None if wanted.status is None else status_function(robot)
    meant = [
        one
        for one in every
        if (wanted.turn is None or kuka_turn(one) == wanted.turn)
        and (wanted.status is None or statuses is None or int(statuses(one[None])[0]) == wanted.status & STATUS)
    ]
    if not meant:
        raise Unreachable(
            "configuration_unreachable",
            _("no solution of the pose has status {status} and turn {turn}"),
            status="-" if wanted.status is None else wanted.status,
            turn="-" if wanted.turn is None else wanted.turn,
        )
    return min(meant, key=lambda one: float(np.abs(one - q).max()))
