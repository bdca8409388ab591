"""The numbers behind the symbols: at a pose, in millimetres and degrees, each with its unit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from armlab.arrays import Floats
from armlab.documents.notation import Num, Row, Sup, Unit, decimal, grid, number
from armlab.kinematics.symbolic.derivation import Derivation
from armlab.kinematics.symbolic.simplify import meanings
from armlab.kinematics.symbolic.table import is_length
from armlab.messages import tr
from armlab.units import DEG_PER_RAD, MM_PER_M

MM_PLACES, DEG_PLACES, TURN_PLACES = 3, 4, 5
"""Places of millimetres, of degrees, and of the entries of a rotation."""
GENERIC = 0.37
"""Joint i is at i times this where an expression must not vanish by chance."""


def mm(value: float) -> Row:
    """Return metres as millimetres, with the unit."""
    return (*decimal(value * MM_PER_M, MM_PLACES), Unit(tr("mm")))


def degrees(value: float) -> Row:
    """Return radians as degrees, with the sign."""
    return (*decimal(value * DEG_PER_RAD, DEG_PLACES), Unit("°"))


def joint_value(value: float, kind: str) -> Row:
    """Return a joint's value as people read it."""
    return degrees(value) if kind == "revolute" else mm(value)


def pose_grid(T: Floats) -> Row:
    """Return a pose (4, 4) as a matrix, lengths in millimetres."""
    scaled = np.array(T)
    scaled[:3, 3] *= MM_PER_M
    places = [[TURN_PLACES] * 3 + [MM_PLACES]] * 3 + [[0] * 4]
    return grid(
        [decimal(v, n) for v, n in zip(row, line, strict=True)] for row, line in zip(scaled, places, strict=True)
    )


def jacobian_mm(derivation: Derivation, J: Floats) -> Floats:
    """Return the Jacobian (6, n) with lengths in millimetres; a sliding joint moves a millimetre per millimetre."""
    scaled = np.array(J)
    for i, row in enumerate(derivation.rows):
        if row.kind == "revolute":
            scaled[:3, i] *= MM_PER_M
        else:
            scaled[3:, i] /= MM_PER_M
    return scaled


def jacobian_grid(derivation: Derivation, J: Floats) -> Row:
    """Return the Jacobian as a matrix, lengths in millimetres."""
    scaled = jacobian_mm(derivation, J)
    return grid([decimal(v, MM_PLACES if i < 3 else TURN_PLACES) for v in row] for i, row in enumerate(scaled))


def parameter_value(symbol: Any, value: float) -> Row:
    """Return a parameter's number with its unit."""
    if is_length(symbol):
        return mm(value)
    return degrees(value) if is_angle(symbol) else number(value)


def shown_parameter(symbol: Any, value: float) -> float:
    """Return a parameter's number: a length in millimetres, an angle in degrees, else as it is."""
    if is_length(symbol):
        return value * MM_PER_M
    return value * DEG_PER_RAD if is_angle(symbol) else value


def is_angle(symbol: Any) -> bool:
    """Tell whether a parameter is an angle."""
    return symbol.name.partition("_")[0] in {"alpha", "delta"}


def numbers_at(derivation: Derivation, q: Floats, scale: float = 1.0) -> dict[Any, float]:
    """Return the number of every symbol at `q`, with all lengths `scale` times as long."""
    out = {s: v * scale if is_length(s) else v for s, v in derivation.parameters.items()}
    for row, value in zip(derivation.rows, q, strict=True):
        out[row.variable] = float(value) * (1.0 if row.kind == "revolute" else scale)
    return out


def value_at(derivation: Derivation, expression: Any, numbers: dict[Any, float]) -> float:
    """Return what an expression is there."""
    return float(expression.xreplace(meanings(derivation)).evalf(subs=numbers, n=15))


def length_power(derivation: Derivation, expression: Any) -> int:
    """Return how many lengths are multiplied in an expression: 0 for a sine, 1 for a length, 3 for a volume."""
    q = np.arange(1, len(derivation.rows) + 1, dtype=np.float64) * GENERIC
    small, large = (value_at(derivation, expression, numbers_at(derivation, q, scale)) for scale in (1.0, 2.0))
    return round(math.log2(large / small)) if small != 0.0 and large / small > 0.0 else 0


def in_mm(value: float, power: int) -> Row:
    """Return a value of so many metres multiplied, in millimetres, with the unit."""
    shown = number(0.0 if abs(value) < 1e-13 else value * MM_PER_M**power)
    if power == 0:
        return shown
    return (*shown, Unit(tr("mm"))) if power == 1 else (*shown, Sup((Unit(tr("mm")),), (Num(str(power)),)))
