"""Check a trajectory: positions, velocities, accelerations, jerks against their limits, and jumps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import Message, _, term
from armlab.model.finding import Finding, Severity
from armlab.model.robot import Robot
from armlab.motion.checks import check_joint_count, check_seconds
from armlab.motion.limits import Limits, limits_of
from armlab.motion.piecewise import Extremes, PiecewisePolynomial
from armlab.motion.trajectory import Trajectory
from armlab.units import of_joint, told_apart

SLACK = 1e-9
"""A value may pass its limit by this share of it (a position by as much in rad or m): rounding, not a violation."""
TIME_ROUNDING = 64.0 * float(np.finfo(np.float64).eps)
"""Times are rounded by this share of the whole duration, and a value by as much as it changes meanwhile."""
POSITION_JUMP = 1e-8
"""A smaller step of a position (rad or m) is rounding."""
RATE_JUMP = 1e-6
"""A smaller step of a velocity or an acceleration, as a share of its limit, is rounding."""
SAMPLES_AT_ONCE = 20_000
MOST_SAMPLES = 20_000_000
LIMIT_CODES = ("position_limit", "velocity_limit", "acceleration_limit", "jerk_limit")
"""What findings are called, by the order of the derivative that is beyond its limit."""
JUMP_CODES = ("position_jump", "velocity_jump", "acceleration_jump")
OUTSIDE = _("joint '{joint}': {value} at {time:.3f} s is outside {lower} … {upper}")
BEYOND = (
    _("joint '{joint}': velocity {value} at {time:.3f} s is beyond {limit}"),
    _("joint '{joint}': acceleration {value} at {time:.3f} s is beyond {limit}"),
    _("joint '{joint}': jerk {value} at {time:.3f} s is beyond {limit}"),
)
JUMPS = (
    _("joint '{joint}': position jumps by {value} at {time:.3f} s"),
    _("joint '{joint}': velocity jumps by {value} at {time:.3f} s"),
    _("joint '{joint}': acceleration jumps by {value} at {time:.3f} s"),
)

BrokenLimits: TypeAlias = Literal["none", "rates", "positions"]


class Excess(NamedTuple):
    """A joint that passes a limit: the derivative, its worst value, when, and the limit."""

    joint: int
    order: int
    value: float
    limit: float
    time: float


def verify(
    trajectory: Trajectory, robot: Robot, *, limits: Limits | None = None, step: float = 0.001, orders: int = 2
) -> list[Finding]:
    """Return all that is wrong with a trajectory: one finding per joint and kind, at its worst place.

    Looked at are the exact extremes of the polynomials and, as a second look, samples at every `step` (s): positions,
    velocities and so on up to the derivative `orders` (2 is acceleration, 3 jerk), and jumps of position and velocity;
    with jerk also jumps of acceleration, as notes. `broken_limits` sums the findings up.
    """
    bounds = limits_of(robot) if limits is None else limits
    check_joint_count(term(_("trajectory")), trajectory.dof, robot.dof)
    check_joint_count(term(_("limits")), bounds.dof, robot.dof)
    if orders not in range(4):
        raise InvalidInput(
            "orders_outside",
            _("orders: expected 0 (position), 1 (velocity), 2 (acceleration) or 3 (jerk), got {orders}"),
            orders=orders,
        )
    check_seconds("step", step)
    if trajectory.duration / step > MOST_SAMPLES:
        raise InvalidInput(
            "too_many_samples",
            _("step: {step:g} s makes {samples:.3g} samples of {duration:g} s; too many at once"),
            step=step,
            samples=trajectory.duration / step,
            duration=trajectory.duration,
        )
    sampled = _sampled(trajectory, step, orders)
    found = []
    for order in range(orders + 1):
        worst = _worse(trajectory.pieces.extremes(order), sampled[order])
        excesses = _excesses(worst, bounds, order, trajectory.duration)
        found += [_finding(robot, bounds, excess) for excess in excesses]
    for order in range(2 if orders < 3 else 3):
        found += _jumps(trajectory.pieces, robot, bounds, order)
    return found


def exact_excesses(pieces: PiecewisePolynomial, limits: Limits, order: int) -> list[Excess]:
    """Return the joints whose derivative of that order passes its limit somewhere."""
    return _excesses(pieces.extremes(order), limits, order, pieces.end - pieces.start)


def broken_limits(findings: Iterable[Finding]) -> BrokenLimits:
    """Return what a trajectory with these findings breaks, by their codes.

    - positions: a joint leaves its range or jumps; such a motion must not be played.
    - rates: only velocities, accelerations or jerks are beyond their limits; a person may want to play it all the same.
    - none: no error of either kind.
    """
    codes = {finding.code for finding in findings if finding.severity == "error"}
    if codes & {LIMIT_CODES[0], JUMP_CODES[0]}:
        return "positions"
    return "rates" if codes & {*LIMIT_CODES, *JUMP_CODES} else "none"


def excess_message(robot: Robot, limits: Limits, excess: Excess) -> Message:
    """Return the message about one excess, in degrees and millimetres."""
    joint, order, i = robot.joints[excess.joint], excess.order, excess.joint
    value, limit = told_apart(joint.kind, excess.value, excess.limit, order)
    if order > 0:
        template, bounds = BEYOND[order - 1], {"limit": limit}
    else:
        template, is_upper = OUTSIDE, excess.limit == limits.upper[i]
        bounds = {
            "lower": of_joint(joint.kind, float(limits.lower[i])) if is_upper else limit,
            "upper": limit if is_upper else of_joint(joint.kind, float(limits.upper[i])),
        }
    return Message(LIMIT_CODES[order], template, joint=joint.name, value=value, time=excess.time, **bounds)


def _sampled(trajectory: Trajectory, step: float, orders: int) -> list[Extremes]:
    """Return the extremes of each derivative among samples."""
    found: list[Extremes] = []
    count = int(trajectory.duration / step) + 2
    for begin in range(0, count, SAMPLES_AT_ONCE):
        ticks = np.arange(begin, min(begin + SAMPLES_AT_ONCE, count), dtype=np.float64)
        t = np.minimum(ticks * step, trajectory.duration)
        values = trajectory.pieces.values(t, orders + 1)
        low, high = values.argmin(axis=0), values.argmax(axis=0)
        columns = np.arange(trajectory.dof)
        now = [
            Extremes(values[low[k], k, columns], values[high[k], k, columns], t[low[k]], t[high[k]])
            for k in range(orders + 1)
        ]
        found = [_worse(a, b) for a, b in zip(found, now, strict=True)] if found else now
    return found


def _worse(a: Extremes, b: Extremes) -> Extremes:
    """Return the lower of two lows and the higher of two highs."""
    lower, higher = b.low < a.low, b.high > a.high
    return Extremes(
        np.where(lower, b.low, a.low),
        np.where(higher, b.high, a.high),
        np.where(lower, b.x_low, a.x_low),
        np.where(higher, b.x_high, a.x_high),
    )


def _excesses(worst: Extremes, limits: Limits, order: int, duration: float) -> list[Excess]:
    lower, upper = _range(limits, order)
    slack = SLACK * (np.abs(upper) if order > 0 else 1.0) + _rounding(limits, order, duration)
    over, under = worst.high - upper, lower - worst.low
    found = []
    for i in np.flatnonzero((over > slack) | (under > slack)):
        if over[i] >= under[i]:
            found.append(Excess(int(i), order, float(worst.high[i]), float(upper[i]), float(worst.x_high[i])))
        else:
            found.append(Excess(int(i), order, float(worst.low[i]), float(lower[i]), float(worst.x_low[i])))
    return found


def _rounding(limits: Limits, order: int, duration: float) -> Floats:
    """Return by how much (n,) a derivative can be off because times are rounded."""
    rate = (limits.velocity, limits.acceleration, limits.jerk)
    return np.asarray(TIME_ROUNDING * duration * rate[order]) if order < len(rate) else np.zeros(limits.dof)


def _range(limits: Limits, order: int) -> tuple[Floats, Floats]:
    if order == 0:
        return limits.lower, limits.upper
    upper = (limits.velocity, limits.acceleration, limits.jerk)[order - 1]
    return -upper, upper


def _finding(robot: Robot, limits: Limits, excess: Excess) -> Finding:
    where: dict[str, float | int | str] = {
        "joint": robot.joints[excess.joint].name,
        "time": excess.time,
        "value": excess.value,
        "limit": excess.limit,
    }
    return Finding("error", excess_message(robot, limits, excess), where)


def _jumps(pieces: PiecewisePolynomial, robot: Robot, limits: Limits, order: int) -> list[Finding]:
    """Return where a derivative is not continuous."""
    steps = pieces.jumps(order)
    if len(steps) == 0:
        return []
    allowed = np.full(pieces.width, POSITION_JUMP) if order == 0 else RATE_JUMP * _range(limits, order)[1]
    allowed += _rounding(limits, order, pieces.end - pieces.start)
    found = []
    level: Severity = "error" if order < 2 else "note"
    for i in np.flatnonzero(np.abs(steps).max(axis=0) > allowed):
        k = int(np.abs(steps[:, i]).argmax())
        joint, size, time = robot.joints[i], float(steps[k, i]), float(pieces.breaks[k + 1])
        value, _zero = told_apart(joint.kind, size, 0.0, order)
        message = Message(JUMP_CODES[order], JUMPS[order], joint=joint.name, value=value, time=time)
        where: dict[str, float | int | str] = {"joint": joint.name, "time": time, "value": size, "order": order}
        found.append(Finding(level, message, where))
    return found
