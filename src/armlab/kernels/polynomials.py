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
TOLERANCE = 1e-13
"""An extreme is exact up to this share of the largest control value."""


@kernel
def piece_of(breaks: Floats, x: float) -> int:
    """Return the piece that holds `x`; a break belongs to the piece that it starts, the last one to the last piece."""
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
    scale = 0.0
    for i in range(degree + 1):
        scale = max(scale, abs(stack[0, i]))
    slack = TOLERANCE * scale
    ends[0, 0], ends[0, 1] = 0.0, 1.0
    top = 0
    while top >= 0:
        b = stack[top]
        if b[0] > best:
            best, place = b[0], ends[top, 0]
        if b[degree] > best:
            best, place = b[degree], ends[top, 1]
        bound = b[0]
        for i in range(1, degree + 1):
            bound = max(bound, b[i])
        low, high = ends[top, 0], ends[top, 1]
        if bound <= best + slack or top >= DEPTH - 1:
            top -= 1
            continue
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
def piece_extremes_into(breaks: Floats, coefficients: Floats, order: int, out: Floats) -> None:
    """Write the largest magnitude of a derivative in each piece to `out` (k, n)."""
    pieces, terms, n = coefficients.shape
    degree = max(terms - 1 - order, 0)
    stack, ends = np.empty((DEPTH + 1, terms)), np.empty((DEPTH + 1, 2))
    c = np.empty(terms)
    for i in range(pieces):
        width = breaks[i + 1] - breaks[i]
        for j in range(n):
            best = -np.inf
            for side in range(2):
                for p in range(degree + 1):
                    rate = 1.0 if side == 1 else -1.0
                    for f in range(order):
                        rate *= (p + order - f) / width
                    c[p] = coefficients[i, p + order, j] * rate if p + order < terms else 0.0
                _to_bernstein(c, degree, stack[0])
                best, _ = _highest(stack, ends, degree, best, -1.0)
            out[i, j] = best
