"""Curves made of pieces of polynomials: the one form of all paths and trajectories in joint space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.kernels import polynomials
from armlab.messages import _

_FLOAT64 = np.dtype(np.float64)


class Extremes(NamedTuple):
    """The lowest and highest value of each coordinate, (n,), and where on the curve they are."""

    low: Floats
    high: Floats
    x_low: Floats
    x_high: Floats


@dataclass(frozen=True, slots=True, eq=False)
class PiecewisePolynomial:
    """A curve with n coordinates over x, as polynomials between growing breaks; constant outside of them.

    Piece i is the sum of `coefficients[i, p] * u**p`, u = (x - breaks[i]) / (breaks[i + 1] - breaks[i]).
    """

    breaks: Floats
    """(k + 1,)"""
    coefficients: Floats
    """(k, degree + 1, n)"""

    @classmethod
    def of_sound(cls, breaks: Floats, coefficients: Floats) -> PiecewisePolynomial:
        """Return a curve of arrays that a kernel has made and checked: nothing is checked again."""
        curve = object.__new__(cls)
        object.__setattr__(curve, "breaks", breaks)
        object.__setattr__(curve, "coefficients", coefficients)
        return curve

    def __post_init__(self) -> None:
        if not _is_ready(self.breaks, self.coefficients):
            self._check()

    def _check(self) -> None:
        breaks = as_floats(self.breaks, (None,), "breaks")
        coefficients = as_floats(self.coefficients, (None, None, None), "coefficients")
        if len(breaks) < 2 or coefficients.shape[0] != len(breaks) - 1 or 0 in coefficients.shape:
            raise InvalidInput(
                "pieces_shape",
                _("pieces: {breaks} breaks and coefficients of shape {shape}; expected k + 1 and (k, degree + 1, n)"),
                breaks=len(breaks),
                shape=str(coefficients.shape),
            )
        if not (np.diff(breaks) > 0.0).all():
            raise InvalidInput("breaks_not_growing", _("pieces: the breaks must grow"))
        object.__setattr__(self, "breaks", breaks)
        object.__setattr__(self, "coefficients", coefficients)

    @property
    def width(self) -> int:
        """How many coordinates the curve has."""
        return int(self.coefficients.shape[2])

    @property
    def start(self) -> float:
        """The first break."""
        return float(self.breaks[0])

    @property
    def end(self) -> float:
        """The last break."""
        return float(self.breaks[-1])

    def values(self, x: ArrayLike, orders: int = 1) -> Floats:
        """Return value and the first derivatives at `x` (m,): (m, orders, n)."""
        places = as_floats(x, (None,), "x")
        out = np.empty((len(places), orders, self.width))
        polynomials.evaluate_into(self.breaks, self.coefficients, places, out)
        return out

    def extremes(self, order: int = 0) -> Extremes:
        """Return the exact extremes of the curve, or of a derivative of it."""
        out = np.empty((4, self.width))
        polynomials.extremes_into(self.breaks, self.coefficients, order, out)
        return Extremes(*out)

    def jumps(self, order: int = 0) -> Floats:
        """Return how much a derivative changes at each inner break, (k - 1, n)."""
        k = np.arange(order, self.coefficients.shape[1])
        factors = np.ones(len(k))
        for f in range(order):
            factors *= k - f
        scale = np.diff(self.breaks)[:, None] ** order
        c = self.coefficients[:, order:] * factors[:, None]
        before, after = c.sum(axis=1) / scale, self._first(c) / scale
        return np.asarray(after[1:] - before[:-1])

    def moved(self, breaks: Floats, slower: float = 1.0) -> PiecewisePolynomial:
        """Return the same pieces at other `breaks`, `slower` times as wide; what has no width there is left out.

        Rounding changes the widths a little: each piece still starts with exactly the derivatives that it should have.
        """
        widths = np.diff(breaks)
        powers = (widths / (np.diff(self.breaks) * slower))[:, None] ** np.arange(self.coefficients.shape[1])
        kept = widths > 0.0
        return PiecewisePolynomial(
            np.append(breaks[:1], breaks[1:][kept]), (self.coefficients * powers[:, :, None])[kept]
        )

    @staticmethod
    def _first(c: Floats) -> Floats:
        return np.asarray(c[:, 0]) if c.shape[1] else np.zeros((c.shape[0], c.shape[2]))


def _is_ready(breaks: Floats, coefficients: Floats) -> bool:
    """Tell quickly whether arrays can be taken as they are."""
    return (
        type(breaks) is np.ndarray
        and type(coefficients) is np.ndarray
        and breaks.dtype is _FLOAT64
        and coefficients.dtype is _FLOAT64
        and breaks.flags.carray
        and coefficients.flags.carray
        and breaks.ndim == 1
        and coefficients.ndim == 3
        and breaks.shape[0] == coefficients.shape[0] + 1 > 1
        and coefficients.size > 0
        and polynomials.are_sound(breaks, coefficients)
    )
