"""An error-state Kalman filter for one inertial sensor.

Nominal state: quaternion (R_world_sensor), velocity, position, accelerometer bias, gyroscope bias. Error state, 15
rows: position P, velocity V, turn H (in the sensor's frame: R = R̂ exp δθ), accelerometer bias A, gyroscope bias G.
Over a step: δp' = δv, δv' = −R [f]ₓ δθ − R δa, δθ' = −[ω]ₓ δθ − δg.

Corrections are made one scalar at a time, so that nothing is inverted. At rest velocity and rate are 0. In motion the
velocity stays bounded: it is 0 with a large deviation. Tilt and biases follow from that, since a tilt δθ makes the
velocity grow by g δθ: accelerations are averaged in the frame of the world, where they cancel as soon as the motion
turns back, and no single one is taken for gravity.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import kernel
from armlab.kernels.sensing.quaternions import Q4, exponential, product, turned, unit

P, V, H, A, G, N = 0, 3, 6, 9, 12, 15
"""First rows of the parts of the error state, and how many rows there are."""
STATE = 16
"""Columns of the nominal state: quaternion 0, velocity 4, position 7, accelerometer bias 10, gyroscope bias 13."""


class EskfNoise(NamedTuple):
    """Deviations: white noise of gyroscope and accelerometer, walks of their biases, and of each correction."""

    gyro: float
    """rad/s/√Hz."""
    acc: float
    """m/s²/√Hz."""
    gyro_walk: float
    """rad/s·√Hz."""
    acc_walk: float
    """m/s²·√Hz."""
    gyro_scale: float
    """√s: what a rate of 1 rad/s adds to the white noise of the gyroscope (rad/s/√Hz); errors of scale and axes."""
    velocity: float
    """m/s·√s: the white noise of "the velocity is 0" in motion; v √(2 τ) of a speed v that turns back after τ."""
    rest_velocity: float
    """m/s."""
    rest_rate: float
    """rad/s."""
    every: int
    """The velocity is taken for 0 in motion at every so many samples."""


@kernel
def correct(C: Floats, h: Floats, residual: float, variance: float, dx: Floats, work: Floats) -> None:
    """Correct the covariance C (N, N) and the error dx (N,) by one scalar: residual = h δx + noise, h (N,)."""
    # s = h C hᵀ + r; gain K = C hᵀ / s; dx += K (residual − h dx); C −= K (h C)
    s = variance
    expected = 0.0
    for i in range(N):
        total = 0.0
        for j in range(N):
            total += C[i, j] * h[j]
        work[i] = total
    for i in range(N):
        s += h[i] * work[i]
        expected += h[i] * dx[i]
    gain = 1.0 / s
    for i in range(N):
        dx[i] += work[i] * gain * (residual - expected)
        for j in range(N):
            C[i, j] -= work[i] * work[j] * gain


@kernel
def predict_covariance(C: Floats, M: Floats, q: Q4, f: Floats, w: Floats, h: float, noise: EskfNoise) -> None:
    """Move C (N, N) over a step of h seconds; `M` (N, N) is workspace."""
    # rows first: M = F C, only the blocks that are not the identity
    B = np.empty((3, 3))  # R, column by column
    for k in range(3):
        e = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        B[0, k], B[1, k], B[2, k] = turned(q, e)
    for j in range(N):
        for k in range(3):
            M[P + k, j] = C[P + k, j] + h * C[V + k, j]
            M[A + k, j], M[G + k, j] = C[A + k, j], C[G + k, j]
        # δv: −h R ([f]ₓ δθ + δa); δθ: −h ([ω]ₓ δθ + δg)
        tx, ty, tz = C[H, j], C[H + 1, j], C[H + 2, j]
        ux = f[1] * tz - f[2] * ty + C[A, j]
        uy = f[2] * tx - f[0] * tz + C[A + 1, j]
        uz = f[0] * ty - f[1] * tx + C[A + 2, j]
        for k in range(3):
            M[V + k, j] = C[V + k, j] - h * (B[k, 0] * ux + B[k, 1] * uy + B[k, 2] * uz)
        M[H, j] = tx - h * (w[1] * tz - w[2] * ty + C[G, j])
        M[H + 1, j] = ty - h * (w[2] * tx - w[0] * tz + C[G + 1, j])
        M[H + 2, j] = tz - h * (w[0] * ty - w[1] * tx + C[G + 2, j])
    # then columns: C = M Fᵀ
    for i in range(N):
        for k in range(3):
            C[i, P + k] = M[i, P + k] + h * M[i, V + k]
            C[i, A + k], C[i, G + k] = M[i, A + k], M[i, G + k]
        tx, ty, tz = M[i, H], M[i, H + 1], M[i, H + 2]
        ux = f[1] * tz - f[2] * ty + M[i, A]
        uy = f[2] * tx - f[0] * tz + M[i, A + 1]
        uz = f[0] * ty - f[1] * tx + M[i, A + 2]
        for k in range(3):
            C[i, V + k] = M[i, V + k] - h * (B[k, 0] * ux + B[k, 1] * uy + B[k, 2] * uz)
        C[i, H] = tx - h * (w[1] * tz - w[2] * ty + M[i, G])
        C[i, H + 1] = ty - h * (w[2] * tx - w[0] * tz + M[i, G + 1])
        C[i, H + 2] = tz - h * (w[0] * ty - w[1] * tx + M[i, G + 2])
    for k in range(3):
        C[V + k, V + k] += noise.acc**2 * h
        C[H + k, H + k] += (noise.gyro**2 + noise.gyro_scale**2 * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2])) * h
        C[A + k, A + k] += noise.acc_walk**2 * h
        C[G + k, G + k] += noise.gyro_walk**2 * h


@kernel
def eskf_into(
    t: Floats, gyro: Floats, acc: Floats, still: Floats, g: float, noise: EskfNoise, C: Floats, out: Floats
) -> None:
    """Filter from row 0 of `out` (m, STATE) on; C (N, N) is the covariance at the start, and at the end the last one.

    `still` (m,) is 1.0 where the sensor rests.
    """
    M, row, dx, work = np.empty((N, N)), np.zeros(N), np.zeros(N), np.empty(N)
    f, w = np.empty(3), np.empty(3)
    for i in range(1, t.shape[0]):
        h = t[i] - t[i - 1]
        q = (out[i - 1, 0], out[i - 1, 1], out[i - 1, 2], out[i - 1, 3])
        for k in range(3):
            f[k] = 0.5 * (acc[i - 1, k] + acc[i, k]) - out[i - 1, 10 + k]
            w[k] = 0.5 * (gyro[i - 1, k] + gyro[i, k]) - out[i - 1, 13 + k]
        # force and rate of the step without their biases, turned by the orientation at its middle
        half = product(q, exponential(0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2]))
        a = turned(half, (f[0], f[1], f[2]))
        predict_covariance(C, M, q, f, w, h, noise)
        q = unit(product(q, exponential(h * w[0], h * w[1], h * w[2])))
        for k in range(3):
            # nominal state: p' = p + h v + h²/2 a, v' = v + h a with a = R f − g; biases stay
            lift = a[k] - (g if k == 2 else 0.0)
            out[i, 7 + k] = out[i - 1, 7 + k] + h * out[i - 1, 4 + k] + 0.5 * h * h * lift
            out[i, 4 + k] = out[i - 1, 4 + k] + h * lift
            out[i, 10 + k], out[i, 13 + k] = out[i - 1, 10 + k], out[i - 1, 13 + k]
        dx[:] = 0.0
        at_rest = still[i] > 0.5
        if at_rest or i % noise.every == 0:
            # at rest the velocity is 0; in motion it is near 0, white noise sampled at every h · every seconds
            variance = noise.rest_velocity**2 if at_rest else noise.velocity**2 / (h * noise.every)
            for k in range(3):
                row[:] = 0.0
                row[V + k] = 1.0
                correct(C, row, -out[i, 4 + k], variance, dx, work)
        if at_rest:  # what the gyroscope reads is its bias
            for k in range(3):
                row[:] = 0.0
                row[G + k] = 1.0
                correct(C, row, gyro[i, k] - out[i, 13 + k], noise.rest_rate**2, dx, work)
        # the error goes into the nominal state, and is zero again
        q = unit(product(q, exponential(dx[H], dx[H + 1], dx[H + 2])))
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = q
        for k in range(3):
            out[i, 7 + k] += dx[P + k]
            out[i, 4 + k] += dx[V + k]
            out[i, 10 + k] += dx[A + k]
            out[i, 13 + k] += dx[G + k]
