"""A move that a condition ends: when the condition begins to hold, and where the arm comes to rest on its path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.model.robot import Robot
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.splines import quintics
from armlab.motion.trajectory import Trajectory
from armlab.program.executor.asking import TICK
from armlab.program.executor.single import SingleMove, limits_under
from armlab.program.instructions import MotionSettings, MoveC, MoveHelix, MoveJ, MoveL, MoveSpline
from armlab.program.signals import Signals

CURVE_POINTS = 8
"""Frames through which the part of a curve is followed that is still driven."""

BRAKE_KNOTS = 40
"""Places at which a brake on a path has the position, speed and acceleration of the path; quintics go between them."""

LONGER = 1.1
"""A brake that is too hard takes so many times as long in the next trial."""


class Interrupted(NamedTuple):
    """The part of a move that is still made, and the joint values (n,) when the condition began to hold."""

    move: SingleMove
    q: Floats


def interrupted(
    robot: Robot, move: SingleMove, whole: Trajectory, condition: Callable[[], bool], signals: Signals, start: float
) -> Interrupted | None:
    """Return what is left of a move that begins at `start` (s) and would be `whole`; None if the condition never holds.

    The arm brakes along the path of the move as hard as its settings allows.
    """
    for time in np.arange(0.0, whole.duration, TICK):
        signals.advance(start + float(time))
        if condition():
            state = whole.at(float(time))
            stop = min(float(time) + _braking(robot, move.settings, state.q, state.qd), whole.duration)
            return Interrupted(_up_to(robot, move, whole, stop), state.q)
    return None


def braked(robot: Robot, settings: MotionSettings, whole: Trajectory, time: float) -> Trajectory:
    """Return the motion from `time` (s) of a move on that brakes on the move's path, until the arm stands.

    The path is passed ever more slowly: q(s(t)) with ds/dt = 1 - 3u² + 2u³ and u = t / T: speed and acceleration go on
    without a jump, and T is the shortest at which no joint brakes harder than the settings allow.
    """
    state, left, most = whole.at(time), whole.duration - time, limits_under(robot, settings).acceleration
    T = max(3.0 * _braking(robot, settings, state.q, state.qd), 2.0 * TICK)
    while left > T / 2.0:
        u = np.linspace(0.0, 1.0, BRAKE_KNOTS + 1)
        q, qd, qdd = whole.sample(time + T * (u - u**3 + u**4 / 2.0))
        rate, change = (1.0 - 3.0 * u**2 + 2.0 * u**3)[:, None], (6.0 * (u**2 - u) / T)[:, None]
        rates, bends = qd * rate, qdd * rate**2 + qd * change
        if (np.abs(bends[1:]) <= most).all():
            return Trajectory(PiecewisePolynomial(T * u, quintics(q, rates, bends, T * np.diff(u)[:, None])))
        T *= LONGER
    return whole.between(time, whole.duration)  # it comes to rest as soon by itself


def _braking(robot: Robot, settings: MotionSettings, q: Floats, qd: Floats) -> float:
    """Return in which time the arm would cover its braking distance at the speed that it has: v / 2a."""
    longest = float((np.abs(qd) / (2.0 * limits_under(robot, settings).acceleration)).max())
    if settings.tool_acceleration is not None:
        speed = float(np.linalg.norm((robot.jacobian(q) @ qd)[:3]))
        longest = max(longest, speed / (2.0 * settings.tool_acceleration))
    return longest


def _up_to(robot: Robot, move: SingleMove, whole: Trajectory, stop: float) -> SingleMove:
    """Return the beginning of a move, up to where it is at time `stop` (s)."""
    end, settings = whole.at(stop).q, replace(move.settings, blend=None)
    match move:
        case MoveJ():
            return replace(move, targets=(end,), times=None, configuration=None, settings=settings)
        case MoveL():
            return replace(move, frames=(robot.fk(end),), settings=settings)
        case MoveC():
            via = robot.fk(whole.at(stop / 2.0).q)[:3, 3].copy()
            return replace(move, via=via, frame=robot.fk(end), angle=None, settings=settings)
        case MoveSpline() | MoveHelix():
            times = np.linspace(0.0, stop, CURVE_POINTS + 1)[1:]
            frames = tuple(robot.fk(whole.at(float(time)).q) for time in times)
            return MoveSpline(frames, settings=settings, span=move.span, source=move.source)
        case _:
            return replace(move, frame=robot.fk(end), settings=settings)
