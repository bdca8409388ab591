"""Curves through nodes: cubic splines, and quintics with given derivatives."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.kernels import polynomials
from armlab.messages import _
from armlab.motion.piecewise import PiecewisePolynomial

SplineEnds = Literal["natural", "clamped", "not-a-knot"]

_KINDS = {
    "natural": polynomials.NATURAL,
    "clamped": polynomials.CLAMPED,
    "not-a-knot": polynomials.NOT_A_KNOT,
}


def cubic_spline(
    x: ArrayLike,
    points: ArrayLike,
    ends: SplineEnds = "not-a-knot",
    *,
    start_rate: ArrayLike | None = None,
    end_rate: ArrayLike | None = None,
) -> PiecewisePolynomial:
    """Return the cubic spline through `points` (m, n) at growing `x` (m,); its second derivative is continuous.

    At the ends it has no curvature ("natural"), the slopes `start_rate` and `end_rate` (n,), which are zero if not
    given ("clamped"), or the third derivative does not jump at the second and at the last but one node
    ("not-a-knot"; two points make a line, three a parabola).

    Raises:
        InvalidInput: if there are fewer than two points, `x` does not grow, or slopes are given to a spline that is
            not clamped.
    """
    places, nodes = _nodes(x, points)
    if ends not in _KINDS:
        raise InvalidInput(
            "unknown_spline_ends",
            _("ends: '{ends}'; expected one of {known}"),
            ends=ends,
            known=get_args(SplineEnds),
        )
    if ends != "clamped" and not (start_rate is None and end_rate is None):
        raise InvalidInput(
            "spline_slopes", _("spline: slopes at its ends need ends 'clamped', got '{ends}'"), ends=ends
        )
    n = nodes.shape[1]
    rates = np.zeros((2, n))
    for i, (given, who) in enumerate(((start_rate, "start_rate"), (end_rate, "end_rate"))):
        if given is not None:
            rates[i] = as_floats(given, (n,), who)
    out = np.empty((len(places) - 1, 4, n))
    polynomials.spline_into(places, nodes, _KINDS[ends], rates, rates, out)
    return PiecewisePolynomial(places.copy(), out)


def quintics(values: Floats, rates: Floats, bends: Floats, widths: Floats) -> Floats:
    """Return the coefficients (k, 6, n) of quintics between nodes (k + 1, n), the segments being `widths` (k, 1)."""
    rise = values[1:] - values[:-1]
    v0, v1, a0, a1 = rates[:-1] * widths, rates[1:] * widths, bends[:-1] * widths**2, bends[1:] * widths**2
    c3 = 10.0 * rise - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1
    c4 = -15.0 * rise + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1
    c5 = 6.0 * rise - 3.0 * (v0 + v1) - 0.5 * (a0 - a1)
    return np.stack([values[:-1], v0, 0.5 * a0, c3, c4, c5], axis=1)


def _nodes(x: ArrayLike, points: ArrayLike) -> tuple[Floats, Floats]:
    places = as_floats(x, (None,), "x")
    nodes = as_floats(points, (len(places), None), "points")
    if len(places) < 2 or nodes.shape[1] == 0:
        raise InvalidInput(
            "too_few_points", _("points: at least {least} are needed, got {count}"), least=2, count=min(nodes.shape)
        )
    if not (np.diff(places) > 0.0).all():
        raise InvalidInput("x_not_growing", _("x: the values must grow"))
    return places, nodes
