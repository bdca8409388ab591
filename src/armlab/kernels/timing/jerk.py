"""The fastest motion along a path with limited jerk: an interior-point method over the square of the path speed.

Over the path the square speed x(s) is a chain of parabolas with a continuous slope; path acceleration is x'/2, path
jerk √x x''/2. The unknowns z are the middle control values of the inner intervals; the first and the last interval
run at constant path jerk from and to rest, which ties the ends of the chain to z: x = z * ends.

At the nodes x ≤ 1 / top and low ≤ A x' + B x ≤ high; at both ends of each interval √x |C x + D x' + E x''| ≤ 1, kept
as x^(-1/2) ± (C x + D x' + E x'') ≥ 0: all steps stay inside, so that every result keeps the limits.

In an interval of width δ with the control values b0, b1, b2 of x:

    x = b0 or b2 at its ends,    x' = 2 (b1 - b0) / δ or 2 (b2 - b1) / δ,    x'' = 2 (b0 - 2 b1 + b2) / δ².

The distances g to the limits of interval i stand in one row, in this order (nj limits of jerk, na of acceleration):

    start of the interval   nj of x^(-1/2) - (C x + D x' + E x''), nj of x^(-1/2) + (…)
    its end                 the same
    first node              na of high - (A x' + B x), na of (A x' + B x) - low
    three more              1 - top x at the first node; at the last node of all (else 1); b1 - DIP (b0 + b2)

The search is a primal-dual interior-point method (Nocedal and Wright, Numerical Optimization, chapter 19): it lowers
time - μ Σ log g, with a multiplier `force` for each g, force g → μ, and μ → 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import inlined, kernel

DIP = 0.02
"""The middle control value of x is above this share of the outer two: no standing still between nodes."""
INSIDE = 0.05
"""A step leaves at least this share of each distance to a limit."""


class JerkProblem(NamedTuple):
    """What the search takes: m inner intervals; speeds are in units of the mean speed of a rough timing."""

    ratio: Floats
    """(m + 1,): share of the width before each inner node in the widths before and after it"""
    ends: Floats
    """(2,): x at the first and at the last inner node, as a share of the first and of the last z"""
    delta: Floats
    """(m,): widths"""
    top: Floats
    """(m + 1,): 1 / largest x at each node"""
    slab: Floats
    """(m, 4, na): A, B, low, high at the first node of each interval"""
    jerk: Floats
    """(m, 2, 3, nj): C, D, E at both ends of each interval"""


@inlined
def controls(z: Floats, ratio: Floats, ends: Floats, i: int) -> tuple[float, float, float]:
    """Return the three control values of x in interval i."""
    m = z.shape[0]
    low = z[0] * ends[0] if i == 0 else (1.0 - ratio[i]) * z[i - 1] + ratio[i] * z[i]
    high = z[i] * ends[1] if i == m - 1 else (1.0 - ratio[i + 1]) * z[i] + ratio[i + 1] * z[i + 1]
    return low, z[i], high


@kernel
def calm(z: Floats, most: float) -> None:
    """Lower values that are more than `most` times a neighbour."""
    m = z.shape[0]
    for i in range(1, m):
        z[i] = min(z[i], most * z[i - 1])
    for i in range(m - 2, -1, -1):
        z[i] = min(z[i], most * z[i + 1])


@kernel
def excess(z: Floats, problem: JerkProblem) -> tuple[float, float]:
    """Return how far z is beyond its limits: the largest share for x and x', and that of the jerk."""
    ratio, ends, delta, top, slab, jerk = problem
    m, na, nj = z.shape[0], slab.shape[2], jerk.shape[3]
    most, most_jerk = 0.0, 0.0
    for i in range(m):
        b0, b1, b2 = controls(z, ratio, ends, i)
        inv = 1.0 / delta[i]
        # x, x', x'' of the quadratic x(s) with control values b0, b1, b2
        x2 = 2.0 * (b0 - 2.0 * b1 + b2) * inv * inv
        most = max(most, b0 * top[i])
        x1 = 2.0 * (b1 - b0) * inv
        for j in range(na):
            value = slab[i, 0, j] * x1 + slab[i, 1, j] * b0
            most = max(most, value / slab[i, 3, j], value / slab[i, 2, j])
        # jerk / limit = √x (c0 x + c1 x' + c2 x''), at both ends of the interval
        for end in range(2):
            x = b0 if end == 0 else b2
            x1 = 2.0 * (b1 - b0) * inv if end == 0 else 2.0 * (b2 - b1) * inv
            root = np.sqrt(x)
            for j in range(nj):
                value = jerk[i, end, 0, j] * x + jerk[i, end, 1, j] * x1 + jerk[i, end, 2, j] * x2
                most_jerk = max(most_jerk, root * abs(value))
        if i == m - 1:
            most = max(most, b2 * top[m])
    return most, most_jerk


