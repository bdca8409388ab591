"""Segments made of phases with constant jerk or constant acceleration: straight, trapezoid, jerk-limited motions.

Each segment rests at its points; only the first one may start, and the last one end, with a velocity and an
acceleration. From rest to rest the phases are known in closed form; from other states `attempt_motion` finds them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import PlanningFailed
from armlab.kernels.timing import phases as phase_kernels
from armlab.kernels.timing.quickest import PHASES
from armlab.messages import _
from armlab.motion.jerk_motion import FOUND, attempt_motion
from armlab.motion.limits import Limits
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.trajectory import SAME_PLACE, JointState

SAME_TIME = 1e-9
"""A segment that takes this share longer than its given time still keeps it."""
NO_TIMES = np.empty(0)


class Ends(NamedTuple):
    """How a motion starts and ends: velocities `rates` and accelerations `bends`, (2, n) each."""

    rates: Floats
    bends: Floats
    at_rest: bool
    """Whether all of them are zero."""


def pieces_of(phases: Floats, points: Floats, velocity: Floats) -> PiecewisePolynomial:
    """Return the curve through `points` (m + 1, n) in phases (m, n, k, 3) that starts with `velocity` (n,)."""
    room = phases[..., 0].size
    breaks, coefficients = np.empty(room + 1), np.empty((room, 4, points.shape[1]))
    count = phase_kernels.pieces_into(phases, points, velocity, breaks, coefficients)
    return PiecewisePolynomial(breaks[: count + 1], coefficients[:count])


def rest_to_rest(points: Floats, limits: Limits, times: Floats | None = None) -> PiecewisePolynomial | None:
    """Return the quickest motion with limited jerk that rests at each of `points`; None if that cannot be computed.

    That is where points are outside the limits, not finite or the same as the one before, or numbers overflow. With
    `times` (m - 1,) each segment is stretched to take its time.
    """
    segments, n = points.shape[0] - 1, points.shape[1]
    room = segments * n * phase_kernels.REST_PHASES
    breaks, coefficients = np.empty(room + 1), np.empty((room, 4, n))
    count = phase_kernels.rest_to_rest_into(
        points, limits.table, NO_TIMES if times is None else times, SAME_PLACE, breaks, coefficients
    )
    if count < 1:
        return None
    return PiecewisePolynomial.of_sound(breaks[: count + 1], coefficients[:count])


def straight_segments(points: Floats, limits: Limits) -> Floats:
    """Return phases of segments that are straight in joint space: one trapezoid of speed, common to all joints."""
    reach = points[1:] - points[:-1]
    distance = np.maximum(np.abs(reach), 1e-100)
    speed = (limits.velocity / distance).min(axis=1)
    path_acceleration = (limits.acceleration / distance).min(axis=1)
    rise = np.minimum(speed / path_acceleration, np.sqrt(1.0 / path_acceleration))
    cruise = np.maximum(1.0 / (rise * path_acceleration) - rise, 0.0)
    durations = np.repeat(np.stack([rise, cruise, rise], axis=1)[:, None], points.shape[1], axis=1)
    return _of_trapezoids(durations, reach * path_acceleration[:, None])


def trapezoid_segments(points: Floats, limits: Limits) -> Floats:
    """Return phases of segments where each joint has a trapezoid of velocity and its own acceleration.

    All joints arrive together.
    """
    reach = points[1:] - points[:-1]
    distance, a = np.abs(reach), limits.acceleration
    total = trapezoid_times(distance, limits)[:, None]
    root = np.sqrt(np.maximum(total * total - 4.0 * distance / a, 0.0))
    rise = 2.0 * distance / a / (total + root)
    durations = np.stack([rise, np.maximum(total - 2.0 * rise, 0.0), rise], axis=2)
    return _of_trapezoids(durations, np.sign(reach) * a)


def trapezoid_times(distance: Floats, limits: Limits) -> Floats:
    """Return the shortest time (m,) from rest to rest over distances (m, n), without a limit of jerk."""
    v, a = limits.velocity, limits.acceleration
    long = distance / v + v / a
    short = 2.0 * np.sqrt(distance / a)
    return np.asarray(np.where(distance * a > v * v, long, short).max(axis=1))


def in_times(phases: Floats, times: Floats) -> Floats:
    """Return the phases (m, n, k, 3) of the same segments, each stretched to take the given time (m,)."""
    factor = (times / phases[..., 0].sum(axis=2).max(axis=1))[:, None, None]
    return np.asarray(phases * np.stack([factor, factor**-2, factor**-3], axis=3))


def _of_trapezoids(durations: Floats, accelerations: Floats) -> Floats:
    signs = np.array([1.0, 0.0, -1.0])
    return np.stack([durations, accelerations[:, :, None] * signs, np.zeros(durations.shape)], axis=3)


def jerk_segments(points: Floats, limits: Limits, ends: Ends, times: Floats | None) -> Floats:
    """Return phases of the fastest segments within velocity, acceleration and jerk; all joints arrive together.

    A segment gets its given time as a shortest duration.

    Raises:
        PlanningFailed: if a segment cannot be that quick, or no motion is found.
    """
    count, n = len(points) - 1, points.shape[1]
    phases = np.empty((count, n, PHASES, 3))
    rest = np.zeros(n)
    for i in range(count):
        is_first, is_last = i == 0, i == count - 1
        start = JointState(points[i], *((ends.rates[0], ends.bends[0]) if is_first else (rest, rest)))
        target = JointState(points[i + 1], *((ends.rates[1], ends.bends[1]) if is_last else (rest, rest)))
        time = None if times is None else float(times[i])
        motion = attempt_motion(limits, start, target, least_duration=time)
        if motion.status != FOUND:
            raise PlanningFailed(
                "no_motion_found",
                _("segment {segment}: no motion with limited jerk was found; use less extreme limits, times or ends"),
                segment=i + 1,
            )
        if time is not None and motion.duration > time * (1.0 + SAME_TIME):
            raise PlanningFailed(
                "time_too_short",
                _(
                    "segment {segment}: {time:g} s is too short; the limits and the given velocities and accelerations "
                    "need {needed:.3f} s"
                ),
                segment=i + 1,
                time=time,
                needed=motion.duration,
            )
        phases[i] = motion.phases
    return phases
