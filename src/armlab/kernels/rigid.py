"""Newton, Euler and the mass matrix of a serial chain of rigid bodies.

A chain is `constants` and `revolute` as in armlab.kernels.chain. `bodies` (n, 10) is what each joint carries, in the
z-aligned frame that moves with the joint: mass, mass times centre (3), inertia about the frame's origin (xx, xy, xz,
yy, yz, zz). The tool belongs to the last body.

The kernels work on blocks of LANES states. A block's workspace `w` has one row of LANES numbers per quantity, at
places known at compile time, so that LLVM turns the inner loops into vector instructions; what has to be kept per
joint is copied to `kept`.

Kernels do not raise. They return True when every number was usable: joint values within ±LARGEST, speeds and
accelerations within ±FASTEST; otherwise what they wrote is worthless.
"""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import inlined, kernel
from armlab.kernels.trig import LARGEST, sincos

LANES = 16
FASTEST = 1e12
"""Speeds and accelerations beyond this (rad or m per s, per s²) are refused: their squares would soon overflow."""
SMALLEST_PIVOT = 1e-13
"""A joint's own inertia below this share of the largest one is rounding: there is none."""

_Q, _QD, _QDD, _S, _C = range(5)
_FORCES = 8  # kept per joint by Newton and Euler: sine, cosine (or the joint value), force (3), moment (3)
_MASSES = 15  # kept per joint by the mass matrix: angular and linear velocity of unit speed, h (3), I (6)


@inlined
def _load(rows: Floats, first: int, count: int, joint: int, most: float, w: Floats, row: int) -> float:
    """Copy one joint's column of a block of `rows` to a row of `w`; return how many values are not usable."""
    bad = 0.0
    for j in range(count):
        value = rows[first + j, joint]
        w[row * LANES + j] = value
        bad += 0.0 if abs(value) <= most else 1.0
    return bad


@inlined
def _copy(source: Floats, source_row: int, target: Floats, target_row: int, rows: int) -> None:
    a, b = source_row * LANES, target_row * LANES
    for j in range(rows * LANES):
        target[b + j] = source[a + j]


@inlined
def _sines(w: Floats) -> None:
    for j in range(LANES):
        s, c = sincos(w[_Q * LANES + j])
        w[_S * LANES + j] = s
        w[_C * LANES + j] = c


@inlined
def _next_motion(a: Floats, is_revolute: bool, w: Floats) -> None:
    """Carry ω, α and the acceleration of the origin (rows 5 to 13) through the fixed frame `a` (12,) and its joint."""
    r0, r1, r2, r3, r4, r5 = a[0], a[1], a[2], a[3], a[4], a[5]
    r6, r7, r8, px, py, pz = a[6], a[7], a[8], a[9], a[10], a[11]
    for j in range(LANES):
        wx, wy, wz = w[5 * LANES + j], w[6 * LANES + j], w[7 * LANES + j]
        ax, ay, az = w[8 * LANES + j], w[9 * LANES + j], w[10 * LANES + j]
        wp = wx * px + wy * py + wz * pz
        ww = wx * wx + wy * wy + wz * wz
        lx = w[11 * LANES + j] + (ay * pz - az * py) + (wx * wp - ww * px)
        ly = w[12 * LANES + j] + (az * px - ax * pz) + (wy * wp - ww * py)
        lz = w[13 * LANES + j] + (ax * py - ay * px) + (wz * wp - ww * pz)
        w[5 * LANES + j] = r0 * wx + r3 * wy + r6 * wz
        w[6 * LANES + j] = r1 * wx + r4 * wy + r7 * wz
        w[7 * LANES + j] = r2 * wx + r5 * wy + r8 * wz
        w[8 * LANES + j] = r0 * ax + r3 * ay + r6 * az
        w[9 * LANES + j] = r1 * ax + r4 * ay + r7 * az
        w[10 * LANES + j] = r2 * ax + r5 * ay + r8 * az
        w[11 * LANES + j] = r0 * lx + r3 * ly + r6 * lz
        w[12 * LANES + j] = r1 * lx + r4 * ly + r7 * lz
        w[13 * LANES + j] = r2 * lx + r5 * ly + r8 * lz
    if is_revolute:
        for j in range(LANES):
            s, c, qd = w[_S * LANES + j], w[_C * LANES + j], w[_QD * LANES + j]
            wx, wy = w[5 * LANES + j], w[6 * LANES + j]
            ax, ay = w[8 * LANES + j], w[9 * LANES + j]
            lx, ly = w[11 * LANES + j], w[12 * LANES + j]
            wx, wy = c * wx + s * wy, c * wy - s * wx
            w[5 * LANES + j], w[6 * LANES + j] = wx, wy
            w[7 * LANES + j] += qd
            w[8 * LANES + j] = c * ax + s * ay + wy * qd
            w[9 * LANES + j] = c * ay - s * ax - wx * qd
            w[10 * LANES + j] += w[_QDD * LANES + j]
            w[11 * LANES + j] = c * lx + s * ly
            w[12 * LANES + j] = c * ly - s * lx
    else:
        for j in range(LANES):
            q, qd2 = w[_Q * LANES + j], 2.0 * w[_QD * LANES + j]
            wx, wy, wz = w[5 * LANES + j], w[6 * LANES + j], w[7 * LANES + j]
            ax, ay = w[8 * LANES + j], w[9 * LANES + j]
            w[11 * LANES + j] += q * (ay + wx * wz) + qd2 * wy
            w[12 * LANES + j] += q * (wy * wz - ax) - qd2 * wx
            w[13 * LANES + j] += w[_QDD * LANES + j] - q * (wx * wx + wy * wy)


