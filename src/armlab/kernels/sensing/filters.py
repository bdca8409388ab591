"""Orientation filters and strapdown integration, sample by sample.

Quaternions wxyz are R_world_sensor with z up. Each kernel takes times `t` (m,), `gyro` and `acc` (m, 3), a start in
row 0 of `out`, and fills the other rows.
"""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import kernel
from armlab.kernels.sensing.quaternions import V3, exponential, product, turned, turned_back, unit

STATE = 10
"""Columns of a strapdown state: quaternion, velocity, position."""


@kernel
def cross(a: V3, b: V3) -> V3:
    """Return a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def strapdown_into(t: Floats, gyro: Floats, acc: Floats, gravity: Floats, out: Floats) -> None:
    """Integrate to `out` (m, STATE): quaternion, velocity and position in the world.

    Rate and force are taken as the parabola through the last three samples (the line through two where steps differ).
    The turn over a step h is then φ = ∫ω dt + h²/12 ω₀ × ω₁: the second term is coning. Velocity and position are
    integrals by Simpson's rule of the force turned by the orientation at the start, the middle and the end of the
    step, which holds sculling.
    """
    w, half, f, r = np.empty(3), np.empty(3), np.empty(3), np.empty(3)  # integrals of ω; force and coning at the middle
    for i in range(1, t.shape[0]):
        h = t[i] - t[i - 1]
        # b: the sample before the last two, where the steps are equal; -1 where a line must do
        b = i - 2 if i > 1 and abs(t[i - 1] - t[i - 2] - h) < 1e-3 * h else -1
        r[0], r[1], r[2] = cross((gyro[i - 1, 0], gyro[i - 1, 1], gyro[i - 1, 2]), (gyro[i, 0], gyro[i, 1], gyro[i, 2]))
        for k in range(3):
            w0, w1, f0, f1 = gyro[i - 1, k], gyro[i, k], acc[i - 1, k], acc[i, k]
            before = gyro[b, k] if b >= 0 else 2.0 * w0 - w1  # the line goes on backwards
            # ∫ω dt of the parabola over the whole and over half a step, with coning h²/12 and (h/2)²/24 ω₀ × ω₁
            w[k] = h * (5.0 * w1 + 8.0 * w0 - before) / 12.0 + h * h / 12.0 * r[k]
            half[k] = h * (11.0 * w0 + 2.0 * w1 - before) / 24.0 + h * h / 96.0 * r[k]
            # the parabola of the force, in the middle of the step
            before = acc[b, k] if b >= 0 else 2.0 * f0 - f1
            f[k] = (3.0 * f1 + 6.0 * f0 - before) / 8.0
        q = (out[i - 1, 0], out[i - 1, 1], out[i - 1, 2], out[i - 1, 3])
        end = unit(product(q, exponential(w[0], w[1], w[2])))
        # force in the world at the start, the end and the middle
        a0 = turned(q, (acc[i - 1, 0], acc[i - 1, 1], acc[i - 1, 2]))
        a1 = turned(end, (acc[i, 0], acc[i, 1], acc[i, 2]))
        am = turned(product(q, exponential(half[0], half[1], half[2])), (f[0], f[1], f[2]))
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = end
        for k in range(3):
            g = gravity[k]
            # Simpson: v' = v + h (a0 + 4 am + a1)/6 + h g; p' = p + h v + h² (a0 + 2 am)/6 + h² g/2
            out[i, 4 + k] = out[i - 1, 4 + k] + h * ((a0[k] + 4.0 * am[k] + a1[k]) / 6.0 + g)
            out[i, 7 + k] = out[i - 1, 7 + k] + h * out[i - 1, 4 + k] + h * h * ((a0[k] + 2.0 * am[k]) / 6.0 + 0.5 * g)


@kernel
def complementary_into(t: Floats, gyro: Floats, acc: Floats, time_constant: float, out: Floats) -> None:
    """Turn by the gyroscope, and pull the measured up direction to z with a time constant (s); `out` (m, 4)."""
    for i in range(1, t.shape[0]):
        h = t[i] - t[i - 1]
        q = (out[i - 1, 0], out[i - 1, 1], out[i - 1, 2], out[i - 1, 3])
        q = product(q, exponential(h * gyro[i, 0], h * gyro[i, 1], h * gyro[i, 2]))
        x, y, z = turned(q, (acc[i, 0], acc[i, 1], acc[i, 2]))
        size, level = math.sqrt(x * x + y * y + z * z), math.sqrt(x * x + y * y)
        if size > 0.0 and level > 0.0:
            # the angle between the measured up direction and z, of which the filter takes the share h / (T + h)
            share = h / (time_constant + h) * math.atan2(level, z) / level
            q = product(exponential(share * y, -share * x, 0.0), q)  # about up × z
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = unit(q)


@kernel
def mahony_into(t: Floats, gyro: Floats, acc: Floats, mag: Floats, gains: V3, out: Floats, bias: Floats) -> None:
    """Mahony's filter (2008) to `out` (m, 4): errors of direction feed the rate back; `bias` (3,) is its integral.

    `gains` are kP, kI and the weight of the magnetometer against the accelerometer; `mag` is (m, 3), or (0, 3) without
    a magnetometer.
    """
    with_mag = mag.shape[0] > 0
    kp, ki, heading = gains
    for i in range(1, t.shape[0]):
        h = t[i] - t[i - 1]
        q = (out[i - 1, 0], out[i - 1, 1], out[i - 1, 2], out[i - 1, 3])
        # e = a × Rᵀ z + m × Rᵀ b: measured directions against those expected
        ex, ey, ez = 0.0, 0.0, 0.0
        ax, ay, az = acc[i, 0], acc[i, 1], acc[i, 2]
        size = math.sqrt(ax * ax + ay * ay + az * az)
        if size > 0.0:
            a = (ax / size, ay / size, az / size)
            ex, ey, ez = cross(a, turned_back(q, (0.0, 0.0, 1.0)))
            if with_mag:
                mx, my, mz = mag[i, 0], mag[i, 1], mag[i, 2]
                length = math.sqrt(mx * mx + my * my + mz * mz)
                if length > 0.0:
                    m = (mx / length, my / length, mz / length)
                    hx, hy, hz = turned(q, m)
                    e = cross(m, turned_back(q, (math.sqrt(hx * hx + hy * hy), 0.0, hz)))
                    # of it only what is about the vertical: no field tilts the horizon
                    up = turned_back(q, (0.0, 0.0, 1.0))
                    share = heading * (e[0] * up[0] + e[1] * up[1] + e[2] * up[2])
                    ex, ey, ez = ex + share * up[0], ey + share * up[1], ez + share * up[2]
        # the explicit complementary filter with bias of Mahony 2008: b' = −kI e, ω̂ = ω − b + kP e
        bias[0], bias[1], bias[2] = bias[0] - ki * ex * h, bias[1] - ki * ey * h, bias[2] - ki * ez * h
        wx, wy, wz = gyro[i, 0] - bias[0] + kp * ex, gyro[i, 1] - bias[1] + kp * ey, gyro[i, 2] - bias[2] + kp * ez
        # q' = ½ q ω̂, one Euler step
        dw, dx, dy, dz = product(q, (0.0, wx, wy, wz))
        half = 0.5 * h
        q = unit((q[0] + half * dw, q[1] + half * dx, q[2] + half * dy, q[3] + half * dz))
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = q


@kernel
def madgwick_into(t: Floats, gyro: Floats, acc: Floats, mag: Floats, beta: float, out: Floats) -> None:
    """Madgwick's filter (2010) to `out` (m, 4): a gradient step of `beta` (rad/s) against the direction errors.

    The error f = Rᵀ z − a has the gradient Jᵀ f; with a magnetometer Rᵀ b − m is added, with b the field turned into
    the x z plane. `mag` is (m, 3), or (0, 3) without one.
    """
    with_mag = mag.shape[0] > 0
    for i in range(1, t.shape[0]):
        h = t[i] - t[i - 1]
        w, x, y, z = out[i - 1, 0], out[i - 1, 1], out[i - 1, 2], out[i - 1, 3]
        # q' = ½ q ω
        dw, dx, dy, dz = product((w, x, y, z), (0.0, gyro[i, 0], gyro[i, 1], gyro[i, 2]))
        dw, dx, dy, dz = 0.5 * dw, 0.5 * dx, 0.5 * dy, 0.5 * dz
        ax, ay, az = acc[i, 0], acc[i, 1], acc[i, 2]
        size = math.sqrt(ax * ax + ay * ay + az * az)
        if size > 0.0:
            # f = Rᵀ z − a, and its gradient Jᵀ f by w, x, y, z
            f0 = 2.0 * (x * z - w * y) - ax / size
            f1 = 2.0 * (w * x + y * z) - ay / size
            f2 = 2.0 * (0.5 - x * x - y * y) - az / size
            gw = -2.0 * y * f0 + 2.0 * x * f1
            gx = 2.0 * z * f0 + 2.0 * w * f1 - 4.0 * x * f2
            gy = -2.0 * w * f0 + 2.0 * z * f1 - 4.0 * y * f2
            gz = 2.0 * x * f0 + 2.0 * y * f1
            if with_mag:
                mx, my, mz = mag[i, 0], mag[i, 1], mag[i, 2]
                length = math.sqrt(mx * mx + my * my + mz * mz)
                if length > 0.0:
                    mx, my, mz = mx / length, my / length, mz / length
                    hx, hy, hz = turned((w, x, y, z), (mx, my, mz))
                    # b: the field as measured in the world, turned into the x z plane
                    bx, bz = math.sqrt(hx * hx + hy * hy), hz
                    # f = Rᵀ b − m, and its gradient added
                    f3 = 2.0 * bx * (0.5 - y * y - z * z) + 2.0 * bz * (x * z - w * y) - mx
                    f4 = 2.0 * bx * (x * y - w * z) + 2.0 * bz * (w * x + y * z) - my
                    f5 = 2.0 * bx * (w * y + x * z) + 2.0 * bz * (0.5 - x * x - y * y) - mz
                    gw += -2.0 * bz * y * f3 + (-2.0 * bx * z + 2.0 * bz * x) * f4 + 2.0 * bx * y * f5
                    gx += 2.0 * bz * z * f3 + (2.0 * bx * y + 2.0 * bz * w) * f4 + (2.0 * bx * z - 4.0 * bz * x) * f5
                    gy += (
                        (-4.0 * bx * y - 2.0 * bz * w) * f3
                        + (2.0 * bx * x + 2.0 * bz * z) * f4
                        + (2.0 * bx * w - 4.0 * bz * y) * f5
                    )
                    gz += (-4.0 * bx * z + 2.0 * bz * x) * f3 + (-2.0 * bx * w + 2.0 * bz * y) * f4 + 2.0 * bx * x * f5
            # q' −= β Jᵀ f / |Jᵀ f|
            steep = math.sqrt(gw * gw + gx * gx + gy * gy + gz * gz)
            if steep > 0.0:
                share = beta / steep
                dw, dx, dy, dz = dw - share * gw, dx - share * gx, dy - share * gy, dz - share * gz
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = unit((w + h * dw, x + h * dx, y + h * dy, z + h * dz))
