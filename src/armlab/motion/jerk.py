"""Legs made of phases with constant jerk or constant acceleration: straight, trapezoid and jerk-limited motions.

Each leg rests at its points; only the first one may start, and the last one end, with a velocity and an acceleration.
"""

from __future__ import annotations

from array import array
from typing import NamedTuple

import numpy as np
import ruckig

from armlab.arrays import Floats
from armlab.errors import PlanningFailed
from armlab.kernels import polynomials
from armlab.motion.limits import Limits
from armlab.motion.pieces import Pieces

RUCKIG_PHASES = 7
BRAKE_PHASES = 2
"""Ruckig may put two phases in front of its seven, to come back from a state that breaks a limit."""
SAME_TIME = 1e-9
"""A leg that takes this share longer than its given time still keeps it."""


class Ends(NamedTuple):
    """How a motion starts and ends: velocities `rates` and accelerations `bends`, (2, n) each."""

    rates: Floats
    bends: Floats
    at_rest: bool
    """Whether all of them are zero."""


class Phases(NamedTuple):
    """Phases of each leg and joint, (legs, n, phases): durations, accelerations they start with, and jerks."""

    durations: Floats
    accelerations: Floats
    jerks: Floats

    def in_times(self, times: Floats) -> Phases:
        """Return the same legs, each stretched to take the given time (legs,)."""
        factor = (times / self.durations.sum(axis=2).max(axis=1))[:, None, None]
        return Phases(self.durations * factor, self.accelerations / factor**2, self.jerks / factor**3)

    def as_pieces(self, points: Floats, velocity: Floats) -> Pieces:
        """Return the curve through `points` (legs + 1, n) that starts with `velocity` (n,)."""
        legs, n, phases = self.durations.shape
        room = legs * n * phases
        breaks, coefficients = np.empty(room + 1), np.empty((room, 4, n))
        count = polynomials.phases_into(*self, points, velocity, breaks, coefficients)
        return Pieces(breaks[: count + 1], coefficients[:count])


def straight_legs(points: Floats, limits: Limits) -> Phases:
    """Return legs that are straight in joint space: one trapezoid of speed along the leg, common to all joints."""
    reach = points[1:] - points[:-1]
    distance = np.maximum(np.abs(reach), 1e-100)
    speed = (limits.velocity / distance).min(axis=1)
    pace = (limits.acceleration / distance).min(axis=1)
    rise = np.minimum(speed / pace, np.sqrt(1.0 / pace))
    cruise = np.maximum(1.0 / (rise * pace) - rise, 0.0)
    durations = np.repeat(np.stack([rise, cruise, rise], axis=1)[:, None], points.shape[1], axis=1)
    return _of_trapezoids(durations, reach * pace[:, None])


def trapezoid_legs(points: Floats, limits: Limits) -> Phases:
    """Return legs where each joint has a trapezoid of velocity and its own acceleration; all joints arrive together."""
    reach = points[1:] - points[:-1]
    distance, a = np.abs(reach), limits.acceleration
    total = trapezoid_times(distance, limits)[:, None]
    root = np.sqrt(np.maximum(total * total - 4.0 * distance / a, 0.0))
    rise = 2.0 * distance / a / (total + root)
    durations = np.stack([rise, np.maximum(total - 2.0 * rise, 0.0), rise], axis=2)
    return _of_trapezoids(durations, np.sign(reach) * a)


def trapezoid_times(distance: Floats, limits: Limits) -> Floats:
    """Return the shortest time (legs,) from rest to rest over distances (legs, n), without a limit of jerk."""
    v, a = limits.velocity, limits.acceleration
    long = distance / v + v / a
    short = 2.0 * np.sqrt(distance / a)
    return np.asarray(np.where(distance * a > v * v, long, short).max(axis=1))


def _of_trapezoids(durations: Floats, accelerations: Floats) -> Phases:
    signs = np.array([1.0, 0.0, -1.0])
    return Phases(durations, accelerations[:, :, None] * signs, np.zeros(durations.shape))


def jerk_legs(points: Floats, limits: Limits, ends: Ends, times: Floats | None) -> Phases:
    """Return the fastest legs that keep the limits of velocity, acceleration and jerk; all joints arrive together.

    Legs from rest to rest are stretched to their given times; a leg with a velocity or an acceleration at an end gets
    its time as a shortest duration.

    Raises:
        PlanningFailed: if such a leg cannot be that quick, or Ruckig finds no motion.
    """
    legs, n = len(points) - 1, points.shape[1]
    braking = 0 if ends.at_rest else BRAKE_PHASES
    values: list[float] = []
    request = ruckig.InputParameter(n)
    request.max_velocity = limits.velocity.tolist()
    request.max_acceleration = limits.acceleration.tolist()
    request.max_jerk = limits.jerk.tolist()
    solver, answer = ruckig.Ruckig(n), ruckig.Trajectory(n)
    places = points.tolist()
    for leg in range(legs):
        request.current_position, request.target_position = places[leg], places[leg + 1]
        if braking:
            _set_ends(request, ends, leg == 0, leg == legs - 1)
            if times is not None:
                request.minimum_duration = float(times[leg])
        _calculate(solver, request, answer, leg)
        if braking and times is not None and answer.duration > times[leg] * (1.0 + SAME_TIME):
            raise PlanningFailed(
                f"leg {leg + 1}: {times[leg]:g} s is less than the {answer.duration:.3f} s that the limits and the "
                "given velocities and accelerations need; give a longer time",
                leg=leg,
                needed=answer.duration,
            )
        _append_phases(values, answer.profiles[0], with_brake=braking > 0)
    by_leg = np.frombuffer(array("d", values)).reshape(legs, 3, n, braking + RUCKIG_PHASES)
    phases = Phases(*np.ascontiguousarray(by_leg.transpose(1, 0, 2, 3)))
    return phases if braking or times is None else phases.in_times(times)


def _set_ends(request: ruckig.InputParameter, ends: Ends, is_first: bool, is_last: bool) -> None:
    rest = [0.0] * len(ends.rates[0])
    request.current_velocity = ends.rates[0].tolist() if is_first else rest
    request.current_acceleration = ends.bends[0].tolist() if is_first else rest
    request.target_velocity = ends.rates[1].tolist() if is_last else rest
    request.target_acceleration = ends.bends[1].tolist() if is_last else rest


def _calculate(solver: ruckig.Ruckig, request: ruckig.InputParameter, answer: ruckig.Trajectory, leg: int) -> None:
    try:
        works = solver.calculate(request, answer) == ruckig.Result.Working
    except ruckig.RuckigError:  # its sentences hold long lists of numbers
        works = False
    if not works:
        raise PlanningFailed(
            f"leg {leg + 1}: no motion with limited jerk was found; take limits, times or ends that are less extreme",
            leg=leg,
        )


def _append_phases(values: list[float], profiles: list[ruckig.Profile], *, with_brake: bool) -> None:
    """Append durations, then accelerations, then jerks of the phases of one leg, joint after joint."""
    for p in profiles:
        values += p.brake.t + p.t if with_brake else p.t
    for p in profiles:
        values += p.brake.a + p.a[:-1] if with_brake else p.a[:-1]
    for p in profiles:
        values += p.brake.j + p.j if with_brake else p.j
