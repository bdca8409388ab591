"""The fastest motion along a path: reachable sets over a grid, with limits that hold between its points too.

The path is cut into intervals; in each the joints are polynomials Q(σ), σ from 0 to 1, and the path acceleration is
constant, so that the square of the path speed is linear: x at the start, y at the end. Velocity squared and
acceleration of a joint are then polynomials in σ whose control values (Bernstein) are linear in x and y. A polynomial
stays between its control values: limits on these hold in the whole interval, not only on the grid.

A row of an interval is low ≤ α x + β y ≤ high, kept as l - r x ≤ y ≤ h - r x. Backwards over the intervals the largest
x from which the rest can be done, then forwards the largest y (reachability analysis after Pham and Pham, 2018).
"""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import inlined, kernel

FLAT = 1e-12
"""A row whose β is below this share of its α limits x alone."""
STEPS = 64
"""How many corners of the feasible set are visited at most while its end is sought."""
ALL = -1
"""The status when all was done; otherwise the interval where it ended."""


@kernel
def cut_into(coefficients: Floats, parts: Floats, out: Floats) -> None:
    """Write the polynomials of `parts` (m, 3): piece, first and last u, as polynomials over 0…1 to `out`."""
    terms, n = coefficients.shape[1], coefficients.shape[2]
    for i in range(parts.shape[0]):
        k, low, width = int(parts[i, 0]), parts[i, 1], parts[i, 2] - parts[i, 1]
        for p in range(terms):
            for j in range(n):
                out[i, p, j] = coefficients[k, p, j]
        # shift the origin to `low` (Horner's scheme for Taylor coefficients), then stretch 0…width to 0…1
        if low > 0.0:
            for p in range(terms - 1):
                for r in range(terms - 2, p - 1, -1):
                    for j in range(n):
                        out[i, r, j] += low * out[i, r + 1, j]
        scale = width
        for p in range(1, terms):
            for j in range(n):
                out[i, p, j] *= scale
            scale *= width


@kernel
def shares_into(degree: int, out: Floats) -> None:
    """Write 1 / C(degree, p) for p from 0 to `degree` to `out`."""
    binomial = 1.0
    for p in range(degree + 1):
        out[p] = 1.0 / binomial
        binomial = binomial * (degree - p) / (p + 1.0)


@kernel
def to_controls(c: Floats, degree: int, shares: Floats) -> None:
    """Turn power coefficients over 0…1 into control values, in place; `shares` are 1 / binomials, see `shares_into`.

    A polynomial Σ c_p σᵖ of degree d has the control values Σ_{p ≤ k} C(k, p) / C(d, p) c_p.
    """
    for p in range(1, degree):
        c[p] *= shares[p]
    for i in range(degree):
        for p in range(degree, i, -1):
            c[p] += c[p - 1]


@inlined
def add_row(
    rows: Floats, count: int, cap: float, alpha: float, beta: float, low: float, high: float
) -> tuple[int, float]:
    """Add low ≤ α x + β y ≤ high to `rows` (r, 3): r, l, h; return their number and the bound on x."""
    # β ≈ 0: a bound on x alone
    size = abs(beta)
    if size <= FLAT * abs(alpha) or size == 0.0:
        if alpha > 0.0:
            cap = min(cap, high / alpha)
        elif alpha < 0.0:
            cap = min(cap, low / alpha)
        return count, cap
    # divide by β: l - r x ≤ y ≤ h - r x; with r > 0 it also bounds x, since y ≥ 0
    per_beta = 1.0 / beta
    r = alpha * per_beta
    rows[count, 0] = r
    if beta > 0.0:
        rows[count, 1], rows[count, 2] = low * per_beta, high * per_beta
        if r > 0.0:
            cap = min(cap, high / alpha)
    else:
        rows[count, 1], rows[count, 2] = high * per_beta, low * per_beta
        if r > 0.0:
            cap = min(cap, low / alpha)
    return count + 1, cap


@kernel
def to_controls_each(c: Floats, degree: int, shares: Floats) -> None:
    """Do the same with each column of `c` (degree + 1, n)."""
    n = c.shape[1]
    for p in range(1, degree):
        for j in range(n):
            c[p, j] *= shares[p]
    for i in range(degree):
        for p in range(degree, i, -1):
            for j in range(n):
                c[p, j] += c[p - 1, j]


@kernel
def joint_rows_into(
    local: Floats, delta: Floats, velocity: Floats, acceleration: Floats, rows: Floats, counts: Floats, caps: Floats
) -> None:
    """Add the rows of all joints for velocity and acceleration to `rows` (m, r, 3).

    With the slope q' and the bend q'' over σ, the path acceleration (y - x) / 2 and the square speed x + σ (y - x), all
    over the width Δ of the interval, a joint has

        q̈ = (q' (y - x) / 2 + q'' (x + σ (y - x))) / Δ²,    q̇² = q'² (x + σ (y - x)) / Δ².
    """
    m, terms, n = local.shape
    d = terms - 1
    # control values of what x and y are multiplied with: of the accelerations (degree d - 1), of one joint's velocity²
    a, b, speeds = np.empty((d, n)), np.empty((d, n)), np.empty((d, n))
    alpha, beta = np.empty(2 * d), np.empty(2 * d)
    shares, shares_2 = np.empty(d), np.empty(2 * d)
    shares_into(d - 1, shares)
    shares_into(2 * d - 1, shares_2)
    per_a, per_v, most = 1.0 / acceleration, 1.0 / velocity, np.empty(n)
    for i in range(m):
        count, cap = int(counts[i]), caps[i]
        per_s2 = 1.0 / (delta[i] * delta[i])
        # coefficients of q̈ Δ² over x and y: slope/2 and σ slope join to (p + ½), q'' comes on top of x
        for p in range(d):
            half, once = p + 0.5, p + 1.0
            for j in range(n):
                slope = local[i, p + 1, j] * once
                speeds[p, j] = slope * per_v[j]
                b[p, j] = slope * half * (per_s2 * per_a[j])
                a[p, j] = -b[p, j]
            if p + 2 <= d:
                twice = (p + 2.0) * once * per_s2
                for j in range(n):
                    a[p, j] += local[i, p + 2, j] * (twice * per_a[j])
        to_controls_each(a, d - 1, shares)
        to_controls_each(b, d - 1, shares)
        to_controls_each(speeds, d - 1, shares)
        # acceleration rows of every joint; on the way the range of q' over the interval, per limit
        floor = 0.0
        for j in range(n):
            low, high = speeds[0, j], speeds[0, j]
            for p in range(d):
                count, cap = add_row(rows[i], count, cap, a[p, j], b[p, j], -1.0, 1.0)
                low, high = min(low, speeds[p, j]), max(high, speeds[p, j])
            most[j] = max(-low, high)
            floor = max(floor, low, -high)
        # velocity rows, only of joints that can be the first to reach their limit
        for j in range(n):
            if most[j] < floor or most[j] == 0.0:  # another joint is nearer to its limit in the whole interval
                continue
            for p in range(2 * d):
                beta[p] = 0.0
            for p in range(d):  # q'²
                for r in range(d):
                    beta[p + r] += local[i, p + 1, j] * (p + 1.0) * local[i, r + 1, j] * (r + 1.0)
            scale = per_s2 * per_v[j] * per_v[j]
            top = 2 * d - 1
            for p in range(top, -1, -1):  # (1 - σ) q'² and σ q'²
                before = beta[p - 1] if p > 0 else 0.0
                alpha[p] = (beta[p] - before) * scale
                beta[p] = before * scale
            to_controls(alpha, top, shares_2)
            to_controls(beta, top, shares_2)
            for p in range(top + 1):
                count, cap = add_row(rows[i], count, cap, alpha[p], beta[p], -np.inf, 1.0)
        counts[i], caps[i] = count, cap


@kernel
def sampled_rows_into(
    demands: Floats, share: Floats, delta: Floats, rows: Floats, counts: Floats, caps: Floats
) -> tuple[int, int]:
    """Add the rows |a s̈ + b ṡ² + c| ≤ share of an interval; `demands` (m, 3, 3, k): a, b, c at its start, middle, end.

    Between the samples a, b, c are taken as parabolas. Returns interval and column of the first c that is beyond its
    share already at rest, or ALL.
    """
    m, k = demands.shape[0], demands.shape[3]
    a, b, c, shares = np.empty(4), np.empty(4), np.empty(4), np.empty(4)
    shares_into(3, shares)
    for i in range(m):
        count, cap = int(counts[i]), caps[i]
        half = 0.5 / delta[i]
        for j in range(k):
            # parabolas through the three samples; a, b multiply s̈ = (y - x)/2Δ and ṡ² = x + σ (y - x)
            for what in range(3):
                first, middle, last = demands[i, what, 0, j], demands[i, what, 1, j], demands[i, what, 2, j]
                slope, bend = 4.0 * middle - 3.0 * first - last, 2.0 * (first + last) - 4.0 * middle
                if what == 0:
                    b[0], b[1], b[2], b[3] = first * half, slope * half, bend * half, 0.0
                    a[0], a[1], a[2], a[3] = -b[0], -b[1], -b[2], 0.0
                elif what == 1:
                    a[0] += first
                    a[1] += slope - first
                    a[2] += bend - slope
                    a[3] -= bend
                    b[1] += first
                    b[2] += slope
                    b[3] += bend
                else:
                    c[0], c[1], c[2], c[3] = first, slope, bend, 0.0
            to_controls(a, 3, shares)
            to_controls(b, 3, shares)
            to_controls(c, 3, shares)
            for p in range(4):
                if not abs(c[p]) < share[i]:
                    return i, j
                count, cap = add_row(rows[i], count, cap, a[p], b[p], -share[i] - c[p], share[i] - c[p])
        counts[i], caps[i] = count, cap
    return ALL, ALL


