"""How long curves are: v over the arc length s, as polynomials."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.kernels.jit import kernel
from armlab.kernels.toolpath.elements import VALUES, CurveArrays, point_rates_into, rates_into

TERMS = 10
"""Of a row: place, slope and bend are right at both ends, place and slope at two inner points."""
UNEVEN = 1.0
"""How far off a row is that cannot be measured."""


@kernel
def speed_at(
    curves: CurveArrays, i: int, turn_length: float, v: float, values: Floats, rates: Floats
) -> tuple[float, float]:
    """Return ds/dv and its derivative: ds² = dp² + (turn_length dθ)²."""
    square = change = 0.0
    if turn_length > 0.0:
        rates_into(curves, i, v, values, rates)
        for j in range(3):
            square += rates[0, j] * rates[0, j] + (turn_length * rates[2, j]) * (turn_length * rates[2, j])
            change += rates[0, j] * rates[1, j] + turn_length * turn_length * rates[2, j] * rates[3, j]
    else:
        point_rates_into(curves, i, v, values)
        for j in range(3):
            square += values[1, j] * values[1, j]
            change += values[1, j] * values[2, j]
    speed = math.sqrt(square)
    return speed, change / speed if speed > 0.0 else math.nan


@kernel
def solve_four(A: Floats, b: Floats) -> None:
    """Solve A x = b (4, 4) by elimination with pivots; x is left in `b`, NaN where there is none."""
    for j in range(4):
        pivot = j
        for i in range(j + 1, 4):
            if abs(A[i, j]) > abs(A[pivot, j]):
                pivot = i
        for k in range(4):
            A[j, k], A[pivot, k] = A[pivot, k], A[j, k]
        b[j], b[pivot] = b[pivot], b[j]
        for i in range(j + 1, 4):
            factor = A[i, j] / A[j, j]
            for k in range(j, 4):
                A[i, k] -= factor * A[j, k]
            b[i] -= factor * b[j]
    for j in range(3, -1, -1):
        for k in range(j + 1, 4):
            b[j] -= A[j, k] * b[k]
        b[j] /= A[j, j]


@kernel
def _inner_row(x: float, v: float, slope: float, v_of_x: Floats, A: Floats, b: Floats) -> None:
    """Write two rows of A and b: x³(1 - x)³ times a cubic makes up what the quintic misses of `v` and `slope` at x."""
    value = turn = 0.0
    for p in range(5, -1, -1):
        turn = turn * x + value
        value = value * x + v_of_x[p]
    bump = (x * (1.0 - x)) ** 3
    bump_slope = 3.0 * (x * (1.0 - x)) ** 2 * (1.0 - 2.0 * x)
    power, before = 1.0, 0.0
    for p in range(4):
        A[0, p] = bump * power
        A[1, p] = bump * p * before + bump_slope * power
        before = power
        power *= x
    b[0], b[1] = v - value, slope - turn


@kernel
def fit_rows_into(
    curves: CurveArrays,
    turn_lengths: Floats,
    places: Floats,
    weights: Floats,
    checks: Floats,
    owner: NDArray[np.intp],
    low: Floats,
    high: Floats,
    length: Floats,
    v_of_x: Floats,
    off: Floats,
) -> None:
    """Write v over s on pieces of elements: their lengths (m,), polynomials (m, TERMS), and how uneven they are (m,).

    `turn_lengths` (k,): m per rad that turns count for on each element. `places` (g,) are 0, 1 and Gauss' points on
    0…1; `weights` (3, g - 2) those of the whole integral and of the integrals up to the two inner points, which are the
    points 2 + 2 and 2 + 5. `checks` (2,): where the speed is checked.
    """
    g = places.shape[0]
    values, rates = np.empty((VALUES, 6)), np.empty((4, 3))
    speed, change, A, b = np.empty(g), np.empty(2), np.empty((4, 4)), np.empty(4)
    for m in range(owner.shape[0]):
        i, width = owner[m], high[m] - low[m]
        turn_length = turn_lengths[i]
        for k in range(g):
            rate, bend = speed_at(curves, i, turn_length, low[m] + width * places[k], values, rates)
            speed[k] = rate
            if k < 2:
                change[k] = bend
        # ∫ speed dv by Gauss, the whole and up to the inner points
        whole = first = second = 0.0
        for k in range(g - 2):
            whole += weights[0, k] * speed[2 + k]
            first += weights[1, k] * speed[2 + k]
            second += weights[2, k] * speed[2 + k]
        length[m] = width * whole
        x1 = min(max(first / whole, 0.05), 0.45)
        x2 = min(max(second / whole, 0.55), 0.95)
        # the quintic with dv/dx = L / speed and its derivative at both ends
        s0, s1 = length[m] / speed[0], length[m] / speed[1]
        b0, b1 = -change[0] * s0**3 / length[m], -change[1] * s1**3 / length[m]
        row = v_of_x[m]
        row[0], row[1], row[2] = low[m], s0, 0.5 * b0
        row[3] = 10.0 * width - 6.0 * s0 - 4.0 * s1 - 1.5 * b0 + 0.5 * b1
        row[4] = -15.0 * width + 8.0 * s0 + 7.0 * s1 + 1.5 * b0 - b1
        row[5] = 6.0 * width - 3.0 * (s0 + s1) + 0.5 * (b1 - b0)
        for p in range(6, TERMS):
            row[p] = 0.0
        # x³(1 - x)³ times a cubic: nothing changes at the ends
        _inner_row(x1, low[m] + width * places[4], length[m] / speed[4], row, A[:2], b[:2])
        _inner_row(x2, low[m] + width * places[7], length[m] / speed[7], row, A[2:], b[2:])
        solve_four(A, b)
        for p in range(4):
            row[3 + p] += b[p]
            row[4 + p] -= 3.0 * b[p]
            row[5 + p] += 3.0 * b[p]
            row[6 + p] -= b[p]
        # how far the speed is from even at the checks
        worst = 0.0
        for k in range(checks.shape[0]):
            v = d = 0.0
            for p in range(TERMS - 1, -1, -1):
                d = d * checks[k] + v
                v = v * checks[k] + row[p]
            rate, _ = speed_at(curves, i, turn_length, min(max(v, 0.0), 1.0), values, rates)
            unevenness = abs(d * rate / length[m] - 1.0)
            worst = max(worst, unevenness) if unevenness < math.inf else math.inf
        off[m] = worst if worst < math.inf else UNEVEN
        if off[m] == UNEVEN:
            for p in range(TERMS):
                if not abs(row[p]) < math.inf:
                    row[p] = 0.0
