"""The regressor of a serial chain: joint forces as a matrix times the parameters of bodies and drives, τ = Y π.

A chain is `constants` and `revolute` as in armlab.kernels.chain. The parameters of a body are those of
armlab.kernels.rigid, in the z-aligned frame that moves with its joint: mass, mass times centre (3), inertia about the
frame's origin (xx, xy, xz, yy, yz, zz). Those of a drive are Coulomb friction, viscous friction and the inertia of its
rotor, as the joint feels them.

The columns of Y: BODY for each body, one after the other, and then DRIVE for each joint.
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
    load_into,
    next_motion_into,
    rest_into,
    sines_into,
)
from armlab.kernels.trig import LARGEST

BODY, DRIVE = 10, 3
_ROWS = 14  # of the workspace: the motion
_UX, _UY, _UZ, _VX, _VY, _VZ = range(6)
_UNIT_MOTION = 6  # kept per joint: what its unit speed does to the present frame, angular velocity u and velocity v


@inlined
def _next_unit_motion(a: Floats, is_revolute: bool, w: Floats, u: Floats, o: int) -> None:
    """Carry the unit motion at `o` in `u` through the fixed frame `a` (12,) and its joint."""
    r0, r1, r2, r3, r4, r5 = a[0], a[1], a[2], a[3], a[4], a[5]
    r6, r7, r8, px, py, pz = a[6], a[7], a[8], a[9], a[10], a[11]
    for j in range(LANES):
        ux, uy, uz = u[o + _UX * LANES + j], u[o + _UY * LANES + j], u[o + _UZ * LANES + j]
        # u' = Rᵀ u, v' = Rᵀ (v + u × p)
        vx = u[o + _VX * LANES + j] + (uy * pz - uz * py)
        vy = u[o + _VY * LANES + j] + (uz * px - ux * pz)
        vz = u[o + _VZ * LANES + j] + (ux * py - uy * px)
        gx, gy, gz = r0 * ux + r3 * uy + r6 * uz, r1 * ux + r4 * uy + r7 * uz, r2 * ux + r5 * uy + r8 * uz
        kx, ky, kz = r0 * vx + r3 * vy + r6 * vz, r1 * vx + r4 * vy + r7 * vz, r2 * vx + r5 * vy + r8 * vz
        if is_revolute:
            # Rz(q)ᵀ u and Rz(q)ᵀ v
            s, c = w[S * LANES + j], w[C * LANES + j]
            gx, gy = c * gx + s * gy, c * gy - s * gx
            kx, ky = c * kx + s * ky, c * ky - s * kx
        else:
            # v + u × q z
            q = w[Q * LANES + j]
            kx, ky = kx + gy * q, ky - gx * q
        u[o + _UX * LANES + j], u[o + _UY * LANES + j], u[o + _UZ * LANES + j] = gx, gy, gz
        u[o + _VX * LANES + j], u[o + _VY * LANES + j], u[o + _VZ * LANES + j] = kx, ky, kz


@inlined
def _body_row(w: Floats, u: Floats, o: int, y: Floats) -> None:
    """Write what one joint feels of each parameter of a body: (u, v) · (moment, force) that the parameter asks for."""
    for j in range(LANES):
        wx, wy, wz = w[WX * LANES + j], w[WY * LANES + j], w[WZ * LANES + j]
        ax, ay, az = w[AX * LANES + j], w[AY * LANES + j], w[AZ * LANES + j]
        lx, ly, lz = w[LX * LANES + j], w[LY * LANES + j], w[LZ * LANES + j]
        ux, uy, uz = u[o + _UX * LANES + j], u[o + _UY * LANES + j], u[o + _UZ * LANES + j]
        vx, vy, vz = u[o + _VX * LANES + j], u[o + _VY * LANES + j], u[o + _VZ * LANES + j]
        # mass: the force a
        y[0 * LANES + j] = vx * lx + vy * ly + vz * lz
        # mass times centre h: force α × h + ω × (ω × h), moment h × a; so v × α + ω (ω·v) - (ω·ω) v + a × u
        wv = wx * vx + wy * vy + wz * vz
        ww = wx * wx + wy * wy + wz * wz
        y[1 * LANES + j] = (vy * az - vz * ay) + (wx * wv - ww * vx) + (ly * uz - lz * uy)
        y[2 * LANES + j] = (vz * ax - vx * az) + (wy * wv - ww * vy) + (lz * ux - lx * uz)
        y[3 * LANES + j] = (vx * ay - vy * ax) + (wz * wv - ww * vz) + (lx * uy - ly * ux)
        # inertia I: moment I α + ω × I ω; so u·I α + c·I ω with c = u × ω
        cx, cy, cz = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
        y[4 * LANES + j] = ux * ax + cx * wx
        y[5 * LANES + j] = ux * ay + uy * ax + cx * wy + cy * wx
        y[6 * LANES + j] = ux * az + uz * ax + cx * wz + cz * wx
        y[7 * LANES + j] = uy * ay + cy * wy
        y[8 * LANES + j] = uy * az + uz * ay + cy * wz + cz * wy
        y[9 * LANES + j] = uz * az + cz * wz


@kernel
def regressor_into(
    constants: Floats, revolute: Floats, gravity: Floats, q: Floats, qd: Floats, qdd: Floats, out: Floats
) -> bool:
    """Write the regressors at the rows of `q`, `qd`, `qdd` (m, n) to `out` (m, n, (BODY + DRIVE) n).

    Motion outwards as in Newton and Euler; row i of body k is the power that the body's force and moment have under
    unit speed of joint i ≤ k (Atkeson, An and Hollerbach 1986, with the motion carried outwards in place of the forces
    inwards). True when every number was usable; otherwise what was written is worthless.
    """
    n = q.shape[1]
    w, y = np.zeros(_ROWS * LANES), np.zeros(BODY * LANES)
    u = np.zeros(_UNIT_MOTION * n * LANES)
    bad = 0.0
    for first in range(0, q.shape[0], LANES):
        count = min(LANES, q.shape[0] - first)
        rest_into(gravity, w)
        for k in range(n):
            is_revolute = revolute[k] > 0.5
            bad += load_into(q, first, count, k, LARGEST, w, Q)
            bad += load_into(qd, first, count, k, FASTEST, w, QD)
            bad += load_into(qdd, first, count, k, FASTEST, w, QDD)
            if is_revolute:
                sines_into(w)
            next_motion_into(constants[k], is_revolute, w)
            for i in range(k):
                _next_unit_motion(constants[k], is_revolute, w, u, _UNIT_MOTION * i * LANES)
            # the joint's own unit motion: u = z or v = z
            own = _UNIT_MOTION * k * LANES
            for j in range(_UNIT_MOTION * LANES):
                u[own + j] = 0.0
            axis = own + (_UZ if is_revolute else _VZ) * LANES
            for j in range(LANES):
                u[axis + j] = 1.0
            for i in range(k + 1):
                _body_row(w, u, _UNIT_MOTION * i * LANES, y)
                for j in range(count):
                    for c in range(BODY):
                        out[first + j, i, BODY * k + c] = y[c * LANES + j]
            # a joint does not feel the bodies before it, nor other joints' drives
            for j in range(count):
                for c in range(BODY * k):
                    out[first + j, k, c] = 0.0
                for c in range(BODY * n, (BODY + DRIVE) * n):
                    out[first + j, k, c] = 0.0
                speed = w[QD * LANES + j]
                drive = BODY * n + DRIVE * k
                out[first + j, k, drive] = 1.0 if speed > 0.0 else (-1.0 if speed < 0.0 else 0.0)
                out[first + j, k, drive + 1] = speed
                out[first + j, k, drive + 2] = w[QDD * LANES + j]
    return bad == 0.0
