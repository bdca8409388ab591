from __future__ import annotations

import math

import numpy as np
import pytest

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.motion.piecewise import PiecewisePolynomial


@pytest.fixture
def curve() -> PiecewisePolynomial:
    """x², then a line that goes on with another slope, over 1…2…4."""
    return PiecewisePolynomial(np.array([1.0, 2.0, 4.0]), np.array([[[0.0], [0.0], [1.0]], [[1.0], [1.0], [0.0]]]))


def test_a_curve_knows_its_ends_and_its_width(curve: PiecewisePolynomial) -> None:
    assert (curve.start, curve.end, curve.width) == (1.0, 4.0, 1)


def test_values_come_with_as_many_derivatives_as_asked(curve: PiecewisePolynomial) -> None:
    out = curve.values([1.5, 3.0], 3)
    np.testing.assert_allclose(out[:, :, 0], [[0.25, 1.0, 2.0], [1.5, 0.5, 0.0]])


def test_jumps_are_the_differences_at_the_inner_breaks(curve: PiecewisePolynomial) -> None:
    assert curve.jumps(0)[0, 0] == 0.0
    assert curve.jumps(1)[0, 0] == pytest.approx(0.5 - 2.0)
    assert curve.jumps(2)[0, 0] == pytest.approx(-2.0)
    assert curve.jumps(5)[0, 0] == 0.0


def test_a_curve_that_is_moved_keeps_its_derivatives(curve: PiecewisePolynomial) -> None:
    later = curve.moved(curve.breaks + 1e6)
    np.testing.assert_allclose(later.values([1e6 + 1.5, 1e6 + 3.0], 3), curve.values([1.5, 3.0], 3), atol=1e-9)


def test_a_piece_too_thin_for_its_new_place_is_left_out() -> None:
    thin = PiecewisePolynomial(np.array([0.0, 1e-12, 1.0]), np.array([[[0.0], [1e-12]], [[1e-12], [1.0 - 1e-12]]]))
    later = thin.moved(thin.breaks + 1e6)
    assert len(later.breaks) == 2
    assert later.values([1e6 + 0.5], 2)[0, 1, 0] == pytest.approx(1.0)


def test_lists_become_arrays() -> None:
    curve = PiecewisePolynomial([0, 1], [[[1], [2]]])  # type: ignore[arg-type]
    assert curve.values([0.5])[0, 0, 0] == 2.0


@pytest.mark.parametrize(
    ("breaks", "coefficients", "sentence"),
    [
        ([0.0], np.zeros((0, 1, 1)), "pieces: 1 breaks and coefficients of shape"),
        ([0.0, 1.0, 2.0], np.zeros((1, 1, 1)), "pieces: 3 breaks and coefficients of shape"),
        ([0.0, 1.0], np.zeros((1, 0, 1)), "pieces: 2 breaks and coefficients of shape"),
        ([0.0, 0.0], np.zeros((1, 1, 1)), "the breaks must grow"),
        ([1.0, 0.0], np.zeros((1, 1, 1)), "the breaks must grow"),
        ([0.0, math.nan], np.zeros((1, 1, 1)), r"breaks\[1\]: nan is not a finite number"),
        ([0.0, 1.0], np.full((1, 1, 1), math.inf), r"coefficients\[0, 0, 0\]: inf is not a finite number"),
    ],
)
def test_what_is_not_a_curve_is_refused(breaks: list[float], coefficients: Floats, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        PiecewisePolynomial(np.array(breaks), coefficients)