@inlined
def _forces(b: Floats, w: Floats) -> None:
    """Write force and moment (rows 14 to 19) that move the body `b` (10,) as rows 5 to 13 say."""
    m, hx, hy, hz = b[0], b[1], b[2], b[3]
    xx, xy, xz, yy, yz, zz = b[4], b[5], b[6], b[7], b[8], b[9]
    for j in range(LANES):
        wx, wy, wz = w[5 * LANES + j], w[6 * LANES + j], w[7 * LANES + j]
        ax, ay, az = w[8 * LANES + j], w[9 * LANES + j], w[10 * LANES + j]
        lx, ly, lz = w[11 * LANES + j], w[12 * LANES + j], w[13 * LANES + j]
        wh = wx * hx + wy * hy + wz * hz
        ww = wx * wx + wy * wy + wz * wz
        w[14 * LANES + j] = m * lx + (ay * hz - az * hy) + (wx * wh - ww * hx)
        w[15 * LANES + j] = m * ly + (az * hx - ax * hz) + (wy * wh - ww * hy)
        w[16 * LANES + j] = m * lz + (ax * hy - ay * hx) + (wz * wh - ww * hz)
        ix = xx * wx + xy * wy + xz * wz
        iy = xy * wx + yy * wy + yz * wz
        iz = xz * wx + yz * wy + zz * wz
        w[17 * LANES + j] = xx * ax + xy * ay + xz * az + (wy * iz - wz * iy) + (hy * lz - hz * ly)
        w[18 * LANES + j] = xy * ax + yy * ay + yz * az + (wz * ix - wx * iz) + (hz * lx - hx * lz)
        w[19 * LANES + j] = xz * ax + yz * ay + zz * az + (wx * iy - wy * ix) + (hx * ly - hy * lx)


@inlined
def _hand_down(a: Floats, is_revolute: bool, w: Floats) -> None:
    """Turn force and moment (rows 14 to 19) at a joint into those at its parent's frame; sine and cosine in 3, 4."""
    r0, r1, r2, r3, r4, r5 = a[0], a[1], a[2], a[3], a[4], a[5]
    r6, r7, r8, px, py, pz = a[6], a[7], a[8], a[9], a[10], a[11]
    if is_revolute:
        for j in range(LANES):
            s, c = w[_S * LANES + j], w[_C * LANES + j]
            fx, fy = w[14 * LANES + j], w[15 * LANES + j]
            nx, ny = w[17 * LANES + j], w[18 * LANES + j]
            w[14 * LANES + j] = c * fx - s * fy
            w[15 * LANES + j] = s * fx + c * fy
            w[17 * LANES + j] = c * nx - s * ny
            w[18 * LANES + j] = s * nx + c * ny
    else:
        for j in range(LANES):
            q = w[_S * LANES + j]
            w[17 * LANES + j] -= q * w[15 * LANES + j]
            w[18 * LANES + j] += q * w[14 * LANES + j]
    for j in range(LANES):
        fx, fy, fz = w[14 * LANES + j], w[15 * LANES + j], w[16 * LANES + j]
        nx, ny, nz = w[17 * LANES + j], w[18 * LANES + j], w[19 * LANES + j]
        gx = r0 * fx + r1 * fy + r2 * fz
        gy = r3 * fx + r4 * fy + r5 * fz
        gz = r6 * fx + r7 * fy + r8 * fz
        w[14 * LANES + j], w[15 * LANES + j], w[16 * LANES + j] = gx, gy, gz
        w[17 * LANES + j] = r0 * nx + r1 * ny + r2 * nz + (py * gz - pz * gy)
        w[18 * LANES + j] = r3 * nx + r4 * ny + r5 * nz + (pz * gx - px * gz)
        w[19 * LANES + j] = r6 * nx + r7 * ny + r8 * nz + (px * gy - py * gx)


