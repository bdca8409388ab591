from __future__ import annotations

import numpy as np
import pytest

from armlab.kernels import polynomials
from armlab.kernels.timing import phases as phase_kernels


def test_phases_of_constant_jerk_become_pieces_with_common_breaks() -> None:
    durations = np.array([[[1.0, 0.5], [0.25, 1.25]]])
    accelerations = np.array([[[1.0, 3.0], [0.0, 0.5]]])
    jerks = np.array([[[2.0, 0.0], [2.0, -1.0]]])
    points, velocity = np.array([[0.0, 10.0], [9.0, 9.0]]), np.array([0.5, 0.0])
    breaks, coefficients = np.empty(5), np.empty((4, 4, 2))
    phases = np.stack([durations, accelerations, jerks], axis=3)
    count = phase_kernels.pieces_into(phases, points, velocity, breaks, coefficients)
    np.testing.assert_allclose(breaks[: count + 1], [0.0, 0.25, 1.0, 1.5])
    out = np.empty((2, 4, 2))
    polynomials.evaluate_into(breaks[:4], coefficients[:3], np.array([0.9, 1.2]), out)
    t = 0.9
    np.testing.assert_allclose(out[0, :, 0], [t / 2 + t**2 / 2 + t**3 / 3, 0.5 + t + t**2, 1 + 2 * t, 2.0], atol=1e-14)
    v, p, t = 0.25**2, 10 + 0.25**3 / 3, 1.2 - 0.25
    np.testing.assert_allclose(
        out[1, :, 1], [p + v * t + t**2 / 4 - t**3 / 6, v + t / 2 - t**2 / 2, 0.5 - t, -1.0], atol=1e-14
    )


def test_phases_shorter_than_rounding_leave_no_piece() -> None:
    phases, points = np.zeros((1, 1, 3, 3)), np.array([[0.0], [2.0]])
    phases[0, 0, :, phase_kernels.DURATION] = 1.0, 1e-14, 1.0
    breaks, coefficients = np.empty(4), np.empty((3, 4, 1))
    count = phase_kernels.pieces_into(phases, points, np.ones(1), breaks, coefficients)
    assert count == 2
    np.testing.assert_allclose(breaks[:3], [0.0, 1.0, 2.0], atol=1e-13)


def test_the_cruising_speed_covers_the_distance_in_the_given_time() -> None:
    rng = np.random.default_rng(1)
    for _ in range(500):
        distance, v, a, j = 10.0 ** rng.uniform([-12, -4, -3, -2], [2, 3, 4, 6])
        top = phase_kernels.top_speed(distance, v, a, j)
        assert top <= v
        shortest = distance / top + phase_kernels.ramp_time(top, a, j)
        assert shortest >= 2.0 * phase_kernels.ramp_time(top, a, j) * (1.0 - 1e-12)
        for longer in (1.0, 1.0 + 1e-12, 1.1, 3.0, 1e4):
            speed = min(phase_kernels.cruise_speed(distance, longer * shortest, a, j), top)
            ramp = phase_kernels.ramp_time(speed, a, j)
            assert speed * (longer * shortest - ramp) == pytest.approx(distance, rel=1e-9)
