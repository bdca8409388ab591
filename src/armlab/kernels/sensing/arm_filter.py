"""An iterated Kalman filter on the joints of an arm, from inertial sensors on its links.

The joints are where they are commanded plus a deviation: q = q_c + r + u∘c + side∘h, q̇ = q̇_c + s. State of N = 4n + 6k
rows: r (n,) what nothing explains, s (n,) its speed, c (n,) compliance, by which the load u (N m) bends a joint, h (n,)
half the play of each gear, which the load pushes to one `side`; then for each of k sensors the biases of gyroscope and
accelerometer. Over a step dt: r' = φ_r r + dt s, s' = φ_s s, all else walks.

Each sensor predicts its readings by the recursion along the chain; derivatives are central differences. Readings are
taken one scalar at a time, so that nothing is inverted; the step is made again from the improved state (Gauss–Newton).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import kernel
from armlab.kernels.sensing.imu import ACC, GYRO, WIDTH, motion_into

EPSILON = 1e-5
"""rad or m: the step of central differences."""


class ArmChain(NamedTuple):
    """The arm and its sensors: chain constants, kinds of joints, frames (k, 12) and how many joints move each (k,)."""

    constants: Floats
    revolute: Floats
    frames: Floats
    moved_by: Floats
    gravity: Floats


class ArmNoise(NamedTuple):
    """Deviations of the process (per √s) and of the readings."""

    keep_deviation: float
    """φ_r, of r over one step."""
    keep_speed: float
    """φ_s, of s over one step."""
    deviation: float
    speed: float
    compliance: float
    play: float
    gyro_bias: float
    acc_bias: float
    gyro: float
    """rad/s of one reading."""
    acc: float
    """m/s² of one reading."""
    acc_moving: float
    """m/s² more per rad/s of the fastest commanded joint: what lag and vibration add."""
    gyro_moving: float
    """rad/s more, likewise."""
    acc_off: float
    """m/s² more per m/s² by which the size of the force is not what is expected: the arm shakes."""


@kernel
def predict_readings(arm: ArmChain, q: Floats, qd: Floats, qdd: Floats, row: Floats, out: Floats) -> None:
    """Write what all sensors read for one configuration (1, n) to `out` (k, 6): rates, then forces."""
    for k in range(arm.frames.shape[0]):
        motion_into(arm.constants, arm.revolute, arm.frames[k], int(arm.moved_by[k]), arm.gravity, q, qd, qdd, row)
        for i in range(3):
            out[k, i] = row[0, GYRO + i]
            out[k, 3 + i] = row[0, ACC + i]


@kernel
def derivatives_into(arm: ArmChain, q: Floats, qd: Floats, qdd: Floats, row: Floats, D: Floats, S: Floats) -> None:
    """Write the derivatives of all readings by positions and speeds, D and S (n, k, 6); q, qd, qdd are (1, n)."""
    n, k = q.shape[1], arm.frames.shape[0]
    high, low = np.empty((k, 6)), np.empty((k, 6))
    for j in range(n):
        for which in range(2):
            values = q if which == 0 else qd
            at = values[0, j]
            values[0, j] = at + EPSILON
            predict_readings(arm, q, qd, qdd, row, high)
            values[0, j] = at - EPSILON
            predict_readings(arm, q, qd, qdd, row, low)
            values[0, j] = at
            target = D if which == 0 else S
            for s in range(k):
                for i in range(6):
                    target[j, s, i] = (high[s, i] - low[s, i]) / (2.0 * EPSILON)


@kernel
def deviate(x: Floats, load: Floats, command: Floats, speed: Floats, q: Floats, qd: Floats) -> None:
    """Write the joints of state x to q and qd (1, n); `load` (2, n) is the load and the side it pushes to."""
    n = q.shape[1]
    for j in range(n):
        q[0, j] = command[j] + x[j] + load[0, j] * x[2 * n + j] + load[1, j] * x[3 * n + j]
        qd[0, j] = speed[j] + x[n + j]


@kernel
def predict_state(x: Floats, P: Floats, n: int, k: int, dt: float, noise: ArmNoise) -> None:
    """Move state and covariance over a step: only r and s change."""
    N = x.shape[0]
    for j in range(n):
        x[j] = noise.keep_deviation * x[j] + dt * x[n + j]
        x[n + j] *= noise.keep_speed
    for c in range(N):
        for j in range(n):
            P[j, c] = noise.keep_deviation * P[j, c] + dt * P[n + j, c]
            P[n + j, c] *= noise.keep_speed
    for c in range(N):
        for j in range(n):
            P[c, j] = noise.keep_deviation * P[c, j] + dt * P[c, n + j]
            P[c, n + j] *= noise.keep_speed
    for j in range(n):
        P[j, j] += noise.deviation**2 * dt
        P[n + j, n + j] += noise.speed**2 * dt
        P[2 * n + j, 2 * n + j] += noise.compliance**2 * dt
        P[3 * n + j, 3 * n + j] += noise.play**2 * dt
    for s in range(k):
        for i in range(3):
            g, a = 4 * n + 6 * s + i, 4 * n + 6 * s + 3 + i
            P[g, g] += noise.gyro_bias**2 * dt
            P[a, a] += noise.acc_bias**2 * dt


@kernel
def scalar_update(P: Floats, h: Floats, residual: float, variance: float, dx: Floats, work: Floats) -> None:
    """Correct P (N, N) and dx (N,) by one reading: residual = h δx + noise."""
    N = h.shape[0]
    total, expected = variance, 0.0
    for i in range(N):
        work[i] = 0.0
    for j in range(N):
        if h[j] != 0.0:
            for i in range(N):
                work[i] += P[j, i] * h[j]
            expected += h[j] * dx[j]
    for i in range(N):
        total += h[i] * work[i]
    gain = (residual - expected) / total
    for i in range(N):
        dx[i] += work[i] * gain
        w = work[i] / total
        for j in range(N):
            P[i, j] -= w * work[j]


@kernel
def filter_into(
    arm: ArmChain,
    dt: float,
    commands: Floats,
    loads: Floats,
    readings: Floats,
    noise: ArmNoise,
    rounds: int,
    x: Floats,
    P: Floats,
    out: Floats,
    spread: Floats,
) -> None:
    """Filter rows of `commands` (m, 3, n), `loads` (m, 2, n) and `readings` (m, k, 6) from state x (N,) and P (N, N).

    Writes states to `out` (m, N) and the variances of q to `spread` (m, n); x and P are then those of the end.
    """
    m, n, k, N = commands.shape[0], commands.shape[2], arm.frames.shape[0], x.shape[0]
    q, qd, qdd, row = np.empty((1, n)), np.empty((1, n)), np.empty((1, n)), np.empty((1, WIDTH))
    expected, D, S = np.empty((k, 6)), np.empty((n, k, 6)), np.empty((n, k, 6))
    h, dx, work, prior, best = np.empty(N), np.empty(N), np.empty(N), np.empty((N, N)), np.empty(N)
    for t in range(m):
        predict_state(x, P, n, k, dt, noise)
        prior[:] = P
        best[:] = x
        fastest = 0.0
        for j in range(n):
            qdd[0, j] = commands[t, 2, j]
            fastest = max(fastest, abs(commands[t, 1, j]))
        gyro = (noise.gyro + noise.gyro_moving * fastest) ** 2
        for _round in range(rounds):
            P[:] = prior
            deviate(best, loads[t], commands[t, 0], commands[t, 1], q, qd)
            predict_readings(arm, q, qd, qdd, row, expected)
            derivatives_into(arm, q, qd, qdd, row, D, S)
            dx[:] = 0.0
            for s in range(k):
                measured, foreseen = 0.0, 0.0
                for i in range(3, 6):
                    measured += (readings[t, s, i] - best[4 * n + 6 * s + i]) ** 2
                    foreseen += expected[s, i] ** 2
                off = abs(math.sqrt(measured) - math.sqrt(foreseen))
                acc = (noise.acc + noise.acc_moving * fastest + noise.acc_off * off) ** 2
                for i in range(6):
                    bias = 4 * n + 6 * s + i
                    h[:] = 0.0
                    h[bias] = 1.0
                    residual = readings[t, s, i] - expected[s, i] - best[bias]
                    for j in range(n):
                        d = D[j, s, i]
                        h[j], h[n + j] = d, S[j, s, i]
                        h[2 * n + j], h[3 * n + j] = d * loads[t, 0, j], d * loads[t, 1, j]
                    for c in range(N):  # the reading is linear about `best`, the error counts from x
                        residual -= h[c] * (x[c] - best[c])
                    scalar_update(P, h, residual, gyro if i < 3 else acc, dx, work)
            best[:] = x + dx
        x[:] = best
        out[t] = x
        for j in range(n):  # of q = r + u c + side h
            c, s, u, side = 2 * n + j, 3 * n + j, loads[t, 0, j], loads[t, 1, j]
            spread[t, j] = P[j, j] + u * u * P[c, c] + side * side * P[s, s]
            spread[t, j] += 2.0 * (u * P[j, c] + side * P[j, s] + u * side * P[c, s])
