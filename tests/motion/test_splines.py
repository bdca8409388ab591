from __future__ import annotations

import math

import numpy as np
import pytest
from hermite import hermite_quintic
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from refusals import refused
from scipy.interpolate import BPoly, CubicSpline

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.motion.splines import cubic_spline


@st.composite
def nodes(draw: st.DrawFn) -> tuple[Floats, Floats, Floats]:
    """Growing places, points, and slopes at both ends."""
    m = draw(st.integers(2, 12))
    x = np.cumsum([draw(st.floats(0.05, 3.0)) for _ in range(m)])
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return x, rng.normal(size=(m, 3)), rng.normal(size=(2, 3))


def _compare(x: Floats, ours: Floats, oracle: CubicSpline, places: Floats) -> None:
    narrowest = float(np.diff(x).min())
    for order in range(3):
        size = 1.0 + float(np.abs(ours[:, order]).max())
        np.testing.assert_allclose(ours[:, order], oracle(places, order), atol=1e-11 * size / narrowest**order)


@given(case=nodes())
def test_a_natural_spline_is_scipys(case: tuple[Floats, Floats, Floats]) -> None:
    x, y, _ = case
    places = np.linspace(x[0], x[-1], 101)
    _compare(x, cubic_spline(x, y, "natural").values(places, 3), CubicSpline(x, y, bc_type="natural"), places)


@given(case=nodes())
def test_a_clamped_spline_is_scipys(case: tuple[Floats, Floats, Floats]) -> None:
    x, y, (first, last) = case
    places = np.linspace(x[0], x[-1], 101)
    ours = cubic_spline(x, y, "clamped", start_rate=first, end_rate=last).values(places, 3)
    _compare(x, ours, CubicSpline(x, y, bc_type=((1, first), (1, last))), places)


@given(case=nodes())
def test_a_spline_without_knots_at_its_ends_is_scipys(case: tuple[Floats, Floats, Floats]) -> None:
    x, y, _ = case
    places = np.linspace(x[0], x[-1], 101)
    _compare(x, cubic_spline(x, y).values(places, 3), CubicSpline(x, y), places)


def test_a_cubic_is_found_again() -> None:
    x = np.array([0.0, 0.4, 1.0, 2.0, 2.1])
    y = (2.0 - x + 3.0 * x**2 - x**3)[:, None]
    t = np.linspace(0.0, 2.1, 50)
    np.testing.assert_allclose(cubic_spline(x, y).values(t)[:, 0, 0], 2.0 - t + 3.0 * t**2 - t**3, atol=1e-13)


@given(case=nodes())
def test_quintics_are_those_of_scipy(case: tuple[Floats, Floats, Floats]) -> None:
    x, y, _ = case
    v, a = np.sin(3.0 * y), np.cos(2.0 * y)
    curve = hermite_quintic(x, y, v, a)
    oracle = BPoly.from_derivatives(x, np.stack([y, v, a], axis=1))
    places = np.linspace(x[0], x[-1], 101)
    values = curve.values(places, 2)
    np.testing.assert_allclose(values[:, 0], oracle(places), atol=1e-10)
    np.testing.assert_allclose(values[:, 1], oracle(places, 1), atol=1e-8)


def test_quintics_meet_positions_and_derivatives_at_their_nodes() -> None:
    rng = np.random.default_rng(1)
    x, (y, v, a) = np.array([0.0, 0.5, 2.0, 2.3]), rng.normal(size=(3, 4, 2))
    curve = hermite_quintic(x, y, v, a)
    np.testing.assert_allclose(curve.values(x, 3), np.stack([y, v, a], axis=1), atol=1e-10)
    assert max(np.abs(curve.jumps(order)).max() for order in range(3)) < 1e-9


@pytest.mark.parametrize(
    ("x", "points", "sentence"),
    [
        ([0.0], [[1.0]], "points: at least 2 are needed, got 1"),
        ([0.0, 1.0], [[], []], "points: at least 2 are needed, got 0"),
        ([0.0, 0.0], [[1.0], [2.0]], "x: the values must grow"),
        ([0.0, 1.0], [[1.0]], r"points: expected shape \(2, m\), got \(1, 1\)"),
        ([0.0, math.nan], [[1.0], [2.0]], r"x\[1\]: nan is not a finite number"),
        ([0.0, 1.0], [[1.0], [math.inf]], r"points\[1, 0\]: inf is not a finite number"),
    ],
)
def test_nodes_that_make_no_curve_are_refused(x: ArrayLike, points: ArrayLike, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        cubic_spline(x, points)


def test_only_a_clamped_spline_takes_slopes() -> None:
    with refused("spline_slopes", InvalidInput, ends="natural"):
        cubic_spline([0.0, 1.0], [[0.0], [1.0]], "natural", start_rate=[1.0])
    with refused("unknown_spline_ends", InvalidInput, ends="loose"):
        cubic_spline([0.0, 1.0], [[0.0], [1.0]], "loose")  # type: ignore[arg-type]
    with refused("wrong_shape", InvalidInput, who="end_rate", expected="(1,)", got="(2,)"):
        cubic_spline([0.0, 1.0], [[0.0], [1.0]], "clamped", end_rate=[1.0, 2.0])
