"""Setpoints: what drives follow. A drive that is sent somewhere goes there at a speed its joint and motor can bear."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.kernels.setpoints import ramp_into
from armlab.model.parts import Joint
from armlab.motion.limits import TIME_TO_SPEED
from armlab.sim.drives import Drive

SHARE_OF_EFFORT = 0.25
"""How much of a motor's effort speeds its joint up or slows it down; the rest holds weight and meets other joints."""


class Setpoints:
    """Position and speed that each motor is to have now, and where the motors that were sent somewhere will end."""

    def __init__(self, joints: list[Joint], drives: list[Drive], timestep: float) -> None:
        n = len(joints)
        self.goal: Floats = np.zeros(n)
        self.q: Floats = np.zeros(n)
        self.qd: Floats = np.zeros(n)
        self.on_the_way: NDArray[np.bool_] = np.zeros(n, dtype=np.bool_)
        accelerations = [_acceleration(*pair) for pair in zip(joints, drives, strict=True)]
        self._bounds = np.array([[joint.velocity for joint in joints], accelerations])
        self._timestep = timestep
        self.moving = False

    def put(self, at: NDArray[np.int64], q: Floats, qd: Floats) -> None:
        """Follow these positions and speeds exactly from now on."""
        self.q[at] = self.goal[at] = q
        self.qd[at] = qd
        self.on_the_way[at] = False
        self.moving = bool(self.on_the_way.any())

    def send(self, at: NDArray[np.int64], goal: Floats) -> None:
        """Go from where the setpoints are to `goal`, and stop there."""
        self.goal[at] = goal
        self.on_the_way[at] = (self.q[at] != goal) | (self.qd[at] != 0.0)
        self.moving = bool(self.on_the_way.any())

    def leave(self, at: NDArray[np.int64]) -> None:
        """Send these motors nowhere any more: they follow something else."""
        self.on_the_way[at] = False
        self.moving = bool(self.on_the_way.any())

    def advance(self, most: int) -> tuple[Floats, Floats]:
        """Make steps, at most so many, until all have arrived; return positions and speeds after each, (m, n).

        Each goes as fast as the joint may, and as the distance that is left allows to stop.
        """
        state, out = np.array([self.q, self.qd, self.on_the_way]), np.empty((2, most, len(self.q)))
        made = ramp_into(self.goal, self._bounds, self._timestep, state, out)
        self.q, self.qd, self.on_the_way = state[0], state[1], state[2] != 0.0
        self.moving = bool(self.on_the_way.any())
        return out[0, :made], out[1, :made]

    def copy_to(self) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
        """Return what is needed to go on from here."""
        return self.goal.copy(), self.q.copy(), self.qd.copy(), self.on_the_way.copy()

    def copy_from(self, kept: tuple[Floats, Floats, Floats, NDArray[np.bool_]]) -> None:
        """Go on from what `copy_to` returned."""
        goal, q, qd, on_the_way = kept
        self.goal, self.q, self.qd, self.on_the_way = goal.copy(), q.copy(), qd.copy(), on_the_way.copy()
        self.moving = bool(self.on_the_way.any())


def _acceleration(joint: Joint, drive: Drive) -> float:
    """Return what a joint can be sped up by: as stated, or in 0.25 s to full speed, and within the motor's effort.

    A critically damped drive tells the inertia that it was made for: damping² / (4 stiffness).
    """
    stated = joint.acceleration if math.isfinite(joint.acceleration) else joint.velocity / TIME_TO_SPEED
    if drive.stiffness > 0.0 and drive.damping > 0.0:
        stated = min(stated, SHARE_OF_EFFORT * drive.effort * 4.0 * drive.stiffness / drive.damping**2)
    return min(stated, 1e12)
