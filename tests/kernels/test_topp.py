from __future__ import annotations

import numpy as np
import pytest

from armlab.arrays import Floats
from armlab.kernels.timing import curve, grid, jerk, topp


def _polynomial(c: Floats, u: Floats) -> Floats:
    return np.asarray(sum(c[p] * u[:, None] ** p for p in range(len(c))))


def test_a_part_of_a_polynomial_is_the_same_polynomial() -> None:
    rng = np.random.default_rng(1)
    c, out = rng.normal(size=(2, 5, 3)), np.empty((1, 5, 3))
    topp.cut_into(c, np.array([[1.0, 0.3, 0.7]]), out)
    u = np.linspace(0.0, 1.0, 9)
    np.testing.assert_allclose(_polynomial(out[0], u), _polynomial(c[1], 0.3 + 0.4 * u), atol=1e-12)


def test_a_polynomial_stays_between_its_control_values_and_starts_and_ends_with_them() -> None:
    rng = np.random.default_rng(2)
    for degree in range(8):
        c = rng.normal(size=degree + 1)
        b = c.copy()
        shares, columns = np.empty(degree + 1), np.stack([c, 2.0 * c], axis=1)
        topp.shares_into(degree, shares)
        topp.to_controls(b, degree, shares)
        topp.to_controls_each(columns, degree, shares)
        np.testing.assert_allclose(columns, np.stack([b, 2.0 * b], axis=1), atol=1e-12)
        values = _polynomial(c[:, None], np.linspace(0.0, 1.0, 101))[:, 0]
        assert b.min() - 1e-12 <= values.min()
        assert values.max() <= b.max() + 1e-12
        np.testing.assert_allclose([b[0], b[-1]], [values[0], values[-1]], atol=1e-12)


def test_a_composition_is_the_outer_polynomial_of_the_inner_one() -> None:
    rng = np.random.default_rng(3)
    local, inner = rng.normal(size=(2, 4, 3)), rng.normal(size=(2, 4))
    out = np.empty((2, 10, 3))
    curve.compose_into(local, inner, out)
    u = np.linspace(0.0, 1.0, 7)
    for i in range(2):
        sigma = _polynomial(inner[i][:, None], u)[:, 0]
        np.testing.assert_allclose(_polynomial(out[i], u), _polynomial(local[i], sigma), rtol=1e-9, atol=1e-9)


def _best_by_search(rows: Floats, top: float, cap: float) -> tuple[float, float]:
    """The largest x with a feasible y, and the x of the least time, by trying many."""
    x = np.linspace(0.0, cap, 20_001)
    high = np.minimum((rows[:, 2] - rows[:, 0] * x[:, None]).min(axis=1), top)
    low = np.maximum((rows[:, 1] - rows[:, 0] * x[:, None]).max(axis=1), 0.0)
    is_free = high >= low
    gain = np.where(is_free, np.sqrt(x) + np.sqrt(np.maximum(high, 0.0)), -1.0)
    return float(x[is_free].max()), float(gain.max())


@pytest.mark.parametrize("seed", range(12))
def test_the_reachable_set_is_the_one_that_a_search_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    r, size = rng.normal(size=9) * 2.0, rng.uniform(0.2, 2.0, 9)
    rows = np.stack([r, -size, size], axis=1)
    top, cap = float(rng.uniform(0.2, 3.0)), 3.0
    feasible, gain = _best_by_search(rows, top, cap)
    x = topp.largest(rows, 9, top, cap)
    assert x == pytest.approx(feasible, abs=2e-4)
    best = topp.quickest(rows, 9, top, x)
    y, _, low, _ = topp.bounds(rows, 9, top, best)
    assert 0.0 < best <= x
    assert y >= low - 1e-12
    assert np.sqrt(best) + np.sqrt(y) == pytest.approx(gain, abs=2e-4)


def test_a_system_of_five_diagonals_is_solved() -> None:
    rng = np.random.default_rng(4)
    for m in (1, 2, 3, 9):
        band, full = rng.uniform(-1.0, 1.0, (m, 3)), np.zeros((m, m))
        band[:, 0] += 5.0
        for i in range(m):
            for k in range(min(3, m - i)):
                full[i, i + k] = full[i + k, i] = band[i, k]
        right = rng.normal(size=m)
        expected = np.linalg.solve(full, right)
        jerk.solve_band(band, right)
        np.testing.assert_allclose(right, expected, atol=1e-12)


def test_cubics_pass_their_nodes_smoothly_from_rest_to_rest() -> None:
    s = np.linspace(0.0, 1.0, 13) ** 2 * (3.0 - 2.0 * np.linspace(0.0, 1.0, 13))
    delta, h = np.diff(s), np.full(12, 0.1)
    inner, motion = np.empty((12, 4)), np.empty((13, 3))
    assert curve.cubics_into(delta, h, inner, motion)
    start = s[:-1] + delta * inner[:, 0]
    end = s[:-1] + delta * inner.sum(axis=1)
    speed = [delta * inner[:, 1] / h, delta * (inner[:, 1] + 2.0 * inner[:, 2] + 3.0 * inner[:, 3]) / h]
    pull = [2.0 * delta * inner[:, 2] / h**2, delta * (2.0 * inner[:, 2] + 6.0 * inner[:, 3]) / h**2]
    np.testing.assert_allclose(end[:-1], start[1:], atol=1e-14)
    np.testing.assert_allclose(speed[1][:-1], speed[0][1:], atol=1e-12)
    np.testing.assert_allclose(pull[1][:-1], pull[0][1:], atol=1e-10)
    np.testing.assert_allclose([speed[0][0], speed[1][-1], pull[0][0], pull[1][-1]], 0.0, atol=1e-10)
    np.testing.assert_allclose(start[2:-1], s[2:-2], atol=1e-14)


def test_a_blurred_motion_is_the_mean_over_its_window() -> None:
    t, v = np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 0.0])
    s, area, work = np.array([0.0, 0.25, 0.5]), np.empty(3), np.empty(3)
    grid.area_into(t, s, v, area)
    times = np.linspace(0.3, 0.7, 4001)
    places = [grid.blurred(t, s, v, area, 0.0, float(time), work)[0] for time in times]
    place, speed = grid.blurred(t, s, v, area, 0.4, 0.7, work)
    assert place == pytest.approx(np.trapezoid(places, times) / 0.4, abs=1e-8)
    assert speed == pytest.approx((places[-1] - places[0]) / 0.4)
