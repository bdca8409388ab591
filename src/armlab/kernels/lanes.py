"""A block of states in lanes: what the kernels of rigid bodies share.

Kernels over many states work on blocks of LANES of them. A block's workspace `w` has one row of LANES numbers per
quantity, at places known at compile time, so that LLVM turns the inner loops into vector instructions.
"""

from __future__ import annotations

from armlab.arrays import Floats
from armlab.kernels.jit import inlined
from armlab.kernels.trig import sincos

LANES = 16
FASTEST = 1e12
"""Speeds and accelerations beyond this (rad or m per s, per s²) are refused: their squares would soon overflow."""

# rows of the workspace: the joint's value, speed and acceleration, sine and cosine of its value,
Q, QD, QDD, S, C = range(5)
WX, WY, WZ = 5, 6, 7  # ω, angular velocity of the frame
AX, AY, AZ = 8, 9, 10  # α, its angular acceleration
LX, LY, LZ = 11, 12, 13  # a, acceleration of its origin, gravity included


@inlined
def rest_into(gravity: Floats, w: Floats) -> None:
    """Write the motion of the base: at rest, ω = α = 0, it accelerates against gravity, so that bodies have weight."""
    for j in range(6 * LANES):
        w[WX * LANES + j] = 0.0
    for axis in range(3):
        for j in range(LANES):
            w[(LX + axis) * LANES + j] = -gravity[axis]


@inlined
def load_into(rows: Floats, first: int, count: int, joint: int, most: float, w: Floats, row: int) -> float:
    """Copy one joint's column of a block of `rows` to a row of `w`; return how many values are not usable."""
    bad = 0.0
    for j in range(count):
        value = rows[first + j, joint]
        w[row * LANES + j] = value
        bad += 0.0 if abs(value) <= most else 1.0
    return bad


@inlined
def copy_rows(source: Floats, source_row: int, target: Floats, target_row: int, rows: int) -> None:
    """Copy rows of one workspace to another."""
    a, b = source_row * LANES, target_row * LANES
    for j in range(rows * LANES):
        target[b + j] = source[a + j]


@inlined
def sines_into(w: Floats) -> None:
    """Write sine and cosine of the joint's value."""
    for j in range(LANES):
        s, c = sincos(w[Q * LANES + j])
        w[S * LANES + j] = s
        w[C * LANES + j] = c


@inlined
def next_motion_into(a: Floats, is_revolute: bool, w: Floats) -> None:
    """Carry ω, α and the acceleration of the origin through the fixed frame `a` (12,) and its joint."""
    r0, r1, r2, r3, r4, r5 = a[0], a[1], a[2], a[3], a[4], a[5]
    r6, r7, r8, px, py, pz = a[6], a[7], a[8], a[9], a[10], a[11]
    for j in range(LANES):
        wx, wy, wz = w[WX * LANES + j], w[WY * LANES + j], w[WZ * LANES + j]
        ax, ay, az = w[AX * LANES + j], w[AY * LANES + j], w[AZ * LANES + j]
        # Rᵀ (a + α × p + ω × (ω × p)), where ω × (ω × p) = ω (ω·p) - (ω·ω) p; likewise Rᵀ ω and Rᵀ α
        wp = wx * px + wy * py + wz * pz
        ww = wx * wx + wy * wy + wz * wz
        lx = w[LX * LANES + j] + (ay * pz - az * py) + (wx * wp - ww * px)
        ly = w[LY * LANES + j] + (az * px - ax * pz) + (wy * wp - ww * py)
        lz = w[LZ * LANES + j] + (ax * py - ay * px) + (wz * wp - ww * pz)
        w[WX * LANES + j] = r0 * wx + r3 * wy + r6 * wz
        w[WY * LANES + j] = r1 * wx + r4 * wy + r7 * wz
        w[WZ * LANES + j] = r2 * wx + r5 * wy + r8 * wz
        w[AX * LANES + j] = r0 * ax + r3 * ay + r6 * az
        w[AY * LANES + j] = r1 * ax + r4 * ay + r7 * az
        w[AZ * LANES + j] = r2 * ax + r5 * ay + r8 * az
        w[LX * LANES + j] = r0 * lx + r3 * ly + r6 * lz
        w[LY * LANES + j] = r1 * lx + r4 * ly + r7 * lz
        w[LZ * LANES + j] = r2 * lx + r5 * ly + r8 * lz
    if is_revolute:
        for j in range(LANES):
            # ω' = Rz(q)ᵀ ω + q̇ z,  α' = Rz(q)ᵀ α + q̈ z + ω' × q̇ z,  a' = Rz(q)ᵀ a
            s, c, qd = w[S * LANES + j], w[C * LANES + j], w[QD * LANES + j]
            wx, wy = w[WX * LANES + j], w[WY * LANES + j]
            ax, ay = w[AX * LANES + j], w[AY * LANES + j]
            lx, ly = w[LX * LANES + j], w[LY * LANES + j]
            wx, wy = c * wx + s * wy, c * wy - s * wx
            w[WX * LANES + j], w[WY * LANES + j] = wx, wy
            w[WZ * LANES + j] += qd
            w[AX * LANES + j] = c * ax + s * ay + wy * qd
            w[AY * LANES + j] = c * ay - s * ax - wx * qd
            w[AZ * LANES + j] += w[QDD * LANES + j]
            w[LX * LANES + j] = c * lx + s * ly
            w[LY * LANES + j] = c * ly - s * lx
    else:
        for j in range(LANES):
            # a' = a + α × q z + ω × (ω × q z) + 2 ω × q̇ z + q̈ z
            q, qd2 = w[Q * LANES + j], 2.0 * w[QD * LANES + j]
            wx, wy, wz = w[WX * LANES + j], w[WY * LANES + j], w[WZ * LANES + j]
            ax, ay = w[AX * LANES + j], w[AY * LANES + j]
            w[LX * LANES + j] += q * (ay + wx * wz) + qd2 * wy
            w[LY * LANES + j] += q * (wy * wz - ax) - qd2 * wx
            w[LZ * LANES + j] += w[QDD * LANES + j] - q * (wx * wx + wy * wy)
