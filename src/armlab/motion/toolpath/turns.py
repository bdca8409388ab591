"""Turns of a tool as rotation vectors φ: how far they turn, how fast, and curves of them between given rates.

A rotation is R₀ exp(φ). Its angular velocity is R₀ J(φ) φ' with J = a + b [φ] + c φ φᵀ, where q = |φ|² and
b = Σ (-q)ᵏ/(2k+2)!, c = Σ (-q)ᵏ/(2k+3)!, a = 1 - q c. The sums need no case for small angles, and few terms.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose

SERIES = np.array([[(-1) ** k / math.factorial(2 * k + 2 + i) for k in range(30)] for i in range(2)])
"""Terms of b and c in powers of q."""
SLOPES = 2.0 * SERIES[:, 1:] * np.arange(1, 30)
"""Terms of 2 db/dq and 2 dc/dq: how fast b and c change is this times φ·φ'."""
TERMS = 1e-18
"""Terms below this are left out."""
HALF_TURN = 1e-9
"""Turns within this of π (rad) have two shortest directions; one of them is chosen by its axis."""

Rate: TypeAlias = tuple[Floats, Floats]
"""An angular velocity and its derivative, (m, 3) each."""


def rates(phi: Floats, d: Floats, dd: Floats) -> Floats:
    """Return R₀ᵀω and R₀ᵀω', (2, 3, m), of R₀ exp(φ), for φ and its two derivatives, (3, m) each."""
    q, along = _dot(phi, phi), _dot(phi, d)
    (b, c), (b_slope, c_slope) = _sums(SERIES, q), _sums(SLOPES, q)
    a, spin = 1.0 - q * c, _cross(phi, d)
    out = np.empty((2, *phi.shape))
    out[0] = a * d + b * spin + (c * along) * phi
    out[1] = a * dd + b * _cross(phi, dd) + ((2.0 * c - b) * along) * d + (b_slope * along) * spin
    out[1] += (c_slope * along**2 + c * (_dot(d, d) + _dot(phi, dd))) * phi
    return out


def between(R_start: Floats, R_end: Floats) -> Floats:
    """Return the shortest turns φ (m, 3) with R_start exp(φ) = R_end, rotations (m, 3, 3).

    Of the two directions of a half turn the one is taken whose axis first points to positive x, then y, then z.
    """
    phi = pose.rotation_vector(np.swapaxes(R_start, -1, -2) @ R_end)
    angle = np.linalg.norm(phi, axis=1)
    half = angle > math.pi - HALF_TURN
    if half.any():
        axis = phi[half] / angle[half, None]
        first = np.argmax(np.abs(axis) > 1e-6, axis=1)
        backwards = axis[np.arange(len(axis)), first] < 0.0
        phi[half] = np.where(backwards[:, None], -axis * (2.0 * math.pi - angle[half, None]), phi[half])
    return phi


def parabolas(phi: Floats, widths: Floats, R: Floats) -> Rate:
    """Return rates of turning at nodes, world coordinates: of the parabola through each node and its neighbours.

    Args:
        phi: (m - 1, 3) turns from each node to the next
        widths: (m - 1,) of the intervals between the nodes
        R: (m, 3, 3) rotations at the nodes
    """
    slopes = phi / widths[:, None]
    if len(R) == 2:
        omega = np.einsum("nij,nj->ni", R[:1], slopes)
        return omega[[0, 0]], np.zeros((2, 3))
    first, second = parabola_slopes(slopes, widths)
    at = np.zeros((len(R), 3))
    at[0], at[-1] = -phi[0], phi[-1]
    frames = R[np.clip(np.arange(len(R)), 1, len(R) - 2)]
    omega, alpha = np.einsum("nij,kjn->kni", frames, rates(at.T, first.T, second.T))
    return omega, alpha


