"""Curves measured: from the arc length s that the tool has travelled to the place on the curve."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.kernels.toolpath import length as kernels
from armlab.motion.toolpath.elements import TURN_LENGTH, Elements, Indices, PathRows, stacked

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


WHOLE_AND_INNER = np.ascontiguousarray(0.5 * np.concatenate([WEIGHTS[None], _partial_weights().T]))
"""(3, 8): weights of the integral over a row, and of those up to its inner points."""
PLACES = np.concatenate([[0.0, 1.0], 0.5 + 0.5 * GAUSS])
CHECKS = np.array([0.13, 0.62])
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
    v_of_x: Floats

    def taken(self, choice: NDArray[np.bool_]) -> _MeasuredRows:
        owner, low, high, length, v_of_x = self
        return _MeasuredRows(owner[choice], low[choice], high[choice], length[choice], v_of_x[choice])


def measured(elements: Elements, with_turns: NDArray[np.bool_], even: Floats, *, cuts: int = FIRST_CUTS) -> Measurement:
    """Return rows through all elements, whose s is the travel of the tool point.

    Args:
        elements: k curves
        with_turns: (k,) where turns count too: ds² = dp² + (TURN_LENGTH dθ)²
        even: (k,) lengths of elements that are gone through at an even speed over v as it is; NaN: measure them
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
    v_of_x = stacked([p.v_of_x for p in done])
    order = np.lexsort((low, owner))
    breaks = np.concatenate([[0.0], np.cumsum(length[order])])
    lengths = np.bincount(owner, length, elements.count).astype(np.float64)
    return Measurement(
        PathRows(breaks, v_of_x[order], owner[order]), lengths, np.concatenate([[], *failed]).astype(np.intp)
    )


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
    """Return v as polynomials of s over these pieces, and how far off their speed is."""
    length, v_of_x, off = np.empty(len(owner)), np.empty((len(owner), kernels.TERMS)), np.empty(len(owner))
    turn_lengths = np.where(with_turns, TURN_LENGTH, 0.0)
    kernels.fit_rows_into(
        elements.arrays, turn_lengths, PLACES, WHOLE_AND_INNER, CHECKS, owner, low, high, length, v_of_x, off
    )
    return _MeasuredRows(owner, low, high, length, v_of_x), off
