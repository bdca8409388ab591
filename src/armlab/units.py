"""Units at the border: inside armlab everything is metres, radians, seconds and kilograms.

People read and type millimetres and degrees; these factors turn one into the other, and nothing else does.
"""

from __future__ import annotations

import math
from typing import Any

M_PER_MM = 1e-3
MM_PER_M = 1e3
RAD_PER_DEG = math.pi / 180.0
DEG_PER_RAD = 180.0 / math.pi


def joint_scale(kind: str) -> float:
    """Return the factor from what a person types for a joint (degrees or millimetres) to SI."""
    return RAD_PER_DEG if kind == "revolute" else M_PER_MM


def joint_unit(kind: str) -> str:
    """Return the unit that a person sees for a joint: `°` or `mm`."""
    return "°" if kind == "revolute" else "mm"


class Quantity(float):
    """A number in SI that knows what it measures: programs compute with it, a message shows it in people's units.

    `kind` is one of `SHOWN`; `digits` is the format that a text uses where its template names none.
    """

    __slots__ = ("digits", "kind")
    kind: str
    digits: str

    def __new__(cls, value: float, kind: str, digits: str = ".6g") -> Quantity:
        """Make it; `value` is in SI."""
        made = super().__new__(cls, value)
        made.kind, made.digits = kind, digits
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Quantity, (float(self), self.kind, self.digits)


SHOWN = {
    "angle": DEG_PER_RAD,
    "angular velocity": DEG_PER_RAD,
    "angular acceleration": DEG_PER_RAD,
    "angular jerk": DEG_PER_RAD,
    "length": MM_PER_M,
    "velocity": MM_PER_M,
    "acceleration": MM_PER_M,
    "jerk": MM_PER_M,
    "time": 1.0,
    "mass": 1.0,
    "force": 1.0,
    "torque": 1.0,
}
"""Kinds of quantities, and the factor from SI to the unit that people read; the unit's symbol is in armlab.messages."""

OF_TURNING = ("angle", "angular velocity", "angular acceleration", "angular jerk")
OF_SLIDING = ("length", "velocity", "acceleration", "jerk")
_DIGITS = (1, 3, 6, 9)


def of_joint(kind: str, value: float, order: int = 0, digits: str = ".1f") -> Quantity:
    """Return a value of a joint (SI); `order` says which derivative over time it is, 0 to 3."""
    return Quantity(value, (OF_TURNING if kind == "revolute" else OF_SLIDING)[order], digits)


def told_apart(kind: str, value: float, limit: float, order: int = 0) -> tuple[Quantity, Quantity]:
    """Return a value of a joint and the limit that it is beyond, with as many digits as tell them apart."""
    factor = 1.0 / joint_scale(kind)
    digits = next((d for d in _DIGITS if round(value * factor, d) != round(limit * factor, d)), _DIGITS[-1])
    return of_joint(kind, value, order, f".{digits}f"), of_joint(kind, limit, order, f".{digits}f")