@kernel
def slack_into(z: Floats, problem: JerkProblem, g: Floats) -> bool:
    """Write the distance to each limit to `g`; return whether all are above zero."""
    ratio, ends, delta, top, slab, jerk = problem
    m, na, nj = z.shape[0], slab.shape[2], jerk.shape[3]
    least = 1.0
    for i in range(m):
        b0, b1, b2 = controls(z, ratio, ends, i)
        if not (b0 > 0.0 and b1 > 0.0 and b2 > 0.0):
            return False
        inv = 1.0 / delta[i]
        x2 = 2.0 * (b0 - 2.0 * b1 + b2) * inv * inv
        k = 0
        for end in range(2):
            x = b0 if end == 0 else b2
            x1 = 2.0 * (b1 - b0) * inv if end == 0 else 2.0 * (b2 - b1) * inv
            # |c0 x + c1 x' + c2 x''| ≤ x^-½, divided by √x so that it is convex
            root = 1.0 / np.sqrt(x)
            for j in range(nj):
                value = jerk[i, end, 0, j] * x + jerk[i, end, 1, j] * x1 + jerk[i, end, 2, j] * x2
                g[i, k + j] = root - value
                g[i, k + nj + j] = root + value
            k += 2 * nj
        # acceleration: two sides of each slab; then speed, and b1 above DIP (b0 + b2)
        x1 = 2.0 * (b1 - b0) * inv
        for j in range(na):
            value = slab[i, 0, j] * x1 + slab[i, 1, j] * b0
            g[i, k + j] = slab[i, 3, j] - value
            g[i, k + na + j] = value - slab[i, 2, j]
        k += 2 * na
        g[i, k] = 1.0 - top[i] * b0
        g[i, k + 1] = 1.0 - top[m] * b2 if i == m - 1 else 1.0
        g[i, k + 2] = b1 - DIP * (b0 + b2)
        for q in range(k + 3):
            least = min(least, g[i, q])
        if not least > 0.0:
            return False
    return True


