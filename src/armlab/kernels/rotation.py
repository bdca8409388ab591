"""Errors of orientation: how one rotation is turned into another."""

from __future__ import annotations

import math

from armlab.kernels.jit import inlined


@inlined
def quaternion(
    m00: float,
    m01: float,
    m02: float,
    m10: float,
    m11: float,
    m12: float,
    m20: float,
    m21: float,
    m22: float,
) -> tuple[float, float, float, float]:
    """Return (w, x, y, z) of the unit quaternion of a rotation matrix, with w ≥ 0.

    Of the four ways to write it, the one with the largest square root is taken (Shepperd 1978), so that nothing is
    lost at small angles nor at half turns. There are no branches, only choices: LLVM can do one rotation per lane.
    """
    # 4w² = 1 + trace, 4x² = 1 + 2 m00 - trace, …; 4wx = a, 4wy = b, 4wz = c, 4xy = d, 4xz = e, 4yz = f
    trace = m00 + m11 + m22
    a, b, c = m21 - m12, m02 - m20, m10 - m01
    d, e, f = m01 + m10, m02 + m20, m12 + m21
    largest = m11 if m11 > m00 else m00
    largest = m22 if m22 > largest else largest
    real = trace > largest
    first = m00 >= largest
    second = m11 >= largest
    # `square` is 4 times the largest of w², x², y², z²; below, w, x, y, z are times 4 and that largest one
    square = 1.0 + (trace if real else 2.0 * largest - trace)
    w = square if real else (a if first else (b if second else c))
    x = a if real else (square if first else (d if second else e))
    y = b if real else (d if first else (square if second else f))
    z = c if real else (e if first else (f if second else square))
    scale = 0.5 / math.sqrt(square)
    scale = -scale if w < 0.0 else scale
    return scale * w, scale * x, scale * y, scale * z


@inlined
def quaternion_between(
    t: tuple[float, float, float, float, float, float, float, float, float],
    r: tuple[float, float, float, float, float, float, float, float, float],
) -> tuple[float, float, float, float]:
    """Return the quaternion of t rᵀ, the turn that takes the rotation `r` to `t` (both 3×3, row by row)."""
    return quaternion(
        t[0] * r[0] + t[1] * r[1] + t[2] * r[2],
        t[0] * r[3] + t[1] * r[4] + t[2] * r[5],
        t[0] * r[6] + t[1] * r[7] + t[2] * r[8],
        t[3] * r[0] + t[4] * r[1] + t[5] * r[2],
        t[3] * r[3] + t[4] * r[4] + t[5] * r[5],
        t[3] * r[6] + t[4] * r[7] + t[5] * r[8],
        t[6] * r[0] + t[7] * r[1] + t[8] * r[2],
        t[6] * r[3] + t[7] * r[4] + t[8] * r[5],
        t[6] * r[6] + t[7] * r[7] + t[8] * r[8],
    )
