"""Setpoints on their way: each motor goes to its goal as fast as it may, and stops there."""

from __future__ import annotations

import math

from armlab.arrays import Floats
from armlab.kernels.jit import short_kernel

ARRIVED = 1e-12
"""rad or m: nearer than this is there."""


@short_kernel
def ramp_into(goal: Floats, bounds: Floats, timestep: float, state: Floats, out: Floats) -> int:
    """Write positions and speeds of n motors after each of m steps to `out` (2, m, n); return how many steps it took.

    `bounds` (2, n): greatest speed and acceleration. `state` (3, n): position, speed, and whether the motor is on its
    way (1); it is what it was after the last step. Behind the returned number of steps nothing moves any more.
    """
    m, n, dt = out.shape[1], out.shape[2], timestep
    steps = 0
    for k in range(m):
        for i in range(n):
            if state[2, i] != 0.0:
                a = bounds[1, i]
                left = goal[i] - state[0, i]
                distance, half = abs(left), a * dt / 2.0
                # the speed v from which braking with a, in whole steps, needs the distance d: v²/2a + v·dt/2 = d
                braking = 2.0 * a * distance / (math.sqrt(half * half + 2.0 * a * distance) + half)
                speed = math.copysign(min(bounds[0, i], braking, distance / dt), left)
                speed = min(max(speed, state[1, i] - a * dt), state[1, i] + a * dt)
                steps = k + 1
                if abs(left - speed * dt) < ARRIVED and abs(speed) <= a * dt * (1.0 + 1e-9):
                    state[0, i], state[1, i], state[2, i] = goal[i], 0.0, 0.0
                else:
                    state[0, i], state[1, i] = state[0, i] + speed * dt, speed
            out[0, k, i], out[1, k, i] = state[0, i], state[1, i]
    return steps
