"""Ruckig behind one border: the quickest motion with limited jerk from any state, or a status that says there is none.

    motion = attempt_motion(limits, start, target)                    # start, target: JointState, (n,) each
    motion = attempt_motion(limits, start, target, by_velocity=True)  # only the target's velocities count
    motion = attempt_motion(limits, start, target, by_velocity=[False, True], synchronization="none")
    if motion.status == FOUND:
        motion.duration, motion.sample(times), motion.position_range()

`attempt_motion` never raises, whatever the numbers are: Ruckig's exceptions and result codes end here. No object of
Ruckig outlives the call, so that none is alive when the process ends; a motion is plain arrays.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.kernels.timing import phases as phase_kernels
from armlab.motion.limits import Limits
from armlab.motion.trajectory import JointState

if TYPE_CHECKING:
    import ruckig

Synchronization: TypeAlias = Literal["time", "phase", "none"]
"""Joints arrive together; go straight in joint space where they can, else arrive together; each as fast as it can."""

Status: TypeAlias = Literal["found", "bad_input", "not_found"]
FOUND: Status = "found"
BAD_INPUT: Status = "bad_input"
"""Numbers that no motion can start from or end at: not finite, or a target beyond the limits."""
NOT_FOUND: Status = "not_found"
"""Ruckig gave up: limits or distances are too extreme for its arithmetic."""

BRAKE_PHASES, PHASES = 2, 7
"""Ruckig may put two phases in front of its seven, to come back from a state that breaks a limit."""


@dataclass(frozen=True, slots=True, eq=False)
class JerkMotion:
    """A motion of n joints in phases of constant jerk, each joint with phases of its own."""

    status: Status
    duration: float
    """When the last joint arrives (s); 0 where nothing was found."""
    start: Floats
    """(2, n): positions and velocities at t = 0"""
    phases: Floats
    """(n, 9, 3): duration, first acceleration and jerk; empty, (n, 0, 3), where nothing was found"""

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
    import ruckig

    n = limits.dof
    controls = [by_velocity] * n if isinstance(by_velocity, bool) else by_velocity
    try:
        request = ruckig.InputParameter(n)
        request.current_position, request.current_velocity = start.q.tolist(), start.qd.tolist()
        request.current_acceleration = start.qdd.tolist()
        request.target_position, request.target_velocity = target.q.tolist(), target.qd.tolist()
        request.target_acceleration = target.qdd.tolist()
        request.max_velocity = (limits.velocity if velocity is None else velocity).tolist()
        request.max_acceleration, request.max_jerk = limits.acceleration.tolist(), limits.jerk.tolist()
        request.minimum_duration = least_duration
        if any(controls):
            kinds = (ruckig.ControlInterface.Position, ruckig.ControlInterface.Velocity)
            request.per_dof_control_interface = [kinds[bool(by)] for by in controls]
        if synchronization != "time":
            request.synchronization = getattr(ruckig.Synchronization, {"phase": "Phase", "none": "No"}[synchronization])
        answer = ruckig.Trajectory(n)
        result = ruckig.Ruckig(n).calculate(request, answer)
    except ruckig.RuckigError:  # its check of the numbers; the text holds long lists of them
        return _nothing(BAD_INPUT, start)
    except (ValueError, RuntimeError):  # a result code that its own enumeration lacks, such as -101
        return _nothing(NOT_FOUND, start)
    if result not in {ruckig.Result.Working, ruckig.Result.Finished}:
        return _nothing(BAD_INPUT if result == ruckig.Result.ErrorInvalidInput else NOT_FOUND, start)
    phases = _phases(answer.profiles[0])
    if not (math.isfinite(answer.duration) and math.isfinite(phases.sum())):
        return _nothing(NOT_FOUND, start)
    return JerkMotion(FOUND, answer.duration, np.array([start.q, start.qd]), phases)


def _phases(profiles: Sequence[ruckig.Profile]) -> Floats:
    """Return the phases (n, 9, 3) of Ruckig's profiles."""
    values: list[float] = []
    for profile in profiles:
        brake = profile.brake
        values += brake.t + profile.t + brake.a + profile.a[:PHASES] + brake.j + profile.j
    flat = np.frombuffer(array("d", values))  # much faster than an array from a list
    return np.ascontiguousarray(flat.reshape(len(profiles), 3, BRAKE_PHASES + PHASES).transpose(0, 2, 1))


def _nothing(status: Status, start: JointState) -> JerkMotion:
    return JerkMotion(status, 0.0, np.array([start.q, np.zeros_like(start.q)]), np.empty((len(start.q), 0, 3)))
