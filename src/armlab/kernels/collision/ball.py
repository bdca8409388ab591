"""A small ball round points."""

from __future__ import annotations

import math

from armlab.arrays import Floats
from armlab.kernels.jit import kernel


@kernel
def ball_into(points: Floats, steps: int, out: Floats) -> None:
    """Write centre and radius of a ball that holds all `points` (k, 3) to `out` (4,).

    The centre starts amid the points' box and goes `steps` times towards the farthest point, less and less far (Badoiu
    and Clarkson 2003); the smallest ball on the way is taken.
    """
    for i in range(3):
        low, high = math.inf, -math.inf
        for k in range(points.shape[0]):
            low, high = min(low, points[k, i]), max(high, points[k, i])
        out[i] = 0.5 * (low + high)
    x, y, z = out[0], out[1], out[2]
    best = math.inf
    for step in range(steps):
        most, farthest = -1.0, 0
        for k in range(points.shape[0]):
            dx, dy, dz = points[k, 0] - x, points[k, 1] - y, points[k, 2] - z
            square = dx * dx + dy * dy + dz * dz
            if square > most:
                most, farthest = square, k
        if most < best:
            best = most
            out[0], out[1], out[2] = x, y, z
        share = 1.0 / (step + 2.0)
        x += share * (points[farthest, 0] - x)
        y += share * (points[farthest, 1] - y)
        z += share * (points[farthest, 2] - z)
    out[3] = math.sqrt(best)
