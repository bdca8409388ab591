"""An arm under position servos, step by step: rigid bodies, friction, torque limits, and what a fault changes in them.

A chain is as in armlab.kernels.rigid. Everything that may change in time is given for every step, so that a fault is
nothing but other numbers from some step on.
"""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels import cholesky, rigid
from armlab.kernels.jit import kernel

COULOMB, VISCOUS, RIPPLE, LIMIT, STUCK, OFFSET = range(6)
CONDITIONS = 6
"""Per step and joint: Coulomb and viscous friction, amplitude of the gear's ripple, the drive's limit, whether the
joint is stuck (1), and the error of its encoder."""
SLOW = 0.01
"""rad/s or m/s: within this speed Coulomb friction changes its sign smoothly."""


@kernel
def servo_into(
    constants: Floats,
    revolute: Floats,
    bodies: Floats,
    gravity: Floats,
    dt: float,
    command: Floats,
    gains: Floats,
    conditions: Floats,
    out: Floats,
) -> bool:
    """Write position, speed, acceleration and torque of every step to `out` (m, 4, n).

    `bodies` (2, n + 1, 10): before and after a change of the load at step bodies[0, n, 0]. `command` (m, 4, n):
    position, speed, acceleration, torque fed forward. `gains` (6, n): stiffness, damping, rotor's inertia, teeth of the
    gear per radian, and where the end stops are. Semi-implicit steps: friction and servo count at the end of the step,
    so that stiff ones are stable. True when all went well.
    """
    m, n = command.shape[0], command.shape[2]
    q, qd, zero = np.empty((1, n)), np.empty((1, n)), np.zeros((1, n))
    M, rest, tau = np.empty((1, n, n)), np.empty((1, n)), np.empty(n)
    for i in range(n):
        q[0, i], qd[0, i] = command[0, 0, i], command[0, 1, i]
    for k in range(m):
        at = 0 if k < bodies[0, n, 0] else 1
        body = bodies[at, :n]
        # M(q) q̈ = τ - friction - (C q̇ + g)
        if not rigid.inverse_dynamics_into(constants, revolute, body, gravity, q, qd, zero, rest):
            return False
        if not rigid.mass_matrix_into(constants, revolute, body, q, M):
            return False
        for i in range(n):
            c = conditions[k]
            # the servo sees its encoder: τ = feedforward + K (command - measured) + D (speed error), within the limit
            error, lag = command[k, 0, i] - q[0, i] - c[OFFSET, i], command[k, 1, i] - qd[0, i]
            wanted = command[k, 3, i] + gains[0, i] * error + gains[1, i] * lag
            tau[i] = min(max(wanted, -c[LIMIT, i]), c[LIMIT, i])
            is_saturated = tau[i] != wanted
            # friction: Coulomb (smooth about rest), viscous, and ripple once per tooth
            th = math.tanh(qd[0, i] / SLOW)
            drag = c[COULOMB, i] * th + c[VISCOUS, i] * qd[0, i] + c[RIPPLE, i] * math.sin(gains[3, i] * q[0, i]) * th
            slope = c[COULOMB, i] * (1.0 - th * th) / SLOW + c[VISCOUS, i]
            if not is_saturated:
                slope += gains[1, i] + dt * gains[0, i]
            rest[0, i] = tau[i] - drag - rest[0, i]
            M[0, i, i] += gains[2, i] + dt * slope
            if not is_saturated:
                rest[0, i] += dt * gains[0, i] * (command[k, 1, i] - qd[0, i]) + dt * gains[1, i] * command[k, 2, i]
            if c[STUCK, i] > 0.5:
                # a joint that is stuck: its equation is q̈ = -q̇ / dt
                for j in range(n):
                    M[0, i, j], M[0, j, i] = 0.0, 0.0
                M[0, i, i], rest[0, i] = 1.0, -qd[0, i] / dt
        if cholesky.solve_into(M, rest) >= 0:
            return False
        for i in range(n):
            out[k, 0, i], out[k, 1, i], out[k, 2, i], out[k, 3, i] = q[0, i], qd[0, i], rest[0, i], tau[i]
            qd[0, i] += dt * rest[0, i]
            q[0, i] += dt * qd[0, i]
            if not gains[4, i] <= q[0, i] <= gains[5, i]:
                q[0, i], qd[0, i] = min(max(q[0, i], gains[4, i]), gains[5, i]), 0.0
    return True