@kernel
def inverse_dynamics_into(
    constants: Floats,
    revolute: Floats,
    bodies: Floats,
    gravity: Floats,
    q: Floats,
    qd: Floats,
    qdd: Floats,
    out: Floats,
) -> bool:
    """Write the joint forces of the rows of `q`, `qd`, `qdd` (m, n) to `out` (m, n), by Newton and Euler.

    `gravity` (3,) is the acceleration of a falling body in the world.
    """
    n = q.shape[1]
    w = np.zeros(20 * LANES)  # values 0-4, ω 5-7, α 8-10, acceleration 11-13, force 14-16, moment 17-19
    kept = np.empty(_FORCES * n * LANES)
    bad = 0.0
    for first in range(0, q.shape[0], LANES):
        count = min(LANES, q.shape[0] - first)
        for j in range(6 * LANES):
            w[5 * LANES + j] = 0.0
        for axis in range(3):
            for j in range(LANES):
                w[(11 + axis) * LANES + j] = -gravity[axis]
        for i in range(n):
            is_revolute = revolute[i] > 0.5
            bad += _load(q, first, count, i, LARGEST, w, _Q)
            bad += _load(qd, first, count, i, FASTEST, w, _QD)
            bad += _load(qdd, first, count, i, FASTEST, w, _QDD)
            if is_revolute:
                _sines(w)
                _copy(w, _S, kept, _FORCES * i, 2)
            else:
                _copy(w, _Q, kept, _FORCES * i, 1)
            _next_motion(constants[i], is_revolute, w)
            _forces(bodies[i], w)
            _copy(w, 14, kept, _FORCES * i + 2, 6)
        for j in range(6 * LANES):
            w[14 * LANES + j] = 0.0
        for i in range(n - 1, -1, -1):
            is_revolute = revolute[i] > 0.5
            k = (_FORCES * i + 2) * LANES
            for j in range(6 * LANES):
                w[14 * LANES + j] += kept[k + j]
            row = 19 if is_revolute else 16
            for j in range(count):
                out[first + j, i] = w[row * LANES + j]
            _copy(kept, _FORCES * i, w, _S, 2)
            _hand_down(constants[i], is_revolute, w)
    return bad == 0.0


@inlined
def _next_frame(a: Floats, w: Floats) -> None:
    """Move the running poses (rows 5 to 16) through the fixed frame `a` (12,)."""
    a0, a1, a2, a3, a4, a5 = a[0], a[1], a[2], a[3], a[4], a[5]
    a6, a7, a8, px, py, pz = a[6], a[7], a[8], a[9], a[10], a[11]
    for row in range(3):
        o0, o1, o2, op = (5 + 3 * row) * LANES, (6 + 3 * row) * LANES, (7 + 3 * row) * LANES, (14 + row) * LANES
        for j in range(LANES):
            u0, u1, u2 = w[o0 + j], w[o1 + j], w[o2 + j]
            w[op + j] += u0 * px + u1 * py + u2 * pz
            w[o0 + j] = u0 * a0 + u1 * a3 + u2 * a6
            w[o1 + j] = u0 * a1 + u1 * a4 + u2 * a7
            w[o2 + j] = u0 * a2 + u1 * a5 + u2 * a8


@inlined
def _turn_frame(is_revolute: bool, w: Floats) -> None:
    """Move the running poses (rows 5 to 16) by their joint."""
    if is_revolute:
        _sines(w)
        for row in range(3):
            o0, o1 = (5 + 3 * row) * LANES, (6 + 3 * row) * LANES
            for j in range(LANES):
                s, c = w[_S * LANES + j], w[_C * LANES + j]
                u0, u1 = w[o0 + j], w[o1 + j]
                w[o0 + j], w[o1 + j] = u0 * c + u1 * s, u1 * c - u0 * s
    else:
        for row in range(3):
            o2, op = (7 + 3 * row) * LANES, (14 + row) * LANES
            for j in range(LANES):
                w[op + j] += w[o2 + j] * w[_Q * LANES + j]


