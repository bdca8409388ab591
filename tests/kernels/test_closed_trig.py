"""The arcus tangent of the closed forms against the standard library's."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armlab.kernels.closed_form.trig import atan2, wrapped

numbers = st.floats(-1e100, 1e100).filter(lambda v: v == 0.0 or abs(v) > 1e-100)


@given(y=numbers, x=numbers)
def test_arcus_tangent_agrees_with_the_standard_library(y: float, x: float) -> None:
    assert atan2(y, x) == pytest.approx(math.atan2(y, x), abs=5e-16)


def test_arcus_tangent_of_nothing_is_zero_and_of_straight_back_is_half_a_turn() -> None:
    assert atan2(0.0, 0.0) == 0.0
    assert atan2(0.0, -1.0) == math.pi
    assert atan2(-1.0, 0.0) == -0.5 * math.pi


@given(angle=st.floats(-9.0, 9.0))
def test_wrapping_takes_off_one_turn(angle: float) -> None:
    if -3 * math.pi < angle <= 3 * math.pi:
        inside = wrapped(angle)
        assert -math.pi < inside <= math.pi
        assert math.cos(inside - angle) == pytest.approx(1.0)
