"""Quintics through given values and derivatives, made by what the planning schemes use."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.splines import quintics


def hermite_quintic(x: ArrayLike, values: ArrayLike, rates: ArrayLike, bends: ArrayLike) -> PiecewisePolynomial:
    """Return quintics with `values`, first and second derivatives `rates` and `bends` (m, n) at growing `x` (m,)."""
    places, nodes, v, a = (np.array(part, dtype=float) for part in (x, values, rates, bends))
    return PiecewisePolynomial(places, quintics(nodes, v, a, np.diff(places)[:, None]))