@inlined
def _unit_motion(is_revolute: bool, w: Floats) -> None:
    """Write what unit speed of the joint does (rows 17 to 22): angular velocity, velocity of the origin."""
    if is_revolute:
        for j in range(LANES):
            zx, zy, zz = w[7 * LANES + j], w[10 * LANES + j], w[13 * LANES + j]
            x, y, z = w[14 * LANES + j], w[15 * LANES + j], w[16 * LANES + j]
            w[17 * LANES + j], w[18 * LANES + j], w[19 * LANES + j] = zx, zy, zz
            w[20 * LANES + j], w[21 * LANES + j], w[22 * LANES + j] = y * zz - z * zy, z * zx - x * zz, x * zy - y * zx
    else:
        for j in range(LANES):
            w[17 * LANES + j], w[18 * LANES + j], w[19 * LANES + j] = 0.0, 0.0, 0.0
            w[20 * LANES + j] = w[7 * LANES + j]
            w[21 * LANES + j] = w[10 * LANES + j]
            w[22 * LANES + j] = w[13 * LANES + j]


@inlined
def _body_about_origin(b: Floats, w: Floats) -> None:
    """Write mass times centre (rows 23 to 25) and inertia (26 to 31) of the body `b` (10,) about the common origin."""
    m, hx, hy, hz = b[0], b[1], b[2], b[3]
    xx, xy, xz, yy, yz, zz = b[4], b[5], b[6], b[7], b[8], b[9]
    for j in range(LANES):
        r0, r1, r2 = w[5 * LANES + j], w[6 * LANES + j], w[7 * LANES + j]
        r3, r4, r5 = w[8 * LANES + j], w[9 * LANES + j], w[10 * LANES + j]
        r6, r7, r8 = w[11 * LANES + j], w[12 * LANES + j], w[13 * LANES + j]
        x, y, z = w[14 * LANES + j], w[15 * LANES + j], w[16 * LANES + j]
        gx = r0 * hx + r1 * hy + r2 * hz
        gy = r3 * hx + r4 * hy + r5 * hz
        gz = r6 * hx + r7 * hy + r8 * hz
        kx, ky, kz = gx + m * x, gy + m * y, gz + m * z
        w[23 * LANES + j], w[24 * LANES + j], w[25 * LANES + j] = kx, ky, kz
        u0, u1, u2 = r0 * xx + r1 * xy + r2 * xz, r0 * xy + r1 * yy + r2 * yz, r0 * xz + r1 * yz + r2 * zz
        u3, u4, u5 = r3 * xx + r4 * xy + r5 * xz, r3 * xy + r4 * yy + r5 * yz, r3 * xz + r4 * yz + r5 * zz
        u6, u7, u8 = r6 * xx + r7 * xy + r8 * xz, r6 * xy + r7 * yy + r8 * yz, r6 * xz + r7 * yz + r8 * zz
        ex, ey, ez = gx + kx, gy + ky, gz + kz
        w[26 * LANES + j] = u0 * r0 + u1 * r1 + u2 * r2 + (y * ey + z * ez)
        w[27 * LANES + j] = u0 * r3 + u1 * r4 + u2 * r5 - (x * gy + kx * y)
        w[28 * LANES + j] = u0 * r6 + u1 * r7 + u2 * r8 - (x * gz + kx * z)
        w[29 * LANES + j] = u3 * r3 + u4 * r4 + u5 * r5 + (x * ex + z * ez)
        w[30 * LANES + j] = u3 * r6 + u4 * r7 + u5 * r8 - (y * gz + ky * z)
        w[31 * LANES + j] = u6 * r6 + u7 * r7 + u8 * r8 + (x * ex + y * ey)