def parabola_slopes(slopes: Floats, widths: Floats) -> Rate:
    """Return both derivatives at each node of the parabola through it and its neighbours; the outer ones are shared.

    Where a short and fast interval meets a long and slow one they are made smaller, lest the curve swing out on the
    long one. Intervals as wide as their steps are long, or all of one width, are left as they are.

    Args:
        slopes: (m - 1, 3) from each node to the next, at least two
        widths: (m - 1,) of the intervals between the nodes
    """
    before, after = widths[:-1, None], widths[1:, None]
    first = (slopes[:-1] * after + slopes[1:] * before) / (before + after)
    second = 2.0 * (slopes[1:] - slopes[:-1]) / (before + after)
    steps = np.linalg.norm(slopes, axis=1, keepdims=True) * widths[:, None]
    room = [np.maximum(3.0 * steps[:-1], steps[1:]), np.maximum(3.0 * steps[1:], steps[:-1])]
    first *= _shrinking(first, np.minimum(room[0] / before, room[1] / after))
    second *= _shrinking(second, 2.0 * np.minimum(room[0] / before**2, room[1] / after**2))
    start, end = first[:1] - second[:1] * before[:1], first[-1:] + second[-1:] * after[-1:]
    return (
        np.concatenate([start, first, end]),
        np.concatenate([second[:1], second, second[-1:]]),
    )


def joining(R_start: Floats, phi: Floats, start: Rate, end: Rate, widths: Floats) -> Floats:
    """Return quintic φ(v) (m, 6, 3), v from 0 to 1, that turn from R_start by `phi` with given rates at both ends.

    Args:
        R_start: (m, 3, 3) rotations at v = 0
        phi: (m, 3) the whole turns
        start: rates at v = 0 in world coordinates, per unit of `widths`
        end: rates at v = 1
        widths: (m,) of the intervals
    """
    h = widths[:, None]
    omega_0, alpha_0, omega_1, alpha_1 = (np.einsum("nji,nj->ni", R_start, rate) for rate in (*start, *end))
    J = _jacobians(phi)
    d = _solved(J, h * omega_1)
    without = rates(phi.T, d.T, np.zeros_like(d.T))[1].T
    dd = _solved(J, h * h * alpha_1 - without)
    return quintics(np.zeros_like(phi), h * omega_0, h * h * alpha_0, phi, d, dd)


def quintics(p0: Floats, d0: Floats, dd0: Floats, p1: Floats, d1: Floats, dd1: Floats) -> Floats:
    """Return polynomials (m, 6, n) over v from 0 to 1 with these values, slopes and second derivatives (m, n)."""
    step = p1 - p0
    return np.stack(
        [
            p0,
            d0,
            0.5 * dd0,
            10.0 * step - 6.0 * d0 - 4.0 * d1 - 1.5 * dd0 + 0.5 * dd1,
            -15.0 * step + 8.0 * d0 + 7.0 * d1 + 1.5 * dd0 - dd1,
            6.0 * step - 3.0 * (d0 + d1) + 0.5 * (dd1 - dd0),
        ],
        axis=1,
    )


def _shrinking(values: Floats, most: Floats) -> Floats:
    """Return the factors (m, 1), up to 1, that make values (m, 3) no longer than `most` (m, 1)."""
    return np.asarray(np.minimum(1.0, most / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-300)))


def _jacobians(phi: Floats) -> Floats:
    q = _dot(phi.T, phi.T)
    b, c = _sums(SERIES, q)
    x, y, z = b * phi.T
    J: Floats = c[:, None, None] * phi[:, :, None] * phi[:, None, :]
    J.reshape(-1, 9)[:, ::4] += (1.0 - q * c)[:, None]
    for i, j, value in ((0, 1, -z), (1, 0, z), (0, 2, y), (2, 0, -y), (1, 2, -x), (2, 1, x)):
        J[:, i, j] += value
    return J


def _solved(J: Floats, right: Floats) -> Floats:
    return np.asarray(np.linalg.solve(J, right[:, :, None])[:, :, 0])


def _sums(table: Floats, q: Floats) -> Floats:
    """Return both power series (2, m) at `q`, with as many terms as the largest one needs."""
    highest = float(q.max(initial=0.0))
    terms = max(1, int(np.count_nonzero(np.abs(table[0]) * highest ** np.arange(table.shape[1]) > TERMS)))
    out = np.empty((2, len(q)))
    out[:] = table[:, terms - 1, None]
    for k in range(terms - 2, -1, -1):
        out *= q
        out += table[:, k, None]
    return out


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


def _cross(a: Floats, b: Floats) -> Floats:
    (ax, ay, az), (bx, by, bz) = a, b
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
