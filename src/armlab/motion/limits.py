"""What a motion has to keep: limits of the joints and of the tool."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats, read_only
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.model.robot import Robot

TIME_TO_SPEED = 0.25
"""Where nobody states an acceleration: full speed is reached in this many seconds."""
TIME_TO_ACCELERATION = 0.1
"""Where nobody states a jerk, and no maker does: full acceleration is reached in this many seconds."""
LIMITED = ("lower", "upper", "velocity", "acceleration", "jerk", "effort")
KEPT_ROBOTS = 64
"""Of how many robots the own limits are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """Limits per joint, (n,) each: position, velocity, acceleration, jerk, and effort (N m or N; may be infinite)."""

    lower: Floats
    upper: Floats
    velocity: Floats
    acceleration: Floats
    jerk: Floats
    effort: Floats
    table: Floats = field(init=False, repr=False)
    """(5, n): lower, upper, velocity, acceleration and jerk, as kernels take them; nobody writes to it."""

    def __post_init__(self) -> None:
        n = np.size(self.velocity)
        for what in LIMITED:
            values = np.asarray(getattr(self, what))
            if values.shape != (n,) or n == 0 or values.dtype.kind not in "fiu":
                raise InvalidInput(
                    "limits_shape",
                    _("limits: '{limit}' has shape {shape}; expected one number for each joint"),
                    limit=what,
                    shape=str(values.shape),
                )
            object.__setattr__(self, what, read_only(values))
        for what in LIMITED[2:]:
            values = getattr(self, what)
            if not (values > 0.0).all():
                i = int(np.argmin(values > 0.0))
                raise InvalidInput(
                    "limit_not_positive",
                    _("limits: '{limit}' of joint {joint} must be > 0, got {value:g}"),
                    limit=what,
                    joint=i + 1,
                    value=float(values[i]),
                )
            if what != "effort" and not np.isfinite(values).all():
                i = int(np.argmin(np.isfinite(values)))
                raise InvalidInput(
                    "limit_missing", _("limits: '{limit}' of joint {joint} is not given"), limit=what, joint=i + 1
                )
        if not (self.lower < self.upper).all():
            i = int(np.argmin(self.lower < self.upper))
            raise InvalidInput(
                "limits_reversed",
                _("limits: lower limit {lower:g} of joint {joint} must be below the upper limit {upper:g}"),
                joint=i + 1,
                lower=float(self.lower[i]),
                upper=float(self.upper[i]),
            )
        table = np.array([getattr(self, what) for what in LIMITED[:5]])  # writable: kernels have one machine code
        object.__setattr__(self, "table", table)

    @property
    def dof(self) -> int:
        """How many joints there are."""
        return len(self.velocity)

    def scaled(self, speed: float = 1.0, acceleration: float = 1.0) -> Limits:
        """Return limits for a slower run: shares of full speed and of full acceleration, above 0 and up to 1."""
        for what, share in (("speed", speed), ("acceleration", acceleration)):
            if not 0.0 < share <= 1.0:
                raise InvalidInput(
                    "share_outside", _("{name}: must be > 0 and ≤ 1, got {value:g}"), name=what, value=share
                )
        return Limits(
            self.lower,
            self.upper,
            self.velocity * speed,
            self.acceleration * acceleration,
            self.jerk * acceleration,
            self.effort,
        )


def limits_of(
    robot: Robot,
    *,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    jerk: ArrayLike | None = None,
) -> Limits:
    """Return the robot's limits; given values (one for all joints, or one each) replace its own.

    A robot that states no acceleration reaches full speed in 0.25 s, and full acceleration in 0.1 s: no maker states
    a jerk.

    Raises:
        InvalidInput: if a limit is not above zero, or the robot states no velocity and none is given.
    """
    if velocity is None and acceleration is None and jerk is None:
        return _own(robot)
    return _limits(robot, velocity, acceleration, jerk)


@lru_cache(maxsize=KEPT_ROBOTS)
def _own(robot: Robot) -> Limits:
    return _limits(robot, None, None, None)


def _limits(robot: Robot, velocity: ArrayLike | None, acceleration: ArrayLike | None, jerk: ArrayLike | None) -> Limits:
    v = _chosen(robot, "velocity", velocity, robot.velocity)
    if not np.isfinite(v).all():
        who = robot.joints[int(np.argmin(np.isfinite(v)))].name
        raise InvalidInput(
            "velocity_limit_missing",
            _("{robot}: joint '{joint}' has no velocity limit; give one"),
            robot=robot.name,
            joint=who,
        )
    stated = np.where(np.isfinite(robot.acceleration), robot.acceleration, v / TIME_TO_SPEED)
    a = _chosen(robot, "acceleration", acceleration, stated)
    j = _chosen(robot, "jerk", jerk, a / TIME_TO_ACCELERATION)
    return Limits(robot.lower, robot.upper, v, a, j, robot.effort)


def _chosen(robot: Robot, what: str, given: ArrayLike | None, own: Floats) -> Floats:
    if given is None:
        return np.array(own)
    values = as_floats(np.atleast_1d(np.asarray(given)), (None,), what)
    if values.size not in {1, robot.dof}:
        raise InvalidInput(
            "value_count",
            _("{name}: expected 1 or {expected} values, got {got}"),
            name=what,
            expected=robot.dof,
            got=values.size,
        )
    every: Floats = np.array(np.broadcast_to(values, (robot.dof,)))
    if not (every > 0.0).all():
        i = int(np.argmin(every > 0.0))
        raise InvalidInput(
            "limit_not_positive",
            _("{limit}: joint '{joint}': must be > 0, got {value:g}"),
            limit=what,
            joint=robot.joints[i].name,
            value=float(every[i]),
        )
    return every


@dataclass(frozen=True, slots=True)
class ToolLimits:
    """What the tool may do: m/s, m/s², m/s³, and rad/s, rad/s², rad/s³; infinite where nothing is asked."""

    speed: float = math.inf
    acceleration: float = math.inf
    jerk: float = math.inf
    turn_speed: float = math.inf
    turn_acceleration: float = math.inf
    turn_jerk: float = math.inf

    def __post_init__(self) -> None:
        for what in ("speed", "acceleration", "jerk", "turn_speed", "turn_acceleration", "turn_jerk"):
            value = getattr(self, what)
            if not value > 0.0:
                raise InvalidInput(
                    "tool_limit_not_positive",
                    _("tool limits: '{limit}' must be > 0, got {value:g}"),
                    limit=what,
                    value=value,
                )
