"""Unit quaternions wxyz in registers: products, turns, and the exponential.

q = (w, u) with u = (x, y, z) means the rotation R(q) by 2 acos w about u.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from armlab.kernels.jit import kernel

Q4: TypeAlias = tuple[float, float, float, float]
V3: TypeAlias = tuple[float, float, float]


@kernel
def product(a: Q4, b: Q4) -> Q4:
    """Return a ⊗ b."""
    # (w₁w₂ − u₁·u₂,  w₁u₂ + w₂u₁ + u₁ × u₂)
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel
def turned(q: Q4, v: V3) -> V3:
    """Return R(q) v."""
    # v + w t + u × t with t = 2 u × v: q ⊗ v ⊗ q* with |q| = 1, without the matrix
    w, x, y, z = q
    tx, ty, tz = 2.0 * (y * v[2] - z * v[1]), 2.0 * (z * v[0] - x * v[2]), 2.0 * (x * v[1] - y * v[0])
    return (
        v[0] + w * tx + y * tz - z * ty,
        v[1] + w * ty + z * tx - x * tz,
        v[2] + w * tz + x * ty - y * tx,
    )


@kernel
def turned_back(q: Q4, v: V3) -> V3:
    """Return R(q)ᵀ v."""
    # R(q)ᵀ = R(q*), q* = (w, −u)
    return turned((q[0], -q[1], -q[2], -q[3]), v)


@kernel
def exponential(x: float, y: float, z: float) -> Q4:
    """Return the quaternion of the rotation vector (x, y, z)."""
    # (cos h, φ sin(h)/2h) with h = |φ|/2; square = h²
    square = 0.25 * (x * x + y * y + z * z)
    if square < 1e-8:  # sin(h)/h = 1 − h²/6 …, cos h = 1 − h²/2 + h⁴/24 …: exact to the last bit here
        scale = 0.5 * (1.0 - square / 6.0)
        return 1.0 - square / 2.0 + square * square / 24.0, scale * x, scale * y, scale * z
    half = math.sqrt(square)
    scale = 0.5 * math.sin(half) / half
    return math.cos(half), scale * x, scale * y, scale * z


@kernel
def unit(q: Q4) -> Q4:
    """Return q with length one."""
    # q/|q|
    scale = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale
