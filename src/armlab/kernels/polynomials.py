"""Pieces of polynomials: values, derivatives and exact extremes.

`breaks` (k + 1,) grow; piece i is the sum of `coefficients[i, p] * u**p` with u = (x - breaks[i]) / width, from 0 to 1:
coefficients (k, d + 1, n) therefore keep their size whatever the widths are. Before the first break and after the last
the curve stands still: its first and last value, and derivatives of zero.
"""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import kernel

DEPTH = 48
"""How often an interval is halved at most while an extreme is sought: 2^-48 of a piece."""
MOST_STEPS = 5000
"""How many intervals are looked at for one extreme at most; a few dozen are usual."""
TOLERANCE = 1e-13
"""An extreme is exact up to this share of the largest control value."""
NATURAL, CLAMPED, NOT_A_KNOT, QUARTIC = 0, 1, 2, 3
"""What a spline does at its ends."""


@kernel
def piece_of(breaks: Floats, x: float) -> int:
    """Return the piece that holds `x`; a break belongs to the piece that it starts, the last one to the last piece."""
    # bisection
    low, high = 0, breaks.shape[0] - 2
    while low < high:
        middle = (low + high + 1) // 2
        if breaks[middle] <= x:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def evaluate_into(breaks: Floats, coefficients: Floats, x: Floats, out: Floats) -> None:
    """Write value and derivatives at each `x` (m,) to `out` (m, orders, n)."""
    pieces, terms, n = coefficients.shape
    orders = out.shape[1]
    i = 0
    for k in range(x.shape[0]):
        # x usually grows: look into the last piece first
        if not (breaks[i] <= x[k] and (i == pieces - 1 or x[k] < breaks[i + 1])):
            i = piece_of(breaks, x[k])
        width = breaks[i + 1] - breaks[i]
        u = min(max((x[k] - breaks[i]) / width, 0.0), 1.0)
        is_outside = x[k] < breaks[0] or x[k] > breaks[pieces]
        factor = 1.0
        for order in range(orders):
            for j in range(n):
                out[k, order, j] = 0.0
            if is_outside and order > 0:
                continue
            # Horner for Σ c_p · p!/(p - order)! · u^(p - order) / width^order
            for p in range(terms - 1, order - 1, -1):
                rate = factor
                for f in range(order):
                    rate *= p - f
                for j in range(n):
                    out[k, order, j] = out[k, order, j] * u + coefficients[i, p, j] * rate
            factor /= width


@kernel
def _to_bernstein(c: Floats, degree: int, out: Floats) -> None:
    """Write the control values on 0…1 of the polynomial with power coefficients `c` to `out`; `c` is used up.

    b_i is the sum over p ≤ i of c_p C(i, p) / C(d, p): divide first, then sum differences up row by row.
    """
    binomial = 1.0
    for p in range(degree + 1):
        c[p] /= binomial
        binomial = binomial * (degree - p) / (p + 1.0)
    for i in range(degree + 1):
        out[i] = c[0]
        for p in range(degree - i):
            c[p] += c[p + 1]


@kernel
def _halve(b: Floats, degree: int, left: Floats, right: Floats) -> None:
    """Split control values on an interval into those of its two halves (de Casteljau)."""
    for i in range(degree + 1):
        right[i] = b[i]
    for level in range(degree + 1):
        left[level] = right[0]
        for i in range(degree - level):
            right[i] = 0.5 * (right[i] + right[i + 1])


@kernel
def _highest(stack: Floats, ends: Floats, degree: int, best: float, place: float) -> tuple[float, float]:
    """Return the highest value and where it is, if it is above `best`; the first row of `stack` has the controls."""
    # a polynomial lies in the hull of its control values: an interval whose largest one is not above `best` is done
    scale = 0.0
    for i in range(degree + 1):
        scale = max(scale, abs(stack[0, i]))
    slack = TOLERANCE * scale
    ends[0, 0], ends[0, 1] = 0.0, 1.0
    top, steps = 0, 0
    while top >= 0 and steps < MOST_STEPS:
        steps += 1
        # row `top` of the stack: controls b of one interval; the values at its ends are the first and the last
        b = stack[top]
        if b[0] > best:
            best, place = b[0], ends[top, 0]
        if b[degree] > best:
            best, place = b[degree], ends[top, 1]
        bound = b[0]
        for i in range(1, degree + 1):
            bound = max(bound, b[i])
        low, high = ends[top, 0], ends[top, 1]
        if not bound > best + slack or top >= DEPTH - 1:
            top -= 1
            continue
        # split it: the right half takes its place, the left one goes on top; the last row is scratch
        _halve(b, degree, stack[top + 1], stack[DEPTH])
        for i in range(degree + 1):
            stack[top, i] = stack[DEPTH, i]
        middle = 0.5 * (low + high)
        ends[top, 0], ends[top, 1] = middle, high
        ends[top + 1, 0], ends[top + 1, 1] = low, middle
        top += 1
    return best, place


@kernel
def extremes_into(breaks: Floats, coefficients: Floats, order: int, out: Floats) -> None:
    """Write lowest, highest value of a derivative and where they are to `out` (4, n): low, high, x_low, x_high."""
    pieces, terms, n = coefficients.shape
    degree = max(terms - 1 - order, 0)
    stack, ends = np.empty((DEPTH + 1, terms)), np.empty((DEPTH + 1, 2))
    c = np.empty(terms)
    for j in range(n):
        for side in range(2):
            sign = 1.0 if side == 1 else -1.0
            best, where = -np.inf, breaks[0]
            for i in range(pieces):
                # power coefficients of ± the derivative on this piece
                width = breaks[i + 1] - breaks[i]
                for p in range(degree + 1):
                    rate = sign
                    for f in range(order):
                        rate *= (p + order - f) / width
                    c[p] = coefficients[i, p + order, j] * rate if p + order < terms else 0.0
                _to_bernstein(c, degree, stack[0])
                found, u = _highest(stack, ends, degree, best, -1.0)
                if u >= 0.0:
                    best, where = found, breaks[i] + u * width
            out[side, j], out[2 + side, j] = sign * best, where


@kernel
def spline_into(x: Floats, points: Floats, ends: int, rates: Floats, bends: Floats, out: Floats) -> None:
    """Write the spline through `points` (m, n) at `x` (m,) to `out` (m - 1, 4 or 5, n).

    Its second derivative is continuous. At the ends it has no curvature (`NATURAL`), the slopes `rates` (2, n)
    (`CLAMPED`), these and the second derivatives `bends` (2, n) (`QUARTIC`: degree 4 in the first and the last piece,
    three points or more), or no break at the second and the last but one node (`NOT_A_KNOT`). The unknowns are the
    slopes at the nodes; they solve a tridiagonal system.
    """
    m, n = points.shape
    h, above, slopes = np.empty(m - 1), np.empty(m), np.empty((m, n))
    for i in range(m - 1):
        h[i] = x[i + 1] - x[i]
    is_given = ends in (CLAMPED, QUARTIC)
    # Row i of the system for the slopes s (inside: the second derivative is continuous, de Boor 1978, chapter IV):
    #   b s_{i-1} + 2 (a + b) s_i + a s_{i+1} = 3 (b Δ_{i-1} + a Δ_i),  a = h_{i-1}, b = h_i, Δ the chords' slopes.
    # It is eliminated as it is made (Thomas): `above` and `slopes` hold what is left of it.
    for i in range(m):
        a, b = h[max(i - 1, 0)], h[min(i, m - 2)]
        below, middle, beyond = b, 2.0 * (a + b), a
        at_end = i == 0 or i == m - 1
        inner = h[min(1, m - 2)] if i == 0 else h[max(m - 3, 0)]
        bend_before, bend_after = ends == QUARTIC and i == 1, ends == QUARTIC and i == m - 2
        # rows at the ends: given slopes; no curvature; a line; a parabola; not a knot
        if at_end and is_given:
            below, middle, beyond = 0.0, 1.0, 0.0
        elif at_end and ends == NATURAL:
            below, middle, beyond = 1.0, 2.0, 1.0
        elif at_end and m == 2:
            below, middle, beyond = 0.0, 1.0, 0.0
        elif at_end and m == 3:
            below, middle, beyond = 1.0, 1.0, 1.0
        elif at_end:
            below, middle, beyond = a + inner, inner, a + inner
        else:
            # beside a quartic piece the given second derivative enters
            if bend_before:
                below, middle = below + 2.0 * b, middle + b
            if bend_after:
                beyond, middle = beyond + 2.0 * a, middle + a
        pivot = middle - (below * above[i - 1] if i > 0 else 0.0)
        above[i] = beyond / pivot
        # right sides: near and far are the slopes of the chords in front of and behind the node
        for j in range(n):
            near = (points[1, j] - points[0, j]) / h[0] if i == 0 else (points[i, j] - points[i - 1, j]) / a
            if not at_end:
                far = (points[i + 1, j] - points[i, j]) / b
                right = 3.0 * (b * near + a * far)
                if bend_before:
                    right += 3.0 * b * near - 0.5 * a * b * bends[0, j]
                if bend_after:
                    right += 3.0 * a * far + 0.5 * a * b * bends[1, j]
            elif is_given:
                right = rates[0, j] if i == 0 else rates[1, j]
            elif ends == NATURAL:
                right = 3.0 * near
            elif m <= 3:
                right = near * (m - 1.0)
            else:
                k = 1 if i == 0 else m - 3
                far = (points[k + 1, j] - points[k, j]) / inner
                right = ((3.0 * a + 2.0 * inner) * inner * near + a * a * far) / (a + inner)
            slopes[i, j] = (right - (below * slopes[i - 1, j] if i > 0 else 0.0)) / pivot
    # back substitution, and the coefficients of each piece (Hermite, in u = 0…1)
    for i in range(m - 2, -1, -1):
        for j in range(n):
            slopes[i, j] -= above[i] * slopes[i + 1, j]
            rise, start, stop = points[i + 1, j] - points[i, j], slopes[i, j] * h[i], slopes[i + 1, j] * h[i]
            bubble = 0.0  # times u² (1 - u)²: it changes nothing at the ends of the piece but the second derivative
            if ends == QUARTIC and i == 0:
                bubble = 0.5 * bends[0, j] * h[0] * h[0] - 3.0 * rise + 2.0 * start + stop
            elif ends == QUARTIC and i == m - 2:
                bubble = 0.5 * bends[1, j] * h[i] * h[i] + 3.0 * rise - start - 2.0 * stop
            out[i, 0, j] = points[i, j]
            out[i, 1, j] = start
            out[i, 2, j] = 3.0 * rise - 2.0 * start - stop + bubble
            out[i, 3, j] = start + stop - 2.0 * rise - 2.0 * bubble
            if ends == QUARTIC:
                out[i, 4, j] = bubble


@kernel
def are_distinct_inside(points: Floats, bounds: Floats, same: float) -> bool:
    """Return whether points (m, n) are inside `bounds` (2, n) and each is farther than `same` from the one before."""
    for i in range(points.shape[0]):
        step = 2.0 * same
        if i > 0:
            step = 0.0
            for j in range(points.shape[1]):
                step = max(step, abs(points[i, j] - points[i - 1, j]))
        if not step > same:
            return False
        for j in range(points.shape[1]):
            if not (bounds[0, j] <= points[i, j] <= bounds[1, j]):
                return False
    return True


@kernel
def are_sound(breaks: Floats, coefficients: Floats) -> bool:
    """Return whether the breaks grow and every number is finite."""
    for i in range(breaks.shape[0] - 1):
        if not (breaks[i] < breaks[i + 1] and abs(breaks[i]) < np.inf and abs(breaks[i + 1]) < np.inf):
            return False
    for i in range(coefficients.shape[0]):
        for p in range(coefficients.shape[1]):
            for j in range(coefficients.shape[2]):
                if not abs(coefficients[i, p, j]) < np.inf:
                    return False
    return True


@kernel
def stretch_into(breaks: Floats, coefficients: Floats, limits: Floats, out: Floats) -> None:
    """Write by which factor each piece should take longer to keep `limits` (orders, n) to `out` (k,).

    Row r limits the magnitude of derivative r + 1. Below 1 there is time to spare.
    """
    pieces, terms, n = coefficients.shape
    stack, ends = np.empty((DEPTH + 1, terms)), np.empty((DEPTH + 1, 2))
    c = np.empty(terms)
    for i in range(pieces):
        # time stretched by f lowers derivative r by f^r: f is the largest (peak / limit)^(1/r)
        width = breaks[i + 1] - breaks[i]
        worst = 0.0
        for order in range(1, min(limits.shape[0], terms - 1) + 1):
            degree = terms - 1 - order
            for j in range(n):
                # only a peak above what is known already matters, of either sign
                known = worst**order * limits[order - 1, j]
                best = known
                for side in range(2):
                    for p in range(degree + 1):
                        rate = 1.0 if side == 1 else -1.0
                        for f in range(order):
                            rate *= (p + order - f) / width
                        c[p] = coefficients[i, p + order, j] * rate
                    _to_bernstein(c, degree, stack[0])
                    best, _ = _highest(stack, ends, degree, best, -1.0)
                if best > known:
                    worst = (best / limits[order - 1, j]) ** (1.0 / order)
        out[i] = worst