@kernel
def assemble_into(
    z: Floats, problem: JerkProblem,
    g: Floats, force: Floats, mu: float, band: Floats, slope: Floats,
) -> float:  # fmt: skip
    """Write the Newton matrix and the slope of time - μ Σ log g over z; return the time.

    `band` (m, 3) gets the diagonal and the two beside it: each interval joins three unknowns. The curvature of each
    logarithm is taken with its multiplier, force / g, and not with μ / g².
    """
    ratio, ends, delta, top, slab, jerk = problem
    m, na, nj = z.shape[0], slab.shape[2], jerk.shape[3]
    W, N, r = np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    band[:] = 0.0
    slope[:] = 0.0
    time = 0.0
    for i in range(m):
        b0, b1, b2 = controls(z, ratio, ends, i)
        inv = 1.0 / delta[i]
        d1, d2 = 2.0 * inv, 2.0 * inv * inv
        # the time of the interval, δ / √mean(x), with its slope r and its curvature W over b0, b1, b2
        mean = 0.25 * b0 + 0.5 * b1 + 0.25 * b2
        step = delta[i] / np.sqrt(mean)
        time += step
        for u in range(3):
            weight = (0.5 if u == 1 else 0.25) / mean
            r[u] = -0.5 * step * weight
            for v in range(3):
                W[u, v] = 0.75 * step * weight * ((0.5 if v == 1 else 0.25) / mean)
        k = 0
        for end in range(2):
            # the limits of jerk: slope r0, r1, r2 and curvature h over x, x', x''; x^(-1/2) falls by `fall`
            x = b0 if end == 0 else b2
            fall = -0.5 / (x * np.sqrt(x))
            h00, h01, h02, h11, h12, h22, r0, r1, r2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for j in range(nj):
                c0, c1, c2 = jerk[i, end, 0, j], jerk[i, end, 1, j], jerk[i, end, 2, j]
                inv_low, inv_high = 1.0 / g[i, k + j], 1.0 / g[i, k + nj + j]
                s_low, s_high = force[i, k + j] * inv_low, force[i, k + nj + j] * inv_high
                both, odd = s_low + s_high, s_high - s_low
                push = mu * (inv_high - inv_low)
                h00 += both * (fall * fall + c0 * c0) + 2.0 * odd * fall * c0
                h01 += both * c0 * c1 + odd * fall * c1
                h02 += both * c0 * c2 + odd * fall * c2
                h11 += both * c1 * c1
                h12 += both * c1 * c2
                h22 += both * c2 * c2
                r0 -= mu * (inv_low + inv_high) * fall + push * c0
                r1 -= push * c1
                r2 -= push * c2
            k += 2 * nj
            # over b: x, x', x'' = N b, so that r += Nᵀ r' and W += Nᵀ h N
            N[0, 0], N[0, 1], N[0, 2] = (1.0, 0.0, 0.0) if end == 0 else (0.0, 0.0, 1.0)
            N[1, 0], N[1, 1], N[1, 2] = (-d1, d1, 0.0) if end == 0 else (0.0, -d1, d1)
            N[2, 0], N[2, 1], N[2, 2] = d2, -2.0 * d2, d2
            for u in range(3):
                r[u] += r0 * N[0, u] + r1 * N[1, u] + r2 * N[2, u]
                t0 = h00 * N[0, u] + h01 * N[1, u] + h02 * N[2, u]
                t1 = h01 * N[0, u] + h11 * N[1, u] + h12 * N[2, u]
                t2 = h02 * N[0, u] + h12 * N[1, u] + h22 * N[2, u]
                for v in range(3):
                    W[u, v] += t0 * N[0, v] + t1 * N[1, v] + t2 * N[2, v]
        # the limits of acceleration at the first node, over x and x'
        h00, h01, h11, r0, r1 = 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(na):
            c1, c0 = slab[i, 0, j], slab[i, 1, j]
            inv_low, inv_high = 1.0 / g[i, k + j], 1.0 / g[i, k + na + j]
            both = force[i, k + j] * inv_low + force[i, k + na + j] * inv_high
            push = mu * (inv_low - inv_high)
            h00 += both * c0 * c0
            h01 += both * c0 * c1
            h11 += both * c1 * c1
            r0 += push * c0
            r1 += push * c1
        k += 2 * na
        # the limit of speed at the first node; x = b0 and x' = d1 (b1 - b0) there
        h00 += force[i, k] / g[i, k] * top[i] * top[i]
        r0 += mu / g[i, k] * top[i]
        r[0] += r0 - d1 * r1
        r[1] += d1 * r1
        W[0, 0] += h00 - 2.0 * d1 * h01 + d1 * d1 * h11
        W[0, 1] += d1 * h01 - d1 * d1 * h11
        W[1, 0] += d1 * h01 - d1 * d1 * h11
        W[1, 1] += d1 * d1 * h11
        if i == m - 1:  # and at the last node of all
            W[2, 2] += force[i, k + 1] / g[i, k + 1] * top[m] * top[m]
            r[2] += mu / g[i, k + 1] * top[m]
        # b1 - DIP (b0 + b2) > 0
        for u in range(3):
            weight = 1.0 if u == 1 else -DIP
            r[u] -= mu / g[i, k + 2] * weight
            for v in range(3):
                W[u, v] += force[i, k + 2] / g[i, k + 2] * weight * (1.0 if v == 1 else -DIP)
        # from b to the unknowns z[i - 1], z[i], z[i + 1], as in `controls`, and into the band
        N[0, 0] = 0.0 if i == 0 else 1.0 - ratio[i]
        N[0, 1] = ends[0] if i == 0 else ratio[i]
        N[2, 1] = ends[1] if i == m - 1 else 1.0 - ratio[i + 1]
        N[2, 2] = 0.0 if i == m - 1 else ratio[i + 1]
        N[0, 2], N[1, 0], N[1, 1], N[1, 2], N[2, 0] = 0.0, 0.0, 1.0, 0.0, 0.0
        for u in range(3):
            if i + u < 1 or i + u > m:
                continue
            slope[i + u - 1] += r[0] * N[0, u] + r[1] * N[1, u] + r[2] * N[2, u]
            t0 = W[0, 0] * N[0, u] + W[0, 1] * N[1, u] + W[0, 2] * N[2, u]
            t1 = W[1, 0] * N[0, u] + W[1, 1] * N[1, u] + W[1, 2] * N[2, u]
            t2 = W[2, 0] * N[0, u] + W[2, 1] * N[1, u] + W[2, 2] * N[2, u]
            for v in range(u, 3):
                if i + v <= m:
                    band[i + u - 1, v - u] += t0 * N[0, v] + t1 * N[1, v] + t2 * N[2, v]
    return time


@kernel
def solve_band(band: Floats, right: Floats) -> None:
    """Solve a symmetric system of five diagonals in place: `band` (m, 3) is used up, `right` becomes the answer."""
    m = band.shape[0]
    # L D Lᵀ, row by row; `one` and `two` are the elements of L
    for i in range(m):
        pivot = band[i, 0]
        one = band[i, 1] / pivot if i + 1 < m else 0.0
        two = band[i, 2] / pivot if i + 2 < m else 0.0
        if i + 1 < m:
            band[i + 1, 0] -= one * band[i, 1]
            right[i + 1] -= one * right[i]
        if i + 2 < m:
            band[i + 1, 1] -= one * band[i, 2]
            band[i + 2, 0] -= two * band[i, 2]
            right[i + 2] -= two * right[i]
        band[i, 1], band[i, 2] = one, two
    # back substitution
    for i in range(m - 1, -1, -1):
        value = right[i] / band[i, 0]
        if i + 1 < m:
            value -= band[i, 1] * right[i + 1]
        if i + 2 < m:
            value -= band[i, 2] * right[i + 2]
        right[i] = value


