"""Smooth elements of a tool path, and how fast each is gone through: the arrays behind every ToolPath."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.kernels.toolpath import elements as kernels
from armlab.kernels.toolpath.elements import CurveArrays

TURN_LENGTH = 0.1
"""A turn by one radian counts as this many metres of travel."""

GIVEN = ("coefficients", "waves", "angles", "R")
"""The arrays that elements are made of."""

Indices: TypeAlias = NDArray[np.intp]
"""Which of several things."""


def shown(array: Any) -> Any:
    """Return a view of an array that nobody can write to."""
    view = array.view()
    view.setflags(write=False)
    return view


@dataclass(frozen=True, slots=True, eq=False)
class Elements:
    """Curves of a frame over v from 0 to 1, k of them.

    Position: the sum of `coefficients[i, p, :3] * v**p`, plus cos(a v) and sin(a v) times the two rows of `waves[i]`,
    a = `angles[i]`. Rotation: `R[i]` exp(φ), where φ is the sum of `coefficients[i, p, 3:] * v**p`.
    """

    coefficients: Floats
    """(k, degree + 1, 6)"""
    waves: Floats
    """(k, 2, 3)"""
    angles: Floats
    """(k,)"""
    R: Floats
    """(k, 3, 3)"""
    has_turns: bool = field(init=False)
    """Whether the tool turns on any element."""
    arrays: CurveArrays = field(init=False)
    """The same, as kernels take them: nobody writes to them."""

    def __post_init__(self) -> None:
        given = {name: np.array(getattr(self, name), dtype=np.float64, order="C") for name in GIVEN}
        for name, array in given.items():
            object.__setattr__(self, name, shown(array))
        turns = np.asarray(self.coefficients[:, :, 3:].any(axis=(1, 2)), dtype=np.float64)
        object.__setattr__(self, "arrays", CurveArrays(**given, turns=turns))
        object.__setattr__(self, "has_turns", bool(turns.any()))

    @classmethod
    def polynomial(cls, coefficients: Floats, R: Floats) -> Elements:
        """Return elements without arcs of circles."""
        k = len(coefficients)
        return cls(coefficients, np.zeros((k, 2, 3)), np.zeros(k), R)

    @property
    def count(self) -> int:
        """How many elements there are."""
        return len(self.angles)

    def taken(self, which: Indices) -> Elements:
        """Return only elements `which`."""
        return Elements(self.coefficients[which], self.waves[which], self.angles[which], self.R[which])

    def rates(self, which: Indices, v: Floats) -> Floats:
        """Return p', p'', ω, ω' over v, (m, 4, 3), on elements `which` (m,) at `v` (m,); world coordinates."""
        out = np.empty((len(v), 4, 3))
        kernels.rates_each_into(self.arrays, which, v, out)
        return out


class PathRows(NamedTuple):
    """Where on which element the tool is after an arc length s: between two breaks, v is a polynomial of x from 0 to 1.

    `v_of_x[t, p]` is the factor of x**p, x = (s - breaks[t]) / (breaks[t + 1] - breaks[t]).
    """

    breaks: Floats
    """(t + 1,)"""
    v_of_x: Floats
    """(t, terms)"""
    owner: Indices
    """(t,) the element of each row."""

    def find(self, s: Floats) -> tuple[Indices, Floats]:
        """Return the row of each `s` (m,) and x in it; a break belongs to the row that it starts."""
        row = np.searchsorted(self.breaks[1:-1], s, side="right")
        start = self.breaks[row]
        return row, (s - start) / (self.breaks[row + 1] - start)


def even_rows(lengths: Floats) -> PathRows:
    """Return rows that go through elements of these lengths at an even speed."""
    count = len(lengths)
    v_of_x = np.broadcast_to(np.array([0.0, 1.0]), (count, 2)).copy()
    return PathRows(np.concatenate([[0.0], np.cumsum(lengths)]), v_of_x, np.arange(count))


def joined_elements(parts: Sequence[Elements]) -> Elements:
    """Return the elements of all parts, one after the other."""
    return Elements(
        stacked([part.coefficients for part in parts]),
        np.concatenate([part.waves for part in parts]),
        np.concatenate([part.angles for part in parts]),
        np.concatenate([part.R for part in parts]),
    )


def stacked(parts: Sequence[Floats]) -> Floats:
    """Return polynomials (k, terms, …) one after the other, all with the terms of the longest."""
    terms = max(part.shape[1] for part in parts)
    out = np.zeros((sum(len(part) for part in parts), terms, *parts[0].shape[2:]))
    k = 0
    for part in parts:
        out[k : k + len(part), : part.shape[1]] = part
        k += len(part)
    return out


def narrowed(coefficients: Floats, start: Floats, width: Floats) -> Floats:
    """Return the coefficients of p(start + width y) for those of p, (k, terms, …), `start` and `width` (k,)."""
    shape: tuple[Any, ...] = (-1, *([1] * (coefficients.ndim - 2)))
    out, a, b = coefficients.copy(), start.reshape(shape), width.reshape(shape)
    terms = out.shape[1]
    for i in range(terms - 1):
        for p in range(terms - 2, i - 1, -1):
            out[:, p] += a * out[:, p + 1]
    for p in range(1, terms):
        out[:, p] *= b**p
    return out
