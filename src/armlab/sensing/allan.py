"""The Allan deviation: which noise a sensor at rest has, and over which times."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.messages import _

PER_OCTAVE = 4
FLOOR = math.sqrt(2.0 * math.log(2.0) / math.pi)
"""The Allan deviation of 1/f noise is flat at this (0.664) times its bias instability B."""
OVERLAP = 16
"""How many times per averaging time the overlapping clusters start, at most."""
LEAST_CLUSTERS = 9
"""Averaging times of which fewer fit into the record are left out: their deviation would be chance."""
LEAST_DEVIATION = 1e-100
NEGLIGIBLE = 1e-9
"""Of the largest deviation of an axis: smaller ones count as that much."""


class AllanCurve(NamedTuple):
    """The overlapping Allan deviation."""

    tau: Floats
    """(k,) averaging times (s)."""
    deviation: Floats
    """(k, axes) in the unit of the signal."""


class NoiseFit(NamedTuple):
    """Noise found in an Allan deviation, each (axes,); the unit u is that of the signal."""

    noise_density: Floats
    """N, u/√Hz."""
    bias_instability: Floats
    """B, u."""
    random_walk: Floats
    """K, u·√Hz."""


def allan_deviation(signal: ArrayLike, rate: float) -> AllanCurve:
    """Return the overlapping Allan deviation of `signal` (m,) or (m, axes), sampled at `rate` (Hz).

    σ²(τ) is half the mean square of x(t + 2τ) − 2 x(t + τ) + x(t) over τ², with x the integral of the signal, at four
    times τ per octave.

    Raises:
        InvalidInput: if the record is too short.
    """
    rows = np.asarray(signal, dtype=np.float64)
    rows = as_floats(rows[:, None] if rows.ndim == 1 else rows, (None, None), "signal")
    m = len(rows)
    if m < 2 * LEAST_CLUSTERS:
        raise InvalidInput(
            "allan_too_short",
            _("signal: {count} samples; an Allan deviation needs {least}"),
            count=m,
            least=2 * LEAST_CLUSTERS,
        )
    x = np.zeros((m + 1, rows.shape[1]))
    np.cumsum(rows - rows.mean(axis=0), axis=0, out=x[1:])
    largest = m // LEAST_CLUSTERS
    count = 1 + int(PER_OCTAVE * math.log2(largest))
    sizes = np.unique(np.round(2.0 ** (np.arange(count) / PER_OCTAVE)).astype(np.int64))
    out = np.empty((len(sizes), rows.shape[1]))
    for i, n in enumerate(sizes):
        stride = max(1, int(n) // OVERLAP)  # samples nearer than that hardly tell anything new
        second = x[2 * n :: stride] - 2.0 * x[n:-n:stride] + x[: -2 * n : stride]
        out[i] = np.sqrt(0.5 * np.mean(second**2, axis=0)) / n
    return AllanCurve(sizes / rate, out)


def noise_of(curve: AllanCurve) -> NoiseFit:
    """Return N, B and K of an Allan deviation: σ²(τ) = N²/τ + (0.664 B)² + K² τ/3, by non-negative least squares.

    Each τ counts by how many independent clusters it has: relative errors grow with the root of τ.
    """
    from scipy.optimize import nnls

    tau = curve.tau
    columns = np.stack([1.0 / tau, np.full_like(tau, FLOOR**2), tau / 3.0], axis=1)
    found = np.zeros((3, curve.deviation.shape[1]))
    for axis, deviation in enumerate(curve.deviation.T):
        largest = float(deviation.max(initial=0.0))
        if largest < LEAST_DEVIATION:  # an axis that never moves, as of an ideal sensor
            continue
        weight = 1.0 / (np.maximum(deviation, NEGLIGIBLE * largest) ** 2 * np.sqrt(tau))
        scale = np.linalg.norm(columns * weight[:, None], axis=0)
        found[:, axis] = nnls(columns * weight[:, None] / scale, deviation**2 * weight)[0] / scale
    return NoiseFit(*np.sqrt(found))
