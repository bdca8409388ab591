"""Curves measured: from the arc length s that the tool has travelled to the place on the curve."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.motion.toolpath.elements import TURN_LENGTH, Elements, Indices, PathRows, powers, stacked
from armlab.motion.toolpath.turns import quintics

EVEN = 1e-8
"""A curve is gone through at unit speed up to about this share; s itself is right to 1e-10 of the length."""
FIRST_CUTS = 12
"""Each element is measured in this many rows at least."""
MOST_CUTS, ROUNDS = 8, 16
"""A row whose speed is not even is cut in up to so many, up to so many times."""
MOST_ROWS = 64
"""A curve that still has so many uneven rows per element is given up."""
AT_ONCE = 512
"""How many elements are measured at once: more would fill the memory."""
LEGENDRE = np.polynomial.legendre
GAUSS, WEIGHTS = LEGENDRE.leggauss(8)
INNER = (2, 5)
"""The two of Gauss' points where a row is fitted, beside its ends."""


def _partial_weights() -> Floats:
    """Return (8, 2): weights of the values at Gauss' points in the integrals up to the two inner ones."""
    integrals = LEGENDRE.legint(np.eye(len(GAUSS)), lbnd=-1.0, axis=0)
    upto = LEGENDRE.legval(GAUSS[list(INNER)], integrals)
    return np.asarray(np.linalg.solve(LEGENDRE.legvander(GAUSS, len(GAUSS) - 1).T, upto))


UPTO_INNER = 0.5 * _partial_weights()
PLACES = np.concatenate([[0.0, 1.0], 0.5 + 0.5 * GAUSS])
CHECKS = powers(np.array([0.13, 0.62]), 10, 2)
"""Where in a row the speed is checked."""


class Measurement(NamedTuple):
    """PathRows that go through all elements, the length of each element, and which of them could not be measured."""

    rows: PathRows
    lengths: Floats
    failed: Indices


class _MeasuredRows(NamedTuple):
    """PathRows in the making: element, v at both ends, length, polynomials."""

    owner: Indices
    low: Floats
    high: Floats
    length: Floats
    pace: Floats

    def taken(self, choice: NDArray[np.bool_]) -> _MeasuredRows:
        owner, low, high, length, pace = self
        return _MeasuredRows(owner[choice], low[choice], high[choice], length[choice], pace[choice])


def measured(elements: Elements, with_turns: NDArray[np.bool_], even: Floats, *, cuts: int = FIRST_CUTS) -> Measurement:
    """Return rows through all elements, whose s is the travel of the tool point.

    Args:
        elements: k curves
        with_turns: (k,) where turns count too: ds² = dp² + (TURN_LENGTH dθ)²
        even: (k,) lengths of elements that are gone through at an even pace over v as it is; NaN: measure them
        cuts: in how many rows each element is measured at first
    """
    done: list[_MeasuredRows] = []
    failed: list[Indices] = []
    wanted = np.flatnonzero(np.isnan(even))
    for first in range(0, len(wanted), AT_ONCE):
        pieces, bad = _cut_until_even(elements, with_turns, wanted[first : first + AT_ONCE], cuts)
        done += pieces
        failed.append(bad)
    rest = np.flatnonzero(~np.isnan(even))
    line = np.broadcast_to(np.array([0.0, 1.0]), (len(rest), 2))
    done.append(_MeasuredRows(rest, np.zeros(len(rest)), np.ones(len(rest)), even[rest], line))
    owner, low, length = (np.concatenate([getattr(p, what) for p in done]) for what in ("owner", "low", "length"))
    pace = stacked([p.pace for p in done])
    order = np.lexsort((low, owner))
    breaks = np.concatenate([[0.0], np.cumsum(length[order])])
    lengths = np.bincount(owner, length, elements.count).astype(np.float64)
    return Measurement(
        PathRows(breaks, pace[order], owner[order]), lengths, np.concatenate([[], *failed]).astype(np.intp)
    )


def speeds(elements: Elements, with_turns: NDArray[np.bool_], which: Indices, v: Floats) -> tuple[Floats, Floats]:
    """Return ds/dv and its derivative on elements `which` (m,) at `v` (m,)."""
    if with_turns[which].any():
        rates = elements.rates(which, v)
        rates[:, 2:] *= np.where(with_turns[which], TURN_LENGTH, 0.0)[:, None, None]
    else:
        rates = elements.moves(which, v)
    speed = np.sqrt(np.einsum("nki,nki->n", rates[:, ::2], rates[:, ::2]))
    with np.errstate(divide="ignore", invalid="ignore"):
        return speed, np.einsum("nki,nki->n", rates[:, ::2], rates[:, 1::2]) / speed


