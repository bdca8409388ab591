from __future__ import annotations

import math

import numpy as np
import pytest

from armlab.arrays import Floats
from armlab.kernels.jit import kernel
from armlab.kernels.trig import LARGEST, sincos


@kernel
def _table(x: Floats, out: Floats) -> None:
    for i in range(x.shape[0]):
        out[i, 0], out[i, 1] = sincos(x[i])


def _errors(x: Floats) -> Floats:
    out = np.empty((len(x), 2))
    _table(x, out)
    exact = np.array([[math.sin(v), math.cos(v)] for v in x])
    return np.asarray(np.abs(out - exact))


@pytest.mark.parametrize("span", [1e-6, 1.0, 10.0, 1e3, LARGEST])
def test_sine_and_cosine_agree_with_the_c_library_to_the_last_bits(span: float) -> None:
    x = np.random.default_rng(3).uniform(-span, span, 50_000)
    assert _errors(x).max() < 3e-16


def test_quarter_turns_land_in_the_right_quadrant() -> None:
    x = np.arange(-40, 41) * (math.pi / 2)
    assert _errors(np.concatenate([x, np.nextafter(x, 9e9), np.nextafter(x, -9e9)])).max() < 3e-16


def test_infinity_and_nan_come_out_as_nan() -> None:
    out = np.empty((3, 2))
    _table(np.array([math.inf, -math.inf, math.nan]), out)
    assert np.isnan(out).all()
