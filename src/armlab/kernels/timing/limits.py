"""Limits of joints and tool as the search for the fastest smooth timing takes them (see armlab.kernels.timing.jerk)."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import kernel
from armlab.kernels.timing.jerk import JerkProblem, controls

FASTEST = 1e8
"""The largest square speed, in units of the mean one."""
STEEP = 4.0
"""The mean speed in an interval counts up to so many times the speed at one of its ends."""


@kernel
def limits_into(
    local: Floats, delta: Floats, bounds: Floats, table: Floats, twists: Floats, top: Floats, slab: Floats, jerk: Floats
) -> None:
    """Write the limits of all inner intervals: joints with `bounds` (3, n), then the sampled rows.

    `table` (m + 2, 3, 3, k) has a, b, c of |a s̈ + b ṡ² + c| ≤ 1, `twists` (m + 2, 2, 3, k) C, D, E. The first and the
    last interval, at constant jerk, end in limits of their x: s̈ is 2 x / 3 delta there, the jerk 2 x^1.5 / 9 delta².
    """
    count, terms, n = local.shape
    m = count - 2
    extra, turns = table.shape[3], twists.shape[3]
    d = np.empty((2, 3))
    for i in range(m + 1):
        top[i] = 1.0 / FASTEST
    for i in range(count):
        w = delta[i]
        for j in range(n):
            # the first three derivatives d1, d2, d3 of the joint over s at both ends of the interval
            for order in range(1, 4):
                first = local[i, order, j] if order < terms else 0.0
                last = 0.0
                for p in range(order, terms):
                    rate = 1.0
                    for f in range(order):
                        rate *= p - f
                    last += rate * local[i, p, j]
                d[0, order - 1] = first * (1.0, 2.0, 6.0)[order - 1] / w**order
                d[1, order - 1] = last / w**order
            v, a, q = bounds[0, j], bounds[1, j], bounds[2, j]
            if 0 < i < count - 1:
                # q̇² = d1² x;  q̈ = d1 x'/2 + d2 x;  jerk = √x (d3 x + 3/2 d2 x' + 1/2 d1 x'')
                top[i - 1] = max(top[i - 1], (d[0, 0] / v) ** 2)
                top[i] = max(top[i], (d[1, 0] / v) ** 2)
                slab[i - 1, 0, j], slab[i - 1, 1, j] = 0.5 * d[0, 0] / a, d[0, 1] / a
                slab[i - 1, 2, j], slab[i - 1, 3, j] = -1.0, 1.0
                for end in range(2):
                    jerk[i - 1, end, 0, j] = d[end, 2] / q
                    jerk[i - 1, end, 1, j] = 1.5 * d[end, 1] / q
                    jerk[i - 1, end, 2, j] = 0.5 * d[end, 0] / q
            else:
                # constant path jerk from or to rest: `outer` is the end at rest, `inner` the one that moves
                inner, outer, sign, node = (1, 0, 1.0, 0) if i == 0 else (0, 1, -1.0, m)
                at_rest = abs(d[outer, 0]) * 2.0 / (9.0 * w * w) / q
                moving = abs(d[inner, 2] + sign * d[inner, 1] * 2.0 / w + d[inner, 0] * 2.0 / (9.0 * w * w)) / q
                pull = abs(d[inner, 1] + sign * d[inner, 0] * 2.0 / (3.0 * w)) / a
                top[node] = max(top[node], max(at_rest, moving) ** (2.0 / 3.0), pull)
        for j in range(extra):  # sampled: |a s̈ + b ṡ² + c| ≤ 1
            if 0 < i < count - 1:
                slab[i - 1, 0, n + j], slab[i - 1, 1, n + j] = 0.5 * table[i, 0, 0, j], table[i, 1, 0, j]
                slab[i - 1, 2, n + j], slab[i - 1, 3, n + j] = -1.0 - table[i, 2, 0, j], 1.0 - table[i, 2, 0, j]
            else:
                inner, sign, node = (2, 1.0, 0) if i == 0 else (0, -1.0, m)
                pull = table[i, 1, inner, j] + sign * table[i, 0, inner, j] * 2.0 / (3.0 * w)
                rest = table[i, 2, inner, j]
                top[node] = max(top[node], pull / (1.0 - rest), -pull / (1.0 + rest))
        for j in range(turns):  # sampled: √x |C x + D x' + E x''| ≤ 1
            if 0 < i < count - 1:
                for end in range(2):
                    for k in range(3):
                        jerk[i - 1, end, k, n + j] = twists[i, end, k, j]
            else:
                inner, outer, sign, node = (1, 0, 1.0, 0) if i == 0 else (0, 1, -1.0, m)
                at_rest = abs(twists[i, outer, 2, j]) * 4.0 / (9.0 * w * w)
                moving = abs(
                    twists[i, inner, 0, j]
                    + sign * twists[i, inner, 1, j] * 4.0 / (3.0 * w)
                    + twists[i, inner, 2, j] * 4.0 / (9.0 * w * w)
                )
                top[node] = max(top[node], max(at_rest, moving) ** (2.0 / 3.0))


@kernel
def even_out(z: Floats, problem: JerkProblem, h: Floats, bends: Floats) -> None:
    """Let the path jerk count as the constant that it is over each interval: E = `bends` times mean speed / speed.

    `h` (m + 2,) says how long the intervals take, the first and the last included.
    """
    ratio, ends, delta, jerk = problem.ratio, problem.ends, problem.delta, problem.jerk
    m, n = z.shape[0], jerk.shape[3]
    for i in range(m):
        b0, _, b2 = controls(z, ratio, ends, i)
        mean = delta[i] / h[i + 1]
        for end in range(2):
            share = min(mean / np.sqrt(b0 if end == 0 else b2), STEEP)
            for j in range(n):
                jerk[i, end, 2, j] = bends[i, end, j] * share
