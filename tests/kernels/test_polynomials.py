from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import Polynomial

from armlab.arrays import Floats
from armlab.kernels import polynomials


@st.composite
def curves(draw: st.DrawFn) -> tuple[Floats, Floats]:
    pieces, terms = draw(st.integers(1, 4)), draw(st.integers(1, 7))
    widths = [draw(st.floats(0.05, 4.0)) for _ in range(pieces)]
    seed = draw(st.integers(0, 2**32 - 1))
    coefficients = np.random.default_rng(seed).normal(size=(pieces, terms, 2))
    return np.cumsum([draw(st.floats(-3.0, 3.0)), *widths]), coefficients


def _derivative(breaks: Floats, coefficients: Floats, i: int, j: int, order: int) -> Polynomial:
    """The same piece by NumPy, over x."""
    return Polynomial(coefficients[i, :, j], domain=[breaks[i], breaks[i + 1]], window=[0.0, 1.0]).deriv(order)


@given(curve=curves())
def test_values_and_derivatives_are_those_of_numpy(curve: tuple[Floats, Floats]) -> None:
    breaks, coefficients = curve
    x = np.linspace(breaks[0], breaks[-1], 23)
    out = np.empty((len(x), 4, 2))
    polynomials.evaluate_into(breaks, coefficients, x, out)
    for k, place in enumerate(x):
        i = polynomials.piece_of(breaks, place)
        for order in range(4):
            for j in range(2):
                expected = _derivative(breaks, coefficients, i, j, order)(place)
                size = 1.0 + np.abs(coefficients).max() / np.diff(breaks).min() ** order
                assert out[k, order, j] == pytest.approx(expected, abs=1e-9 * size)


def test_a_break_belongs_to_the_piece_that_it_starts_and_the_last_one_to_the_last_piece() -> None:
    breaks = np.array([0.0, 1.0, 2.0, 5.0])
    assert [polynomials.piece_of(breaks, x) for x in (-1.0, 0.0, 0.5, 1.0, 2.0, 4.9, 5.0, 9.0)] == [
        *(0, 0, 0, 1, 2, 2, 2, 2),
    ]


def test_outside_of_its_breaks_a_curve_stands_still() -> None:
    breaks, coefficients = np.array([1.0, 3.0]), np.array([[[2.0], [5.0], [-1.0]]])
    out = np.empty((2, 3, 1))
    polynomials.evaluate_into(breaks, coefficients, np.array([0.0, 4.0]), out)
    np.testing.assert_array_equal(out[:, :, 0], [[2.0, 0.0, 0.0], [6.0, 0.0, 0.0]])


@given(curve=curves(), order=st.integers(0, 4))
def test_extremes_are_exact(curve: tuple[Floats, Floats], order: int) -> None:
    """The oracle: NumPy's roots of the next derivative, and the ends of the pieces."""
    breaks, coefficients = curve
    out = np.empty((4, 2))
    polynomials.extremes_into(breaks, coefficients, order, out)
    for j in range(2):
        candidates = []
        for i in range(len(breaks) - 1):
            f = _derivative(breaks, coefficients, i, j, order)
            roots = f.deriv().roots() if f.degree() > 1 else np.array([])
            real = roots[np.abs(np.imag(roots)) < 1e-6].real
            inside = real[(real >= breaks[i]) & (real <= breaks[i + 1])]
            candidates += [float(f(x)) for x in (*inside, breaks[i], breaks[i + 1])]
        slack = 1e-9 * (1.0 + np.abs(candidates).max())
        assert out[0, j] == pytest.approx(min(candidates), abs=slack)
        assert out[1, j] == pytest.approx(max(candidates), abs=slack)


@given(curve=curves(), order=st.integers(0, 3))
def test_no_dense_sample_is_beyond_an_extreme_and_the_extreme_is_where_it_says(
    curve: tuple[Floats, Floats], order: int
) -> None:
    breaks, coefficients = curve
    out = np.empty((4, 2))
    polynomials.extremes_into(breaks, coefficients, order, out)
    samples = np.empty((400, order + 1, 2))
    polynomials.evaluate_into(breaks, coefficients, np.linspace(breaks[0], breaks[-1], 400), samples)
    slack = 1e-9 * (1.0 + np.abs(out[:2]).max())
    assert (samples[:, order] >= out[0] - slack).all()
    assert (samples[:, order] <= out[1] + slack).all()
    assert ((out[2:] >= breaks[0]) & (out[2:] <= breaks[-1])).all()
    if order == 0 and len(breaks) == 2:
        at = np.empty((2, 1, 2))
        for j in range(2):
            polynomials.evaluate_into(breaks, coefficients, np.ascontiguousarray(out[2:, j]), at)
            np.testing.assert_allclose(at[:, 0, j], out[:2, j], atol=slack)


@given(curve=curves(), seed=st.integers(0, 999))
def test_a_piece_that_takes_longer_by_its_stretch_just_keeps_its_limits(
    curve: tuple[Floats, Floats], seed: int
) -> None:
    breaks, coefficients = curve
    limits = np.random.default_rng(seed).uniform(0.3, 3.0, (3, 2))
    out = np.empty(len(breaks) - 1)
    polynomials.stretch_into(breaks, coefficients, limits, out)
    for i, factor in enumerate(out):
        if coefficients.shape[1] == 1:
            assert factor == 0.0
            continue
        slower = np.array([0.0, (breaks[i + 1] - breaks[i]) * factor])
        alone, ratios = np.empty((4, 2)), []
        for order in range(1, 4):
            polynomials.extremes_into(slower, coefficients[i : i + 1].copy(), order, alone)
            ratios.append(np.abs(alone[:2]).max(axis=0) / limits[order - 1])
        assert np.max(ratios) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_numbers_that_are_not_finite_are_not_sound(bad: float) -> None:
    breaks, coefficients = np.array([0.0, 1.0]), np.zeros((1, 2, 1))
    assert polynomials.are_sound(breaks, coefficients)
    assert not polynomials.are_sound(np.array([0.0, bad]), coefficients)
    assert not polynomials.are_sound(np.array([1.0, 1.0]), coefficients)
    assert not polynomials.are_sound(breaks, np.full((1, 2, 1), bad))


def test_points_must_be_inside_and_apart() -> None:
    bounds = np.array([[-1.0, -1.0], [1.0, 1.0]])
    good = np.array([[0.0, 0.0], [0.5, 0.0], [0.5, -1.0]])
    assert polynomials.are_distinct_inside(good, bounds, 1e-9)
    assert not polynomials.are_distinct_inside(good[[0, 1, 1]], bounds, 1e-9)
    assert not polynomials.are_distinct_inside(good * 1.1, bounds, 1e-9)
    assert not polynomials.are_distinct_inside(good * math.nan, bounds, 1e-9)


def test_limits_that_make_no_sense_do_not_hang_the_search() -> None:
    breaks, coefficients = np.array([0.0, 1.0]), np.random.default_rng(1).normal(size=(1, 6, 2))
    out = np.empty(1)
    polynomials.stretch_into(breaks, coefficients, np.zeros((3, 2)), out)
    assert not out[0] < math.inf
    extremes = np.empty((4, 2))
    polynomials.extremes_into(breaks, coefficients * math.nan, 0, extremes)
    assert not np.isfinite(extremes[:2]).any()
