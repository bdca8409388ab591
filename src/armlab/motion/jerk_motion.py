"""The quickest motion with limited jerk from any state, or a status that says there is none.

    motion = attempt_motion(limits, start, target)                    # start, target: JointState, (n,) each
    motion = attempt_motion(limits, start, target, by_velocity=True)  # only the target's velocities count
    motion = attempt_motion(limits, start, target, by_velocity=[False, True], synchronization="none")
    if motion.status == FOUND:
        motion.duration, motion.sample(times), motion.position_range()

`attempt_motion` never raises, whatever the numbers are; a motion is plain arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.kernels.timing import phases as phase_kernels
from armlab.kernels.timing import quickest
from armlab.motion.limits import Limits
from armlab.motion.trajectory import JointState

Synchronization: TypeAlias = Literal["time", "phase", "none"]
"""Joints arrive together; go straight in joint space where they can, else arrive together; each as fast as it can."""

Status: TypeAlias = Literal["found", "bad_input", "not_found"]
FOUND: Status = "found"
BAD_INPUT: Status = "bad_input"
"""Numbers that no motion can start from or end at: not finite, or a target beyond the limits."""
NOT_FOUND: Status = "not_found"
"""Limits or distances are too extreme for the arithmetic."""
_STATUS: dict[int, Status] = {quickest.FOUND: FOUND, quickest.BAD_INPUT: BAD_INPUT, quickest.NOT_FOUND: NOT_FOUND}
_WAITING: dict[Synchronization, int] = {"time": quickest.TIME, "phase": quickest.PHASE, "none": quickest.NONE}


@dataclass(frozen=True, slots=True, eq=False)
class JerkMotion:
    """A motion of n joints in phases of constant jerk, each joint with phases of its own."""

    status: Status
    duration: float
    """When the last joint arrives (s); 0 where nothing was found."""
    start: Floats
    """(2, n): positions and velocities at t = 0"""
    phases: Floats
    """(n, k, 3): duration, first acceleration and jerk; empty, (n, 0, 3), where nothing was found"""

    def sample(self, times: ArrayLike) -> JointState:
        """Return the state at growing `times` (m,): (m, n) each; after the end velocities stay."""
        t = np.ascontiguousarray(times, dtype=np.float64)
        out = np.empty((3, len(t), self.phases.shape[0]))
        phase_kernels.sample_into(self.start, self.phases, t, out)
        return JointState(*out)

    def position_range(self) -> tuple[Floats, Floats]:
        """Return the exact lowest and highest positions (n,) from the start to the end."""
        out = np.empty((2, self.phases.shape[0]))
        phase_kernels.position_range_into(self.start, self.phases, self.duration, out)
        return out[0], out[1]


def attempt_motion(
    limits: Limits,
    start: JointState,
    target: JointState,
    *,
    by_velocity: bool | Sequence[bool] = False,
    synchronization: Synchronization = "time",
    velocity: Floats | None = None,
    least_duration: float | None = None,
) -> JerkMotion:
    """Return the quickest motion from `start` to `target`; its `status` says whether there is one. It never raises.

    Args:
        limits: velocity, acceleration and jerk are kept; those of position are not looked at.
        start: may be beyond the limits of velocity and acceleration: then the motion comes back first.
        target: state to arrive with.
        by_velocity: joints of which only the target's velocity and acceleration count, all or one by one.
        synchronization: how joints wait for each other.
        velocity: (n,) lower limits of velocity than those in `limits`.
        least_duration: s; the motion is not quicker than this.
    """
    n = limits.dof
    table = np.array([limits.velocity if velocity is None else velocity, limits.acceleration, limits.jerk])
    states = np.array([start, target]).transpose(0, 2, 1).copy()  # (2, n, 3)
    free = np.empty(n)
    free[:] = by_velocity
    phases = np.empty((n, quickest.PHASES, 3))
    least = 0.0 if least_duration is None else least_duration
    code, duration = quickest.quickest_into(table, states[0], states[1], free, _WAITING[synchronization], least, phases)
    if code != quickest.FOUND:
        return JerkMotion(_STATUS[code], 0.0, np.array([start.q, np.zeros(n)]), np.empty((n, 0, 3)))
    return JerkMotion(FOUND, duration, np.array([start.q, start.qd]), phases)
