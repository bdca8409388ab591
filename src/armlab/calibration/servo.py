"""Servos: what comes between a command and the joint, step by step in time."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.arm import RealArm
from armlab.calibration.error_chain import joint_values
from armlab.calibration.loads import GravityLoads
from armlab.calibration.static_pose import values_of
from armlab.dynamics.forces import gravity_torque


@dataclass(frozen=True, slots=True, eq=False)
class ServoState:
    """All that servos remember: copy it to go back."""

    queue: tuple[tuple[Floats, Floats], ...]
    """Commands on their way, the oldest first."""
    accepted: Floats
    """The last command that each servo answered to."""
    motor: Floats
    link: Floats
    """Where the far side of the gears' play is."""
    strain: Floats
    """How far friction holds the link behind, between ∓ half the hysteresis."""
    time: float


class Servo:
    """The servos of a real arm: delay, dead band, resolution, top speed, play, hysteresis, then the gear's errors.

    Each call of `follow` is one timestep. The elastic part is that of the weight at rest: what accelerations add is
    left to the simulation's drives.
    """

    def __init__(self, real: RealArm, start: Floats, timestep: float, stiffness: Floats, gravity: Floats) -> None:
        self._real, self._dt, self._gravity = real, timestep, gravity
        self._values = values_of(real)
        self.carry(real)
        self._steps = np.rint(real.column("delay") / timestep).astype(np.int64)
        self._stiffness = stiffness
        self._resolution, self._dead_band = real.column("resolution"), real.column("dead_band")
        self._reach = np.minimum(real.column("speed"), real.nominal.velocity) * timestep
        self._play, self._loop = real.column("backlash") / 2.0, real.column("hysteresis") / 2.0
        self._coulomb = np.array([joint.friction.coulomb for joint in real.joints])
        still, none = start.copy(), np.zeros(real.dof)
        self.state = ServoState(((still, none),), still, still, still, none, 0.0)

    def carry(self, real: RealArm) -> None:
        """Let the arm sag under the load of `real` from now on: the same arm, which holds something or not."""
        self._loaded = real.nominal.with_tool(replace(real.nominal.tool, inertia=real.carried))

    def follow(self, q: Floats, qd: Floats) -> tuple[Floats, Floats]:
        """Take the command of one timestep; return where the joints really go, and how fast."""
        s, time = self.state, self.state.time + self._dt
        queue = deque((*s.queue, (q.copy(), qd.copy())), maxlen=int(self._steps.max()) + 1)
        late = np.maximum(len(queue) - 1 - self._steps, 0)
        each = np.arange(len(q))
        q_late, qd_late = (np.array([pair[k] for pair in queue])[late, each] for k in (0, 1))
        accepted = np.where(np.abs(q_late - s.accepted) > self._dead_band, q_late, s.accepted)
        step = np.where(self._resolution > 0.0, self._resolution, 1.0)
        rounded = np.where(self._resolution > 0.0, np.rint(accepted / step) * step, accepted)
        motor = s.motor + np.clip(rounded - s.motor, -self._reach, self._reach)
        link = np.clip(s.link, motor - self._play, motor + self._play)
        moved = link - s.link
        strain = self._strained(s.strain, moved)
        self.state = ServoState(tuple(queue), accepted, motor, link, strain, time)
        fastest = self._reach / self._dt
        speed = np.where(np.abs(rounded - motor) > 1e-12, np.sign(rounded - motor) * fastest, qd_late)
        speed = np.where(np.isfinite(speed), speed, qd_late)
        return self.joints(link - strain, speed), speed

    def joints(self, q: Floats, qd: Floats) -> Floats:
        """Return where joints really are behind their gears: errors, weight, warmth, and friction that holds back."""
        loads = GravityLoads(-gravity_torque(self._loaded, q, gravity=self._gravity), np.empty(0))
        there = joint_values(self._values, q, loads)
        there += self._real.thermal.temperature(self.state.time) * self._real.column("drift")
        friction = self._real.friction_torque(qd) - np.sign(qd) * self._coulomb  # the drives have the dry part
        return np.asarray(there - friction / self._stiffness)

    def _strained(self, strain: Floats, moved: Floats) -> Floats:
        """Return Dahl's model of friction inside a gear: dz = dx − |dx|·z / h, exact for a step of any length."""
        h = np.maximum(self._loop, 1e-15)
        limit = np.sign(moved) * h
        return np.asarray(np.where(self._loop > 0.0, limit + (strain - limit) * np.exp(-np.abs(moved) / h), 0.0))
