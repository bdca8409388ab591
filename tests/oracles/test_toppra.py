"""TOPP-RA times the same paths with the same limits: ours must be as fast, and keep the limits between grid points."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from armlab.motion.limits import Limits
from armlab.motion.splines import cubic_spline
from armlab.motion.timing.timing import time_optimal

if sys.platform != "linux":
    pytest.skip("TOPP-RA has no wheels here", allow_module_level=True)

import toppra
from toppra import algorithm, constraint


def _their_duration(points: np.ndarray, v: np.ndarray, a: np.ndarray, grid: np.ndarray | None) -> float:
    path = toppra.SplineInterpolator(np.linspace(0.0, 1.0, len(points)), points)
    asked = [
        constraint.JointVelocityConstraint(np.stack([-v, v], axis=1)),
        constraint.JointAccelerationConstraint(np.stack([-a, a], axis=1)),
    ]
    solver = algorithm.TOPPRA(asked, path, gridpoints=grid, parametrizer="ParametrizeConstAccel")
    return float(solver.compute_trajectory(0, 0).duration)


@pytest.mark.parametrize("n", [6, 7])
def test_durations_are_those_of_toppra_but_without_its_violations(n: int) -> None:
    toppra.setup_logging("ERROR")
    rng = np.random.default_rng(n)
    v, a, wide = np.full(n, 2.0), np.full(n, 10.0), np.full(n, 100.0)
    limits = Limits(-wide, wide, v, a, np.full(n, 200.0), np.full(n, np.inf))
    ratios = []
    for k in range(6):
        walk = np.cumsum(rng.uniform(-0.6, 0.6, (10, n)), axis=0)
        points = walk if k < 4 else rng.normal(size=(10, n))
        ours = time_optimal(cubic_spline(np.linspace(0.0, 1.0, 10), points), limits)
        ratios.append([ours.duration / _their_duration(points, v, a, g) for g in (None, np.linspace(0.0, 1.0, 201))])
        for order, limit in ((1, v), (2, a)):
            e = ours.pieces.extremes(order)
            assert max((e.high / limit).max(), (-e.low / limit).max()) <= 1.0 + 1e-9
    assert np.max(ratios) < 1.01
    assert np.median(ratios) < 1.003
    assert np.min(ratios) > 0.97