@kernel
def push_into(
    z: Floats, dz: Floats, problem: JerkProblem,
    g: Floats, force: Floats, mu: float, change: Floats,
) -> tuple[float, float]:  # fmt: skip
    """Write the change of the multipliers that goes with `dz`; return how far both may go, to first order."""
    ratio, ends, delta, top, slab, jerk = problem
    m, na, nj = z.shape[0], slab.shape[2], jerk.shape[3]
    go, go_force = 1.0, 1.0
    for i in range(m):
        b0, _, b2 = controls(z, ratio, ends, i)
        d0, d1, d2 = controls(dz, ratio, ends, i)
        inv = 1.0 / delta[i]
        x2 = 2.0 * (d0 - 2.0 * d1 + d2) * inv * inv
        k = 0
        for end in range(2):
            x = b0 if end == 0 else b2
            dx = d0 if end == 0 else d2
            x1 = 2.0 * (d1 - d0) * inv if end == 0 else 2.0 * (d2 - d1) * inv
            fall = -0.5 / (x * np.sqrt(x)) * dx
            for j in range(nj):
                value = jerk[i, end, 0, j] * dx + jerk[i, end, 1, j] * x1 + jerk[i, end, 2, j] * x2
                change[i, k + j] = fall - value
                change[i, k + nj + j] = fall + value
            k += 2 * nj
        x1 = 2.0 * (d1 - d0) * inv
        for j in range(na):
            value = slab[i, 0, j] * x1 + slab[i, 1, j] * d0
            change[i, k + j] = -value
            change[i, k + na + j] = value
        k += 2 * na
        change[i, k] = -top[i] * d0
        change[i, k + 1] = -top[m] * d2 if i == m - 1 else 0.0
        change[i, k + 2] = d1 - DIP * (d0 + d2)
        for q in range(k + 3):
            # the longest step that keeps a share INSIDE of the distance to every limit
            step, room = change[i, q], g[i, q]
            if step * go < -(1.0 - INSIDE) * room:
                go = -(1.0 - INSIDE) * room / step
            change[i, q] = (mu - force[i, q] * step) / room - force[i, q]  # force g = μ after the step
            if change[i, q] * go_force < -(1.0 - INSIDE) * force[i, q]:
                go_force = -(1.0 - INSIDE) * force[i, q] / change[i, q]
    return go, go_force


@kernel
def fastest_into(
    z: Floats, problem: JerkProblem,
    steps: int, gap: float, goal: float,
) -> int:  # fmt: skip
    """Improve z, which must keep all limits, until its time is within the share `goal` of the best; return the steps.

    `gap` is the share of its time by which z may be slower than the best, roughly: where the search begins.
    """
    delta = problem.delta
    m = z.shape[0]
    rows = 4 * problem.jerk.shape[3] + 2 * problem.slab.shape[2] + 3
    g, force, change = np.empty((m, rows)), np.empty((m, rows)), np.empty((m, rows))
    band, dz, trial = np.empty((m, 3)), np.empty(m), np.empty(m)
    if not slack_into(z, problem, g):
        return -1
    time = 0.0
    for i in range(m):
        time += delta[i] / np.sqrt(z[i])
    # multipliers on the central path: force g = μ, and Σ force g is the gap to the best time
    sigma = 0.3
    mu = gap * time / (m * rows)
    for i in range(m):
        for k in range(rows):
            force[i, k] = mu / g[i, k]
    # primal-dual interior point (Boyd and Vandenberghe 2004, 11.7): gap, Newton step, longest step inside
    for count in range(steps):
        left = 0.0
        for i in range(m):
            for k in range(rows):
                left += g[i, k] * force[i, k]
        if left < goal * time:
            return count
        mu = sigma * left / (m * rows)  # nearer to the limits by σ; the better the last step, the bolder
        time = assemble_into(z, problem, g, force, mu, band, dz)
        for i in range(m):
            dz[i] = -dz[i]
        solve_band(band, dz)
        go, go_force = push_into(z, dz, problem, g, force, mu, change)
        is_inside = False
        for _ in range(30):  # to first order `go` stays inside; shorten it until it really does
            for i in range(m):
                trial[i] = z[i] + go * dz[i]
            is_inside = slack_into(trial, problem, g)
            if is_inside:
                break
            go *= 0.7
        if not is_inside:
            return count
        z[:] = trial
        for i in range(m):
            for k in range(rows):
                force[i, k] += go_force * change[i, k]
        least = min(go, go_force)
        sigma = 0.1 if least > 0.7 else (0.3 if least > 0.3 else 0.6)
    return steps