@inlined
def bounds(rows: Floats, count: int, top: float, x: float) -> tuple[float, int, float, int]:
    """Return the largest y for `x` and its row, the smallest y and its row; a row of -1 stands for `top` and for 0."""
    high, first, low, last = top, -1, 0.0, -1
    for k in range(count):
        shift = rows[k, 0] * x
        if rows[k, 2] - shift < high:
            high, first = rows[k, 2] - shift, k
        if rows[k, 1] - shift > low:
            low, last = rows[k, 1] - shift, k
    return high, first, low, last


@kernel
def largest(rows: Floats, count: int, top: float, cap: float) -> float:
    """Return the largest x up to `cap` that leaves a y from 0 to `top`: along corners of the feasible set."""
    x = cap
    for _ in range(STEPS):
        high, first, low, last = bounds(rows, count, top, x)
        if high >= low:
            return x
        # upper and lower edge cross: go back to where they do (Newton on a piecewise linear gap)
        fall = (rows[first, 0] if first >= 0 else 0.0) - (rows[last, 0] if last >= 0 else 0.0)
        if fall <= 0.0:
            return 0.0
        x = max(min(x - (low - high) / fall, x * (1.0 - 1e-15)), 0.0)
    return x


@kernel
def quickest(rows: Floats, count: int, top: float, x: float) -> float:
    """Return the x, up to the feasible `x`, with which the interval takes least time: √x + √y is largest.

    A larger x would cost more at the end of the interval than it gives at its start. On the upper edge y = h - r x of
    the feasible set √x + √y grows while r² x < y.
    """
    high, right, _, _ = bounds(rows, count, top, x)
    if right < 0 or rows[right, 0] <= 0.0 or rows[right, 0] ** 2 * x <= high:
        return x
    _, left, _, _ = bounds(rows, count, top, 0.0)
    for _ in range(STEPS):
        r, h = rows[right, 0], rows[right, 2]
        r_left, h_left = (rows[left, 0], rows[left, 2]) if left >= 0 else (0.0, top)
        x = float(h / (r * (r + 1.0)))  # where this edge alone is best
        if left == right or r <= r_left:
            return x
        corner = float((h - h_left) / (r - r_left))
        if corner <= x:  # the best is on the right edge, or on an edge between
            high, middle, _, _ = bounds(rows, count, top, x)
            if middle == right or high >= (h - r * x) * (1.0 - 1e-14):
                return x
        else:
            high, middle, _, _ = bounds(rows, count, top, corner)
            if high >= (h - r * corner) * (1.0 - 1e-14):
                if r_left <= 0.0 or r_left**2 * corner <= high:
                    return corner
                return float(h_left / (r_left * (r_left + 1.0)))
            x = corner
        slope = rows[middle, 0] if middle >= 0 else 0.0
        if slope > 0.0 and slope**2 * x > high:
            right = middle
        else:
            left = middle
    return x


@kernel
def solve_into(rows: Floats, counts: Floats, caps: Floats, is_rest: Floats, reach: Floats, x: Floats) -> int:
    """Write the largest square speeds that can still stop in time to `reach`, the fastest ones to `x`, (m + 1,) each.

    `is_rest` (m,) is 1 where an interval starts at rest. Returns ALL, or the interval that cannot be passed.
    """
    m = counts.shape[0]
    reach[m] = 0.0
    # backwards: the largest x from which the rest can be done
    for i in range(m - 1, -1, -1):
        if is_rest[i] > 0.0:
            reach[i] = 0.0
            continue
        count = int(counts[i])
        reach[i] = quickest(rows[i], count, reach[i + 1], largest(rows[i], count, reach[i + 1], caps[i]))
    # forwards: the largest y that the rows and the sets ahead allow
    x[0] = 0.0
    for i in range(m):
        high, _, _, _ = bounds(rows[i], int(counts[i]), reach[i + 1], x[i])
        x[i + 1] = max(high, 0.0)
        if not x[i] + x[i + 1] > 0.0:
            return i
    return ALL


@kernel
def solve_on_into(
    rows: Floats, counts: Floats, caps: Floats, is_rest: Floats, x0: float, most: Floats, reach: Floats, x: Floats
) -> int:
    """Do what `solve_into` does for a path that begins with the square speed `x0`, and of which more may follow.

    `most` are the largest square speeds from which the end can be reached at all. `reach` may ask for less where that
    is quicker; what was driven before `x0` did not know it, so that braking as hard as can be is allowed too.
    """
    m = counts.shape[0]
    most[m], reach[m] = 0.0, 0.0
    for i in range(m - 1, -1, -1):
        if is_rest[i] > 0.0:
            most[i], reach[i] = 0.0, 0.0
            continue
        count = int(counts[i])
        most[i] = largest(rows[i], count, most[i + 1], caps[i])
        reach[i] = quickest(rows[i], count, reach[i + 1], largest(rows[i], count, reach[i + 1], caps[i]))
    x[0] = min(x0, most[0])
    for i in range(m):
        high, _, low, _ = bounds(rows[i], int(counts[i]), reach[i + 1], x[i])
        x[i + 1] = min(max(high, low, 0.0), most[i + 1])
        if not x[i] + x[i + 1] > 0.0:
            return i
    return ALL
