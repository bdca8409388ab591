"""Arms whose drives hold their weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from armlab.arrays import Floats
from armlab.dynamics.bodies import chain_of
from armlab.kernels import rigid
from armlab.model.robot import Robot
from armlab.sim.world import Ints, Wiring


class LiftedArm:
    """An arm whose drives hold its weight, computed as in `gravity_torque` but without its checks: each step asks."""

    def __init__(self, robot: Robot, motors: Ints, at: Ints) -> None:
        self.motors, self._at, self._chain = motors, at, chain_of(robot.uncoupled).arrays
        self._law = robot.coupling
        self._still, self._tau = np.zeros((1, len(at))), np.zeros((1, len(at)))

    def weight(self, qpos: Any, gravity: Floats) -> Floats:
        """Return the forces of its motors (n,) that hold the arm; where numbers have left all bounds, the last ones."""
        q = np.take(qpos, self._at)[None]
        rigid.inverse_dynamics_into(*self._chain, gravity, q, self._still, self._still, self._tau)
        return np.asarray(self._tau[0] if self._law is None else self._law.fold(self._tau[0]))


def lifted_arm(wiring: Wiring) -> LiftedArm | None:
    """Return the arm of a wiring if its drives hold its weight."""
    made = wiring.mechanism
    if not isinstance(made.source, Robot) or not wiring.drives[0].gravity_compensation:
        return None
    return LiftedArm(made.source, wiring.motors[list(made.driven)], wiring.q[: made.arm_dof])
