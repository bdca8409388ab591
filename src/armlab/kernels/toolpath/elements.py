"""Frames on the elements of a tool path, and their derivatives, at many places at once.

An element is a curve of a frame over v from 0 to 1: p = Σ c_k vᵏ + cos(a v) w₀ + sin(a v) w₁, rotation R exp(φ) with
φ = Σ d_k vᵏ. Rows say which v belongs to an arc length s: between two breaks v is a polynomial of x from 0 to 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.kernels.jit import kernel

MOST_TERMS = 40
"""Terms of a power series that are added at most."""
NOTHING = 1e-18
"""Terms below this change no sum."""
VALUES = 3
"""Rows of scratch: value, first and second derivative by v of position and rotation vector, (VALUES, 6)."""


class CurveArrays(NamedTuple):
    """Elements: see armlab.motion.toolpath.elements.Elements."""

    coefficients: Floats
    """(k, terms, 6)"""
    waves: Floats
    """(k, 2, 3)"""
    angles: Floats
    """(k,)"""
    R: Floats
    """(k, 3, 3)"""
    turns: Floats
    """(k,): 1 where the tool turns on the element"""


class RowArrays(NamedTuple):
    """Rows: see armlab.motion.toolpath.elements.PathRows."""

    breaks: Floats
    """(t + 1,)"""
    v_of_x: Floats
    """(t, terms)"""
    owner: NDArray[np.intp]
    """(t,)"""


@kernel
def turn_sums(q: float) -> tuple[float, float, float, float]:
    """Return b = Σ (-q)ᵏ/(2k+2)!, c = Σ (-q)ᵏ/(2k+3)!, and 2 db/dq, 2 dc/dq: see armlab.motion.toolpath.turns."""
    b = c = b_slope = c_slope = 0.0
    # terms of b and c without their power of q, and that power: q⁰ for the sums, qᵏ⁻¹ for the slopes
    term_b, term_c, power, before = 0.5, 1.0 / 6.0, 1.0, 0.0
    for k in range(MOST_TERMS):
        b += term_b * power
        c += term_c * power
        b_slope += 2.0 * k * term_b * before
        c_slope += 2.0 * k * term_c * before
        if abs(term_b) * max(power, before) * (2.0 * k + 1.0) < NOTHING and k > 1:
            break
        term_b /= -(2.0 * k + 3.0) * (2.0 * k + 4.0)
        term_c /= -(2.0 * k + 4.0) * (2.0 * k + 5.0)
        before = power
        power *= q
    return b, c, b_slope, c_slope


@kernel
def point_rates_into(curves: CurveArrays, i: int, v: float, values: Floats) -> None:
    """Write the position of element `i` at `v` and its two derivatives by v to `values` (VALUES, :3)."""
    c = curves.coefficients
    for j in range(3):
        # Horner for the value and both derivatives at once
        x = d = dd = 0.0
        for p in range(c.shape[1] - 1, -1, -1):
            dd = dd * v + 2.0 * d
            d = d * v + x
            x = x * v + c[i, p, j]
        values[0, j], values[1, j], values[2, j] = x, d, dd
    a = curves.angles[i]
    if a != 0.0:
        waves = curves.waves
        cosine, sine = math.cos(a * v), math.sin(a * v)
        for j in range(3):
            level, rise = waves[i, 0, j], waves[i, 1, j]
            values[0, j] += cosine * level + sine * rise
            values[1, j] += a * (cosine * rise - sine * level)
            values[2, j] -= a * a * (cosine * level + sine * rise)


@kernel
def turn_rates_into(curves: CurveArrays, i: int, v: float, values: Floats) -> None:
    """Write the rotation vector of element `i` at `v` and its two derivatives by v to `values` (VALUES, 3:)."""
    c = curves.coefficients
    for j in range(3, 6):
        x = d = dd = 0.0
        for p in range(c.shape[1] - 1, -1, -1):
            dd = dd * v + 2.0 * d
            d = d * v + x
            x = x * v + c[i, p, j]
        values[0, j], values[1, j], values[2, j] = x, d, dd


@kernel
def frame_into(curves: CurveArrays, i: int, v: float, values: Floats, T: Floats) -> None:
    """Write the frame of element `i` at `v` to `T` (4, 4); `values` is scratch."""
    point_rates_into(curves, i, v, values)
    R = curves.R[i]
    for row in range(3):
        T[row, 3] = values[0, row]
        T[3, row] = 0.0
    T[3, 3] = 1.0
    if not curves.turns[i] > 0.5:
        for row in range(3):
            for column in range(3):
                T[row, column] = R[row, column]
        return
    turn_rates_into(curves, i, v, values)
    x, y, z = values[0, 3], values[0, 4], values[0, 5]
    q = x * x + y * y + z * z
    # exp(φ) = (1 - q b) + (1 - q c) [φ] + b φ φᵀ, column by column times R
    b, c, _, _ = turn_sums(q)
    cosine, a = 1.0 - q * b, 1.0 - q * c
    for row in range(3):
        r0, r1, r2 = R[row, 0], R[row, 1], R[row, 2]
        along = b * (r0 * x + r1 * y + r2 * z)
        T[row, 0] = r0 * cosine + along * x + a * (r1 * z - r2 * y)
        T[row, 1] = r1 * cosine + along * y + a * (r2 * x - r0 * z)
        T[row, 2] = r2 * cosine + along * z + a * (r0 * y - r1 * x)


@kernel
def rates_into(curves: CurveArrays, i: int, v: float, values: Floats, out: Floats) -> None:
    """Write p', p'', ω, ω' over v of element `i` to `out` (4, 3), world coordinates; `values` is scratch."""
    point_rates_into(curves, i, v, values)
    for j in range(3):
        out[0, j], out[1, j] = values[1, j], values[2, j]
        out[2, j], out[3, j] = 0.0, 0.0
    if not curves.turns[i] > 0.5:
        return
    turn_rates_into(curves, i, v, values)
    R = curves.R[i]
    x, y, z = values[0, 3], values[0, 4], values[0, 5]
    dx, dy, dz = values[1, 3], values[1, 4], values[1, 5]
    ex, ey, ez = values[2, 3], values[2, 4], values[2, 5]
    q, along = x * x + y * y + z * z, x * dx + y * dy + z * dz
    b, c, b_slope, c_slope = turn_sums(q)
    a = 1.0 - q * c
    # Rᵀω = a φ' + b φ×φ' + c (φ·φ') φ
    sx, sy, sz = y * dz - z * dy, z * dx - x * dz, x * dy - y * dx
    k = c * along
    ox, oy, oz = a * dx + b * sx + k * x, a * dy + b * sy + k * y, a * dz + b * sz + k * z
    # Rᵀω' = a φ'' + b φ×φ'' + (2c - b)(φ·φ') φ' + 2b'(φ·φ') φ×φ' + (2c'(φ·φ')² + c (φ'·φ' + φ·φ'')) φ
    tx, ty, tz = y * ez - z * ey, z * ex - x * ez, x * ey - y * ex
    f, g = (2.0 * c - b) * along, b_slope * along
    k = c_slope * along * along + c * (dx * dx + dy * dy + dz * dz + x * ex + y * ey + z * ez)
    ux = a * ex + b * tx + f * dx + g * sx + k * x
    uy = a * ey + b * ty + f * dy + g * sy + k * y
    uz = a * ez + b * tz + f * dz + g * sz + k * z
    for row in range(3):
        out[2, row] = R[row, 0] * ox + R[row, 1] * oy + R[row, 2] * oz
        out[3, row] = R[row, 0] * ux + R[row, 1] * uy + R[row, 2] * uz


@kernel
def row_of(breaks: Floats, s: float, guess: int) -> int:
    """Return the row that holds `s`; a break belongs to the row that it starts."""
    last = breaks.shape[0] - 2
    if breaks[guess] <= s and (guess == last or s < breaks[guess + 1]):
        return guess
    if guess < last and breaks[guess + 1] <= s and (guess + 1 == last or s < breaks[guess + 2]):
        return guess + 1
    low, high = 0, last
    while low < high:
        middle = (low + high + 1) // 2
        if breaks[middle] <= s:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def frames_into(curves: CurveArrays, rows: RowArrays, s: Floats, out: Floats) -> None:
    """Write the frames at `s` (m,), inside the path, to `out` (m, 4, 4)."""
    values, row = np.empty((VALUES, 6)), 0
    for m in range(s.shape[0]):
        row = row_of(rows.breaks, s[m], row)
        x = (s[m] - rows.breaks[row]) / (rows.breaks[row + 1] - rows.breaks[row])
        # v by Horner
        v = 0.0
        for p in range(rows.v_of_x.shape[1] - 1, -1, -1):
            v = v * x + rows.v_of_x[row, p]
        frame_into(curves, rows.owner[row], v, values, out[m])


@kernel
def derivatives_into(curves: CurveArrays, rows: RowArrays, row: int, x: float, values: Floats, out: Floats) -> None:
    """Write dp/ds, d²p/ds², ω and dω/ds at `x` of a row to `out` (4, 3); `values` is scratch."""
    width = rows.breaks[row + 1] - rows.breaks[row]
    v = d = dd = 0.0
    for p in range(rows.v_of_x.shape[1] - 1, -1, -1):
        dd = dd * x + 2.0 * d
        d = d * x + v
        v = v * x + rows.v_of_x[row, p]
    d, dd = d / width, dd / (width * width)
    # chain rule: f' = f_v v', f'' = f_vv v'² + f_v v''
    rates_into(curves, rows.owner[row], v, values, out)
    for j in range(3):
        out[1, j] = out[1, j] * d * d + out[0, j] * dd
        out[0, j] *= d
        out[3, j] = out[3, j] * d * d + out[2, j] * dd
        out[2, j] *= d


@kernel
def derivatives_at_into(curves: CurveArrays, rows: RowArrays, s: Floats, out: Floats) -> None:
    """Write the derivatives at `s` (m,), inside the path, to `out` (m, 4, 3); at a break those of what follows."""
    values, row = np.empty((VALUES, 6)), 0
    for m in range(s.shape[0]):
        row = row_of(rows.breaks, s[m], row)
        x = (s[m] - rows.breaks[row]) / (rows.breaks[row + 1] - rows.breaks[row])
        derivatives_into(curves, rows, row, x, values, out[m])


@kernel
def derivatives_in_rows_into(
    curves: CurveArrays, rows: RowArrays, row: NDArray[np.intp], x: float, out: Floats
) -> None:
    """Write the derivatives at the same `x` of rows (m,) to `out` (m, 4, 3)."""
    values = np.empty((VALUES, 6))
    for m in range(row.shape[0]):
        derivatives_into(curves, rows, row[m], x, values, out[m])


@kernel
def rates_each_into(curves: CurveArrays, which: NDArray[np.intp], v: Floats, out: Floats) -> None:
    """Write p', p'', ω, ω' over v on elements `which` (m,) at `v` (m,) to `out` (m, 4, 3)."""
    values = np.empty((VALUES, 6))
    for m in range(v.shape[0]):
        rates_into(curves, which[m], v[m], values, out[m])
