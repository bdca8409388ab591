"""Frames of KRL: X, Y, Z in mm and A, B, C in degrees, R = Rz(A) Ry(B) Rx(C); the geometric operator, INV_POS.

Written out in plain numbers: a program composes one frame at a time, and arrays would take ten times as long.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.messages import _
from armlab.program.krl.data_types import Value
from armlab.program.krl.faults import Fault
from armlab.program.span import Span
from armlab.units import DEG_PER_RAD, MM_PER_M

Rows: TypeAlias = tuple[float, float, float, float, float, float, float, float, float, float, float, float]
"""The upper three rows of a 4 × 4 matrix, lengths in mm."""
LETTERS = ("X", "Y", "Z", "A", "B", "C")
FARTHEST = 1e9
"""mm: a component beyond this is taken for a mistake."""
UPRIGHT = 1e-12


def rows_of(frame: dict[str, Value]) -> Rows:
    """Return the matrix of a frame; components that are missing are 0."""
    get, radians = frame.get, math.radians
    a, b, c = radians(get("A") or 0.0), radians(get("B") or 0.0), radians(get("C") or 0.0)
    sa, ca, sb, cb, sc, cc = math.sin(a), math.cos(a), math.sin(b), math.cos(b), math.sin(c), math.cos(c)
    x, y, z = get("X") or 0.0, get("Y") or 0.0, get("Z") or 0.0
    return (
        ca * cb, ca * sb * sc - sa * cc, ca * sb * cc + sa * sc, x,
        sa * cb, sa * sb * sc + ca * cc, sa * sb * cc - ca * sc, y,
        -sb, cb * sc, cb * cc, z,
    )  # fmt: skip


def frame_of_rows(m: Rows) -> dict[str, Value]:
    """Return the frame of a matrix; at B = ±90° C is 0."""
    level = math.hypot(m[0], m[4])
    a = math.atan2(-m[1], m[5]) if level < UPRIGHT else math.atan2(m[4], m[0])
    s, c = math.sin(a), math.cos(a)
    roll = 0.0 if level < UPRIGHT else math.atan2(s * m[2] - c * m[6], c * m[5] - s * m[1])
    angles = (math.degrees(a), math.degrees(math.atan2(-m[8], level)), math.degrees(roll))
    return dict(zip(LETTERS, (m[3], m[7], m[11], *angles), strict=True))


def composed(left: dict[str, Value], right: dict[str, Value]) -> dict[str, Value]:
    """Return `left : right`: the frame `right`, given in coordinates of `left`, in those that `left` is given in.

    Status, turn and external axes are those of `right`.
    """
    p, q = rows_of(left), rows_of(right)
    product = tuple(
        p[4 * i] * q[j] + p[4 * i + 1] * q[4 + j] + p[4 * i + 2] * q[8 + j] + (p[4 * i + 3] if j == 3 else 0.0)
        for i in range(3)
        for j in range(4)
    )
    rest = {name: value for name, value in right.items() if name not in LETTERS}
    return {**frame_of_rows(product), **rest}  # type: ignore[arg-type]  # twelve numbers


def inverted(frame: dict[str, Value]) -> dict[str, Value]:
    """Return INV_POS(frame)."""
    m = rows_of(frame)
    shift = [-(m[i] * m[3] + m[4 + i] * m[7] + m[8 + i] * m[11]) for i in range(3)]
    rest = {name: value for name, value in frame.items() if name not in LETTERS}
    inverse = (m[0], m[4], m[8], shift[0], m[1], m[5], m[9], shift[1], m[2], m[6], m[10], shift[2])
    return {**frame_of_rows(inverse), **rest}


def as_matrix(frame: dict[str, Value], span: Span) -> Floats:
    """Return a frame as a pose (4, 4) in metres."""
    for name in LETTERS:
        value = frame.get(name)
        if value and not -FARTHEST <= value <= FARTHEST:
            raise Fault(
                "krl_not_finite", _("a component of the position is not a number that an arm can move to"), span
            )
    m = rows_of(frame)
    x, y, z = m[3] / MM_PER_M, m[7] / MM_PER_M, m[11] / MM_PER_M
    return np.array((*m[:3], x, *m[4:7], y, *m[8:11], z, 0.0, 0.0, 0.0, 1.0)).reshape(4, 4)


def as_frame(T: Floats) -> dict[str, Value]:
    """Return a pose (4, 4) in metres as a frame."""
    x, y, z = T[:3, 3] * MM_PER_M
    a, b, c = pose.as_abc(T) * DEG_PER_RAD
    return dict(zip(LETTERS, map(float, (x, y, z, a, b, c)), strict=True))