@inlined
def _momentum(m: float, w: Floats) -> None:
    """Write angular and linear momentum (rows 5 to 10) of a body (mass `m`, rows 23 to 31) that moves as 17 to 22."""
    for j in range(LANES):
        wx, wy, wz = w[17 * LANES + j], w[18 * LANES + j], w[19 * LANES + j]
        vx, vy, vz = w[20 * LANES + j], w[21 * LANES + j], w[22 * LANES + j]
        hx, hy, hz = w[23 * LANES + j], w[24 * LANES + j], w[25 * LANES + j]
        xx, xy, xz = w[26 * LANES + j], w[27 * LANES + j], w[28 * LANES + j]
        yy, yz, zz = w[29 * LANES + j], w[30 * LANES + j], w[31 * LANES + j]
        w[5 * LANES + j] = xx * wx + xy * wy + xz * wz + (hy * vz - hz * vy)
        w[6 * LANES + j] = xy * wx + yy * wy + yz * wz + (hz * vx - hx * vz)
        w[7 * LANES + j] = xz * wx + yz * wy + zz * wz + (hx * vy - hy * vx)
        w[8 * LANES + j] = m * vx + (wy * hz - wz * hy)
        w[9 * LANES + j] = m * vy + (wz * hx - wx * hz)
        w[10 * LANES + j] = m * vz + (wx * hy - wy * hx)


@kernel
def mass_matrix_into(constants: Floats, revolute: Floats, bodies: Floats, q: Floats, out: Floats) -> bool:
    """Write the mass matrices at the rows of `q` (m, n) to `out` (m, n, n).

    All bodies are taken about one point, the first joint's origin: then composite bodies are plain sums.
    """
    n = q.shape[1]
    w = np.zeros(32 * LANES)  # values 0-4, pose 5-16, unit motion 17-22, body 23-31; on the way back momentum 5-10
    kept = np.empty(_MASSES * n * LANES)
    bad = 0.0
    for first in range(0, q.shape[0], LANES):
        count = min(LANES, q.shape[0] - first)
        for j in range(12 * LANES):
            w[5 * LANES + j] = 0.0
        for j in range(LANES):
            w[5 * LANES + j], w[9 * LANES + j], w[13 * LANES + j] = 1.0, 1.0, 1.0
        for i in range(n):
            is_revolute = revolute[i] > 0.5
            bad += _load(q, first, count, i, LARGEST, w, _Q)
            if i > 0:
                _next_frame(constants[i], w)
            _turn_frame(is_revolute, w)
            _unit_motion(is_revolute, w)
            _body_about_origin(bodies[i], w)
            _copy(w, 17, kept, _MASSES * i, _MASSES)
        mass = 0.0
        for j in range(9 * LANES):
            w[23 * LANES + j] = 0.0
        for i in range(n - 1, -1, -1):
            mass += bodies[i, 0]
            k = (_MASSES * i + 6) * LANES
            for j in range(9 * LANES):
                w[23 * LANES + j] += kept[k + j]
            _copy(kept, _MASSES * i, w, 17, 6)
            _momentum(mass, w)
            for other in range(i + 1):
                _copy(kept, _MASSES * other, w, 17, 6)
                for j in range(LANES):
                    w[j] = (
                        w[17 * LANES + j] * w[5 * LANES + j]
                        + w[18 * LANES + j] * w[6 * LANES + j]
                        + w[19 * LANES + j] * w[7 * LANES + j]
                        + w[20 * LANES + j] * w[8 * LANES + j]
                        + w[21 * LANES + j] * w[9 * LANES + j]
                        + w[22 * LANES + j] * w[10 * LANES + j]
                    )
                for j in range(count):
                    out[first + j, i, other] = w[j]
                    out[first + j, other, i] = w[j]
    return bad == 0.0


@kernel
def solve_into(M: Floats, x: Floats) -> int:
    """Replace the rows of `x` (m, n) by M⁻¹ x for the symmetric matrices `M` (m, n, n), which are overwritten.

    Returns -1, or the first joint at which a matrix is not positive definite.
    """
    n = x.shape[1]
    for m in range(x.shape[0]):
        L, b = M[m], x[m]
        least = 0.0
        for i in range(n):
            least = max(least, SMALLEST_PIVOT * L[i, i])
        for i in range(n):
            rest = L[i, i]
            for j in range(i):
                value = L[i, j]
                for k in range(j):
                    value -= L[i, k] * L[j, k]
                value *= L[j, j]
                L[i, j] = value
                rest -= value * value
            if not rest > least:
                return i
            L[i, i] = 1.0 / np.sqrt(rest)
            value = b[i]
            for k in range(i):
                value -= L[i, k] * b[k]
            b[i] = value * L[i, i]
        for i in range(n - 1, -1, -1):
            value = b[i]
            for k in range(i + 1, n):
                value -= L[k, i] * b[k]
            b[i] = value * L[i, i]
    return -1
