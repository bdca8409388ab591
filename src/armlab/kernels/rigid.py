"""Newton, Euler and the mass matrix of a serial chain of rigid bodies.

A chain is `constants` and `revolute` as in armlab.kernels.chain. `bodies` (n, 10) is what each joint carries, in the
z-aligned frame that moves with the joint: mass, mass times centre (3), inertia about the frame's origin (xx, xy, xz,
yy, yz, zz). The tool belongs to the last body.

The kernels work on blocks of states in lanes (armlab.kernels.lanes); what has to be kept per joint is copied to `kept`.

Kernels do not raise. They return True when every number was usable: joint values within ±LARGEST, speeds and
accelerations within ±FASTEST; otherwise what they wrote is worthless.
"""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import inlined, kernel
from armlab.kernels.lanes import (
    AX,
    AY,
    AZ,
    FASTEST,
    LANES,
    LX,
    LY,
    LZ,
    QD,
    QDD,
    WX,
    WY,
    WZ,
    C,
    Q,
    S,
    copy_rows,
    load_into,
    next_motion_into,
    rest_into,
    sines_into,
)
from armlab.kernels.trig import LARGEST

# rows of the workspace after those of the motion: for forces,
_FX, _FY, _FZ = 14, 15, 16  # f, force through the joint
_NX, _NY, _NZ = 17, 18, 19  # n, moment about the frame's origin
_FORCE_ROWS = 20
# or, for the mass matrix,
_R0, _R1, _R2, _R3, _R4, _R5, _R6, _R7, _R8 = range(5, 14)  # R, rotation of the frame, row by row
_PX, _PY, _PZ = 14, 15, 16  # p, its origin
_UX, _UY, _UZ, _VX, _VY, _VZ = range(17, 23)  # what unit speed of the joint does: angular velocity u, velocity v at 0
_HX, _HY, _HZ = 23, 24, 25  # h, mass times centre
_IXX, _IXY, _IXZ, _IYY, _IYZ, _IZZ = range(26, 32)  # I, inertia about the common origin
_MASS_ROWS = 32
_KX, _KY, _KZ, _GX, _GY, _GZ = range(5, 11)  # on the way back, in place of R: angular and linear momentum
_FORCES = 8  # kept per joint by Newton and Euler: sine, cosine (or the joint value), force (3), moment (3)
_JOINT, _WRENCH = 2, 6  # of these, how many are of the joint, and how many force and moment
_UNIT_MOTION = 6  # rows of u and v
_MASSES = 15  # kept per joint by the mass matrix: angular and linear velocity of unit speed, h (3), I (6)


@inlined
def _forces(b: Floats, w: Floats) -> None:
    """Write the force f and moment n that move the body `b` (10,) as ω, α and a say."""
    m, hx, hy, hz = b[0], b[1], b[2], b[3]
    xx, xy, xz, yy, yz, zz = b[4], b[5], b[6], b[7], b[8], b[9]
    for j in range(LANES):
        wx, wy, wz = w[WX * LANES + j], w[WY * LANES + j], w[WZ * LANES + j]
        ax, ay, az = w[AX * LANES + j], w[AY * LANES + j], w[AZ * LANES + j]
        lx, ly, lz = w[LX * LANES + j], w[LY * LANES + j], w[LZ * LANES + j]
        # Newton: f = m a + α × h + ω × (ω × h)
        wh = wx * hx + wy * hy + wz * hz
        ww = wx * wx + wy * wy + wz * wz
        w[_FX * LANES + j] = m * lx + (ay * hz - az * hy) + (wx * wh - ww * hx)
        w[_FY * LANES + j] = m * ly + (az * hx - ax * hz) + (wy * wh - ww * hy)
        w[_FZ * LANES + j] = m * lz + (ax * hy - ay * hx) + (wz * wh - ww * hz)
        # Euler: n = I α + ω × I ω + h × a
        ix = xx * wx + xy * wy + xz * wz
        iy = xy * wx + yy * wy + yz * wz
        iz = xz * wx + yz * wy + zz * wz
        w[_NX * LANES + j] = xx * ax + xy * ay + xz * az + (wy * iz - wz * iy) + (hy * lz - hz * ly)
        w[_NY * LANES + j] = xy * ax + yy * ay + yz * az + (wz * ix - wx * iz) + (hz * lx - hx * lz)
        w[_NZ * LANES + j] = xz * ax + yz * ay + zz * az + (wx * iy - wy * ix) + (hx * ly - hy * lx)


