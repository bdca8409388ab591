"""Check a trajectory: positions, velocities, accelerations, jerks against their limits, and jumps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.model.finding import Finding, Level
from armlab.model.robot import Robot
from armlab.motion.limits import Limits, limits_of
from armlab.motion.pieces import Extremes, Pieces
from armlab.motion.trajectory import Trajectory
from armlab.units import joint_scale, joint_unit

SLACK = 1e-9
"""A value may pass its limit by this share of it (a position by as much in rad or m): rounding, not a violation."""
POSITION_JUMP = 1e-8
"""A smaller step of a position (rad or m) is rounding."""
RATE_JUMP = 1e-6
"""A smaller step of a velocity or an acceleration, as a share of its limit, is rounding."""
SAMPLES_AT_ONCE = 20_000
MOST_SAMPLES = 20_000_000
KINDS = ("position", "velocity", "acceleration", "jerk")
PER_TIME = ("", "/s", "/s²", "/s³")


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
    with jerk also jumps of acceleration, as notes. Codes: position, velocity, acceleration, jerk, jump.
    """
    bounds = limits_of(robot) if limits is None else limits
    if not trajectory.dof == robot.dof == bounds.dof:
        raise InvalidInput(
            f"{robot.name} has {robot.dof} joints, the trajectory has {trajectory.dof}, the limits {bounds.dof}"
        )
    if orders not in range(4):
        raise InvalidInput(f"orders: {orders} is none of 0 (position), 1 (velocity), 2 (acceleration), 3 (jerk)")
    if not (step > 0.0 and np.isfinite(step)):
        raise InvalidInput(f"step: {step:g} s is not above zero")
    if trajectory.duration / step > MOST_SAMPLES:
        raise InvalidInput(f"step: {step:g} s makes more than {MOST_SAMPLES} samples of {trajectory.duration:g} s")
    sampled = _sampled(trajectory, step, orders)
    found = []
    for order in range(orders + 1):
        worst = _worse(trajectory.pieces.extremes(order), sampled[order])
        found += [_finding(robot, bounds, excess) for excess in _excesses(worst, bounds, order)]
    for order in range(2 if orders < 3 else 3):
        found += _jumps(trajectory.pieces, robot, bounds, order)
    return found


def exact_excesses(pieces: Pieces, limits: Limits, order: int) -> list[Excess]:
    """Return the joints whose derivative of that order passes its limit somewhere."""
    return _excesses(pieces.extremes(order), limits, order)


def excess_text(robot: Robot, limits: Limits, excess: Excess) -> str:
    """Return the sentence for one excess, in degrees and millimetres."""
    i, order = excess.joint, excess.order
    unit = joint_unit(robot.joints[i].kind) + PER_TIME[order]
    value, limit = shown(robot, i, excess.value, excess.limit)
    who = f"joint '{robot.joints[i].name}':"
    if order > 0:
        return f"{who} {KINDS[order]} {value} {unit} at {excess.time:.3f} s is beyond {limit} {unit}"
    scale = joint_scale(robot.joints[i].kind)
    lower, upper = f"{limits.lower[i] / scale:.1f}", f"{limits.upper[i] / scale:.1f}"
    if excess.limit == limits.upper[i]:
        upper = limit
    else:
        lower = limit
    return f"{who} {value}{unit} at {excess.time:.3f} s is outside {lower}…{upper}{unit}"


def shown(robot: Robot, joint: int, value: float, limit: float) -> tuple[str, str]:
    """Return two values of a joint in degrees or millimetres, with as many digits as tell them apart."""
    scale = joint_scale(robot.joints[joint].kind)
    for digits in (1, 3, 6, 9):
        texts = f"{value / scale:.{digits}f}", f"{limit / scale:.{digits}f}"
        if float(texts[0]) != float(texts[1]):
            break
    return texts


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


def _excesses(worst: Extremes, limits: Limits, order: int) -> list[Excess]:
    lower, upper = _range(limits, order)
    slack = SLACK * (np.abs(upper) if order > 0 else 1.0)
    over, under = worst.high - upper, lower - worst.low
    found = []
    for i in np.flatnonzero((over > slack) | (under > slack)):
        if over[i] >= under[i]:
            found.append(Excess(int(i), order, float(worst.high[i]), float(upper[i]), float(worst.x_high[i])))
        else:
            found.append(Excess(int(i), order, float(worst.low[i]), float(lower[i]), float(worst.x_low[i])))
    return found


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
    return Finding("error", KINDS[excess.order], excess_text(robot, limits, excess), where)


def _jumps(pieces: Pieces, robot: Robot, limits: Limits, order: int) -> list[Finding]:
    """Return where a derivative is not continuous."""
    steps = pieces.jumps(order)
    if len(steps) == 0:
        return []
    allowed = np.full(pieces.width, POSITION_JUMP) if order == 0 else RATE_JUMP * _range(limits, order)[1]
    found = []
    level: Level = "error" if order < 2 else "note"
    for i in np.flatnonzero(np.abs(steps).max(axis=0) > allowed):
        k = int(np.abs(steps[:, i]).argmax())
        joint, size, time = robot.joints[i], float(steps[k, i]), float(pieces.breaks[k + 1])
        unit = joint_unit(joint.kind) + PER_TIME[order]
        gap = " " if order > 0 else ""
        text = f"joint '{joint.name}': {KINDS[order]} jumps by {size / joint_scale(joint.kind):.3g}{gap}{unit}"
        where: dict[str, float | int | str] = {"joint": joint.name, "time": time, "value": size, "order": order}
        found.append(Finding(level, "jump", f"{text} at {time:.3f} s", where))
    return found
