"""The one check that joint values are inside their limits, and the one error that says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.errors import LimitViolation
from armlab.kernels.gate import LIMIT_SLACK
from armlab.messages import Message, _
from armlab.model.robot import Robot
from armlab.units import of_joint, told_apart

MEASURED_SLACK = 0.02
"""rad or m: how far outside its limits a joint may have been measured; real zeros are off by about a degree."""


class HasLimits(Protocol):
    """A robot, or limits of motion: position limits (n,) in SI."""

    @property
    def lower(self) -> Floats:
        """Lower ends."""

    @property
    def upper(self) -> Floats:
        """Upper ends."""


def outside_limits(limits: HasLimits, q: Floats, slack: float = LIMIT_SLACK) -> NDArray[np.bool_]:
    """Return which values of `q` (n,) or (m, n) are outside their limits."""
    return np.asarray((q < limits.lower - slack) | (q > limits.upper + slack))


def violations(robot: Robot, q: Floats) -> list[LimitViolation]:
    """Return an error for each value of `q` (n,) outside the robot's limits."""
    return [_violation(robot, q[None], 0, int(i), robot) for i in np.flatnonzero(outside_limits(robot, q))]


def check_joint_limits(
    robot: Robot,
    q: Floats,
    who: str | Message | Callable[[int], str | Message] = "",
    *,
    limits: HasLimits | None = None,
    slack: float = LIMIT_SLACK,
) -> None:
    """Refuse joint values outside their limits, inclusive, at every public border.

    Args:
        robot: whose joints they are
        q: one row (n,) or several (m, n)
        who: what they are, for the sentence; for several rows it may be a function of the row's index
        limits: other limits than the robot's own
        slack: how far outside a value still counts as on the limit: rounding, if not given

    Raises:
        LimitViolation: about the first value that is outside.
    """
    bounds, rows = robot if limits is None else limits, q.reshape(-1, robot.dof)
    outside = outside_limits(bounds, rows, slack)
    if outside.any():
        k, i = (int(place) for place in np.argwhere(outside)[0])
        place, found = who(k) if callable(who) else who, _violation(robot, rows, k, i, bounds)
        raise found.within(place) if place else found


def check_joint_value(who: str, joint: str, kind: str, value: float, limits: tuple[float, float]) -> None:
    """Refuse a value of a joint that is not built yet, in SI.

    Raises:
        LimitViolation: if it is outside its limits.
    """
    if not limits[0] - LIMIT_SLACK <= value <= limits[1] + LIMIT_SLACK:
        raise _outside(joint, kind, value, limits, 0).within(who)


def _violation(robot: Robot, rows: Floats, k: int, i: int, bounds: HasLimits) -> LimitViolation:
    joint, value = robot.joints[i], float(rows[k, i])
    return _outside(joint.name, joint.kind, value, (float(bounds.lower[i]), float(bounds.upper[i])), k)


def _outside(joint: str, kind: str, value: float, limits: tuple[float, float], index: int) -> LimitViolation:
    is_above = value > limits[1]
    shown, limit = told_apart(kind, value, limits[is_above])
    other = of_joint(kind, limits[not is_above])
    return LimitViolation(
        "joint_outside",
        _("joint '{joint}': {value} is outside {lower} … {upper}"),
        joint=joint,
        value=shown,
        lower=other if is_above else limit,
        upper=limit if is_above else other,
        index=index,
    )