@inlined
def _hand_down(a: Floats, is_revolute: bool, w: Floats) -> None:
    """Turn force and moment at a joint into those at its parent's frame; the joint value is in S if it slides."""
    r0, r1, r2, r3, r4, r5 = a[0], a[1], a[2], a[3], a[4], a[5]
    r6, r7, r8, px, py, pz = a[6], a[7], a[8], a[9], a[10], a[11]
    if is_revolute:
        # Rz(q) f and Rz(q) n
        for j in range(LANES):
            s, c = w[S * LANES + j], w[C * LANES + j]
            fx, fy = w[_FX * LANES + j], w[_FY * LANES + j]
            nx, ny = w[_NX * LANES + j], w[_NY * LANES + j]
            w[_FX * LANES + j] = c * fx - s * fy
            w[_FY * LANES + j] = s * fx + c * fy
            w[_NX * LANES + j] = c * nx - s * ny
            w[_NY * LANES + j] = s * nx + c * ny
    else:
        for j in range(LANES):
            # the force acts q z away: n' = n + q z × f
            q = w[S * LANES + j]
            w[_NX * LANES + j] -= q * w[_FY * LANES + j]
            w[_NY * LANES + j] += q * w[_FX * LANES + j]
    for j in range(LANES):
        fx, fy, fz = w[_FX * LANES + j], w[_FY * LANES + j], w[_FZ * LANES + j]
        nx, ny, nz = w[_NX * LANES + j], w[_NY * LANES + j], w[_NZ * LANES + j]
        # f' = R f,  n' = R n + p × f'
        gx = r0 * fx + r1 * fy + r2 * fz
        gy = r3 * fx + r4 * fy + r5 * fz
        gz = r6 * fx + r7 * fy + r8 * fz
        w[_FX * LANES + j], w[_FY * LANES + j], w[_FZ * LANES + j] = gx, gy, gz
        w[_NX * LANES + j] = r0 * nx + r1 * ny + r2 * nz + (py * gz - pz * gy)
        w[_NY * LANES + j] = r3 * nx + r4 * ny + r5 * nz + (pz * gx - px * gz)
        w[_NZ * LANES + j] = r6 * nx + r7 * ny + r8 * nz + (px * gy - py * gx)


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

    Motion outwards, forces inwards (Luh, Walker and Paul 1980; Featherstone 2008, section 5.3).

    `gravity` (3,) is the acceleration of a falling body in the world.
    """
    n = q.shape[1]
    w = np.zeros(_FORCE_ROWS * LANES)
    kept = np.empty(_FORCES * n * LANES)
    bad = 0.0
    for first in range(0, q.shape[0], LANES):
        count = min(LANES, q.shape[0] - first)
        rest_into(gravity, w)
        # outwards: motion of each frame, force and moment that its body needs
        for i in range(n):
            is_revolute = revolute[i] > 0.5
            bad += load_into(q, first, count, i, LARGEST, w, Q)
            bad += load_into(qd, first, count, i, FASTEST, w, QD)
            bad += load_into(qdd, first, count, i, FASTEST, w, QDD)
            if is_revolute:
                sines_into(w)
                copy_rows(w, S, kept, _FORCES * i, _JOINT)
            else:
                copy_rows(w, Q, kept, _FORCES * i, 1)
            next_motion_into(constants[i], is_revolute, w)
            _forces(bodies[i], w)
            copy_rows(w, _FX, kept, _FORCES * i + _JOINT, _WRENCH)
        # inwards: sum what each joint carries; along its axis is what the drive gives
        for j in range(6 * LANES):
            w[_FX * LANES + j] = 0.0
        for i in range(n - 1, -1, -1):
            is_revolute = revolute[i] > 0.5
            k = (_FORCES * i + _JOINT) * LANES
            for j in range(_WRENCH * LANES):
                w[_FX * LANES + j] += kept[k + j]
            row = _NZ if is_revolute else _FZ
            for j in range(count):
                out[first + j, i] = w[row * LANES + j]
            copy_rows(kept, _FORCES * i, w, S, _JOINT)
            _hand_down(constants[i], is_revolute, w)
    return bad == 0.0


@inlined
def _next_frame(a: Floats, w: Floats) -> None:
    """Move the running poses R, p through the fixed frame `a` (12,)."""
    a0, a1, a2, a3, a4, a5 = a[0], a[1], a[2], a[3], a[4], a[5]
    a6, a7, a8, px, py, pz = a[6], a[7], a[8], a[9], a[10], a[11]
    for row in range(3):
        o0, o1, o2, op = (_R0 + 3 * row) * LANES, (_R1 + 3 * row) * LANES, (_R2 + 3 * row) * LANES, (_PX + row) * LANES
        for j in range(LANES):
            u0, u1, u2 = w[o0 + j], w[o1 + j], w[o2 + j]
            w[op + j] += u0 * px + u1 * py + u2 * pz
            w[o0 + j] = u0 * a0 + u1 * a3 + u2 * a6
            w[o1 + j] = u0 * a1 + u1 * a4 + u2 * a7
            w[o2 + j] = u0 * a2 + u1 * a5 + u2 * a8


@inlined
def _turn_frame(is_revolute: bool, w: Floats) -> None:
    """Move the running poses R, p by their joint."""
    if is_revolute:
        sines_into(w)
        for row in range(3):
            o0, o1 = (_R0 + 3 * row) * LANES, (_R1 + 3 * row) * LANES
            for j in range(LANES):
                s, c = w[S * LANES + j], w[C * LANES + j]
                u0, u1 = w[o0 + j], w[o1 + j]
                w[o0 + j], w[o1 + j] = u0 * c + u1 * s, u1 * c - u0 * s
    else:
        for row in range(3):
            o2, op = (_R2 + 3 * row) * LANES, (_PX + row) * LANES
            for j in range(LANES):
                w[op + j] += w[o2 + j] * w[Q * LANES + j]


@inlined
def _unit_motion(is_revolute: bool, w: Floats) -> None:
    """Write what unit speed of the joint does: angular velocity u, velocity v of the common origin."""
    if is_revolute:
        # u = z, v = p × z
        for j in range(LANES):
            zx, zy, zz = w[_R2 * LANES + j], w[_R5 * LANES + j], w[_R8 * LANES + j]
            x, y, z = w[_PX * LANES + j], w[_PY * LANES + j], w[_PZ * LANES + j]
            w[_UX * LANES + j], w[_UY * LANES + j], w[_UZ * LANES + j] = zx, zy, zz
            w[_VX * LANES + j], w[_VY * LANES + j], w[_VZ * LANES + j] = (
                y * zz - z * zy,
                z * zx - x * zz,
                x * zy - y * zx,
            )
    else:
        # u = 0, v = z
        for j in range(LANES):
            w[_UX * LANES + j], w[_UY * LANES + j], w[_UZ * LANES + j] = 0.0, 0.0, 0.0
            w[_VX * LANES + j] = w[_R2 * LANES + j]
            w[_VY * LANES + j] = w[_R5 * LANES + j]
            w[_VZ * LANES + j] = w[_R8 * LANES + j]


@inlined
def _body_about_origin(b: Floats, w: Floats) -> None:
    """Write mass times centre h and inertia I of the body `b` (10,) about the common origin."""
    m, hx, hy, hz = b[0], b[1], b[2], b[3]
    xx, xy, xz, yy, yz, zz = b[4], b[5], b[6], b[7], b[8], b[9]
    for j in range(LANES):
        r0, r1, r2 = w[_R0 * LANES + j], w[_R1 * LANES + j], w[_R2 * LANES + j]
        r3, r4, r5 = w[_R3 * LANES + j], w[_R4 * LANES + j], w[_R5 * LANES + j]
        r6, r7, r8 = w[_R6 * LANES + j], w[_R7 * LANES + j], w[_R8 * LANES + j]
        x, y, z = w[_PX * LANES + j], w[_PY * LANES + j], w[_PZ * LANES + j]
        # h' = R h + m p
        gx = r0 * hx + r1 * hy + r2 * hz
        gy = r3 * hx + r4 * hy + r5 * hz
        gz = r6 * hx + r7 * hy + r8 * hz
        kx, ky, kz = gx + m * x, gy + m * y, gz + m * z
        w[_HX * LANES + j], w[_HY * LANES + j], w[_HZ * LANES + j] = kx, ky, kz
        # I' = R I Rᵀ and, with g = R h, the parallel-axis terms (p·(g + h')) 1 - p gᵀ - h' pᵀ
        u0, u1, u2 = r0 * xx + r1 * xy + r2 * xz, r0 * xy + r1 * yy + r2 * yz, r0 * xz + r1 * yz + r2 * zz
        u3, u4, u5 = r3 * xx + r4 * xy + r5 * xz, r3 * xy + r4 * yy + r5 * yz, r3 * xz + r4 * yz + r5 * zz
        u6, u7, u8 = r6 * xx + r7 * xy + r8 * xz, r6 * xy + r7 * yy + r8 * yz, r6 * xz + r7 * yz + r8 * zz
        ex, ey, ez = gx + kx, gy + ky, gz + kz
        w[_IXX * LANES + j] = u0 * r0 + u1 * r1 + u2 * r2 + (y * ey + z * ez)
        w[_IXY * LANES + j] = u0 * r3 + u1 * r4 + u2 * r5 - (x * gy + kx * y)
        w[_IXZ * LANES + j] = u0 * r6 + u1 * r7 + u2 * r8 - (x * gz + kx * z)
        w[_IYY * LANES + j] = u3 * r3 + u4 * r4 + u5 * r5 + (x * ex + z * ez)
        w[_IYZ * LANES + j] = u3 * r6 + u4 * r7 + u5 * r8 - (y * gz + ky * z)
        w[_IZZ * LANES + j] = u6 * r6 + u7 * r7 + u8 * r8 + (x * ex + y * ey)


@inlined
def _momentum(m: float, w: Floats) -> None:
    """Write angular and linear momentum of a body (mass `m`, h, I) that moves with u and v."""
    for j in range(LANES):
        wx, wy, wz = w[_UX * LANES + j], w[_UY * LANES + j], w[_UZ * LANES + j]
        vx, vy, vz = w[_VX * LANES + j], w[_VY * LANES + j], w[_VZ * LANES + j]
        hx, hy, hz = w[_HX * LANES + j], w[_HY * LANES + j], w[_HZ * LANES + j]
        xx, xy, xz = w[_IXX * LANES + j], w[_IXY * LANES + j], w[_IXZ * LANES + j]
        yy, yz, zz = w[_IYY * LANES + j], w[_IYZ * LANES + j], w[_IZZ * LANES + j]
        # angular momentum I u + h × v, linear momentum m v + u × h
        w[_KX * LANES + j] = xx * wx + xy * wy + xz * wz + (hy * vz - hz * vy)
        w[_KY * LANES + j] = xy * wx + yy * wy + yz * wz + (hz * vx - hx * vz)
        w[_KZ * LANES + j] = xz * wx + yz * wy + zz * wz + (hx * vy - hy * vx)
        w[_GX * LANES + j] = m * vx + (wy * hz - wz * hy)
        w[_GY * LANES + j] = m * vy + (wz * hx - wx * hz)
        w[_GZ * LANES + j] = m * vz + (wx * hy - wy * hx)


@kernel
def mass_matrix_into(constants: Floats, revolute: Floats, bodies: Floats, q: Floats, out: Floats) -> bool:
    """Write the mass matrices at the rows of `q` (m, n) to `out` (m, n, n).

    Composite rigid bodies (Walker and Orin 1982; Featherstone 2008, section 6.2), all taken about one point, the first
    joint's origin: then the composite bodies are plain sums.
    """
    n = q.shape[1]
    w = np.zeros(_MASS_ROWS * LANES)
    kept = np.empty(_MASSES * n * LANES)
    bad = 0.0
    for first in range(0, q.shape[0], LANES):
        count = min(LANES, q.shape[0] - first)
        # R = 1, p = 0: the common origin is the first joint's
        for j in range(12 * LANES):
            w[_R0 * LANES + j] = 0.0
        for j in range(LANES):
            w[_R0 * LANES + j], w[_R4 * LANES + j], w[_R8 * LANES + j] = 1.0, 1.0, 1.0
        # outwards: u, v, h and I of each body, all about that origin
        for i in range(n):
            is_revolute = revolute[i] > 0.5
            bad += load_into(q, first, count, i, LARGEST, w, Q)
            if i > 0:
                _next_frame(constants[i], w)
            _turn_frame(is_revolute, w)
            _unit_motion(is_revolute, w)
            _body_about_origin(bodies[i], w)
            copy_rows(w, _UX, kept, _MASSES * i, _MASSES)
        mass = 0.0
        for j in range(9 * LANES):
            w[_HX * LANES + j] = 0.0
        # inwards: M[i, j] = (u, v)_j · momentum of all that joint i carries, moving with (u, v)_i
        for i in range(n - 1, -1, -1):
            mass += bodies[i, 0]
            # the composite body: mass, h and I are sums
            k = (_MASSES * i + _UNIT_MOTION) * LANES
            for j in range(9 * LANES):
                w[_HX * LANES + j] += kept[k + j]
            copy_rows(kept, _MASSES * i, w, _UX, _UNIT_MOTION)
            _momentum(mass, w)
            for other in range(i + 1):
                copy_rows(kept, _MASSES * other, w, _UX, _UNIT_MOTION)
                for j in range(LANES):
                    w[j] = (
                        w[_UX * LANES + j] * w[_KX * LANES + j]
                        + w[_UY * LANES + j] * w[_KY * LANES + j]
                        + w[_UZ * LANES + j] * w[_KZ * LANES + j]
                        + w[_VX * LANES + j] * w[_GX * LANES + j]
                        + w[_VY * LANES + j] * w[_GY * LANES + j]
                        + w[_VZ * LANES + j] * w[_GZ * LANES + j]
                    )
                for j in range(count):
                    out[first + j, i, other] = w[j]
                    out[first + j, other, i] = w[j]
    return bad == 0.0
