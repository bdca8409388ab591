"""Smooth elements of a tool path, and how fast each is gone through: the arrays behind every ToolPath."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats, read_only
from armlab.motion.toolpath import turns

TURN_LENGTH = 0.1
"""A turn by one radian counts as this many metres of travel."""

Indices: TypeAlias = NDArray[np.intp]
"""Which of several things."""


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
    has_arcs: bool = field(init=False)
    """Whether any element is an arc of a circle."""
    has_turns: bool = field(init=False)
    """Whether the tool turns on any element."""

    def __post_init__(self) -> None:
        for what in ("coefficients", "waves", "angles", "R"):
            object.__setattr__(self, what, read_only(getattr(self, what)))
        object.__setattr__(self, "has_arcs", bool(self.angles.any()))
        object.__setattr__(self, "has_turns", bool(self.coefficients[:, :, 3:].any()))

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

    def frames(self, which: Indices, v: Floats) -> Floats:
        """Return poses (m, 4, 4) on elements `which` (m,) at `v` (m,)."""
        out = np.zeros((len(v), 4, 4))
        out[:, 3, 3] = 1.0
        values = (powers(v, self.coefficients.shape[1], 1) @ self.coefficients.take(which, axis=0))[:, 0]
        out[:, :3, 3] = values[:, :3]
        if self.has_arcs:
            angle, waves = self.angles[which] * v, self.waves.take(which, axis=0)
            out[:, :3, 3] += np.cos(angle)[:, None] * waves[:, 0] + np.sin(angle)[:, None] * waves[:, 1]
        R = self.R.take(which, axis=0)
        out[:, :3, :3] = R @ turns.rotations(np.ascontiguousarray(values[:, 3:].T)) if self.has_turns else R
        return out

    def rates(self, which: Indices, v: Floats) -> Floats:
        """Return p', p'', ω, ω' over v, (m, 4, 3), world coordinates."""
        values = powers(v, self.coefficients.shape[1], 3) @ self.coefficients.take(which, axis=0)
        out = np.zeros((len(v), 4, 3))
        out[:, :2] = values[:, 1:, :3]
        if self.has_arcs:
            self._add_arcs(which, v, out)
        if self.has_turns:
            phi, d, dd = np.ascontiguousarray(values[:, :, 3:].transpose(1, 2, 0))
            out[:, 2:] = turns.rates(phi, d, dd).transpose(2, 0, 1) @ np.swapaxes(self.R.take(which, axis=0), 1, 2)
        return out

    def moves(self, which: Indices, v: Floats) -> Floats:
        """Return only p' and p'', (m, 2, 3)."""
        out = powers(v, self.coefficients.shape[1], 3)[:, 1:] @ self.coefficients.take(which, axis=0)[:, :, :3]
        if self.has_arcs:
            self._add_arcs(which, v, out)
        return out

    def _add_arcs(self, which: Indices, v: Floats, out: Floats) -> None:
        a, waves = self.angles[which], self.waves[which]
        c, s = np.cos(a * v), np.sin(a * v)
        out[:, 0] += (a * c)[:, None] * waves[:, 1] - (a * s)[:, None] * waves[:, 0]
        out[:, 1] -= (a * a * c)[:, None] * waves[:, 0] + (a * a * s)[:, None] * waves[:, 1]


class PathRows(NamedTuple):
    """Where on which element the tool is after an arc length s: between two breaks, v is a polynomial of x from 0 to 1.

    `pace[t, p]` is the factor of x**p, x = (s - breaks[t]) / (breaks[t + 1] - breaks[t]).
    """

    breaks: Floats
    """(t + 1,)"""
    pace: Floats
    """(t, terms)"""
    owner: Indices
    """(t,) the element of each row."""

    def find(self, s: Floats) -> tuple[Indices, Floats]:
        """Return the row of each `s` (m,) and x in it; a break belongs to the row that it starts."""
        row = np.searchsorted(self.breaks[1:-1], s, side="right")
        start = self.breaks[row]
        return row, (s - start) / (self.breaks[row + 1] - start)

    def values(self, row: Indices, x: Floats, orders: int) -> Floats:
        """Return v and its derivatives by s, (m, orders)."""
        terms = self.pace.shape[1]
        if terms == 2 and orders == 1:  # most paths: lines and arcs
            start, slope = self.pace.take(row, axis=0).T
            return np.asarray(start + slope * x)[:, None]
        out: Floats = (powers(x, terms, orders) @ self.pace.take(row, axis=0)[:, :, None])[:, :, 0]
        if orders > 1:
            width = self.breaks[row + 1] - self.breaks[row]
            out /= width[:, None] ** np.arange(orders)
        return out


def even_rows(lengths: Floats) -> PathRows:
    """Return rows that go through elements of these lengths at an even pace."""
    count = len(lengths)
    pace = np.broadcast_to(np.array([0.0, 1.0]), (count, 2)).copy()
    return PathRows(np.concatenate([[0.0], np.cumsum(lengths)]), pace, np.arange(count))


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


def powers(v: Floats, terms: int, orders: int) -> Floats:
    """Return v**p and its derivatives, (m, orders, terms)."""
    plain = np.empty((terms, len(v)))
    plain[0] = 1.0
    for p in range(1, terms):
        np.multiply(plain[p - 1], v, out=plain[p])
    out = np.zeros((orders, terms, len(v)))
    factor = np.ones((terms, 1))
    for k in range(min(orders, terms)):
        np.multiply(plain[: terms - k], factor, out=out[k, k:])
        factor = factor[1:] * np.arange(1, terms - k)[:, None]
    return out.transpose(2, 0, 1)