def _cut_until_even(
    elements: Elements, with_turns: NDArray[np.bool_], which: Indices, first: int
) -> tuple[list[_MeasuredRows], Indices]:
    edges = np.linspace(0.0, 1.0, first + 1)
    owner = np.repeat(which, first)
    low, high = np.tile(edges[:-1], len(which)), np.tile(edges[1:], len(which))
    done = []
    for _ in range(ROUNDS):
        piece, off = _fitted(elements, with_turns, owner, low, high)
        done.append(piece.taken(off <= EVEN))
        uneven = ~(off <= EVEN)
        if not uneven.any():
            return done, owner[:0]
        if np.count_nonzero(uneven) > MOST_ROWS * len(which):
            break
        wanted = np.ceil((off[uneven] / EVEN) ** (1 / 9) + 0.2)  # what is off falls with the ninth power of the width
        cuts = np.clip(wanted, 2, MOST_CUTS).astype(np.intp)
        owner, start = np.repeat(owner[uneven], cuts), np.repeat(low[uneven], cuts)
        width = np.repeat((high - low)[uneven] / cuts, cuts)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(cuts) - cuts, cuts)
        low, high = start + width * within, start + width * (within + 1)
    return done, np.unique(owner)


def _fitted(
    elements: Elements, with_turns: NDArray[np.bool_], owner: Indices, low: Floats, high: Floats
) -> tuple[_MeasuredRows, Floats]:
    """Return v as polynomials of s over these pieces, and how far off their speed is.

    They have degree 9: place, slope and second derivative are right at both ends, place and slope at two inner points.
    """
    width = high - low
    v = low[:, None] + width[:, None] * PLACES
    speed, change = (
        values.reshape(v.shape) for values in speeds(elements, with_turns, np.repeat(owner, v.shape[1]), v.ravel())
    )
    length = 0.5 * width * (speed[:, 2:] @ WEIGHTS)
    inner = [2 + k for k in INNER]
    with np.errstate(all="ignore"):
        slope = length[:, None] / speed
        bend = -change[:, :2] * slope[:, :2] ** 3 / length[:, None]
        ends = (low, slope[:, 0], bend[:, 0], high, slope[:, 1], bend[:, 1])
        x = (width / length)[:, None] * (speed[:, 2:] @ UPTO_INNER)
        pace = np.nan_to_num(
            _with_inner(quintics(*(a[:, None] for a in ends))[:, :, 0], x, v[:, inner], slope[:, inner])
        )
        reached, going = np.einsum("cot,nt->onc", CHECKS, pace)
        there, _ = speeds(elements, with_turns, np.repeat(owner, reached.shape[1]), np.clip(reached, 0.0, 1.0).ravel())
        off = np.abs(going * there.reshape(reached.shape) / length[:, None] - 1.0).max(axis=1)
    return _MeasuredRows(owner, low, high, length, pace), np.where(np.isfinite(off), off, 1.0)


def _with_inner(ends: Floats, x: Floats, v: Floats, slope: Floats) -> Floats:
    """Return polynomials (n, 10): `ends` (n, 6) plus x³(1 - x)³ times a cubic: they pass `v` with `slope` at `x`.

    Inner points (n, 2) that are no longer inside are shifted there: such a row is cut further.
    """
    x = np.clip(np.nan_to_num(x, nan=0.5), [0.05, 0.55], [0.45, 0.95])
    at = powers(x.ravel(), 6, 2).reshape(*x.shape, 2, 6)
    value, turn = np.moveaxis(np.einsum("njot,nt->njo", at, np.nan_to_num(ends)), 2, 0)
    bump = (x * (1.0 - x)) ** 3
    bump_slope = 3.0 * (x * (1.0 - x)) ** 2 * (1.0 - 2.0 * x)
    cubic = np.concatenate(
        [
            bump[..., None] * at[:, :, 0, :4],
            bump[..., None] * at[:, :, 1, :4] + bump_slope[..., None] * at[:, :, 0, :4],
        ],
        axis=1,
    )
    wanted = np.nan_to_num(np.concatenate([v - value, slope - turn], axis=1))
    factors = np.linalg.solve(cubic, wanted[:, :, None])[:, :, 0]
    out = np.zeros((len(ends), 10))
    out[:, :6] = ends
    for power, factor in ((3, 1.0), (4, -3.0), (5, 3.0), (6, -1.0)):
        out[:, power : power + 4] += factor * factors
    return out
