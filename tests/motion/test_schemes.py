from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy
from hermite import hermite_quintic
from refusals import refused

from armlab.arrays import Floats
from armlab.errors import UnknownName
from armlab.kernels.timing.phases import DURATION
from armlab.motion.jerk import Ends, in_times, pieces_of, straight_segments, trapezoid_segments, trapezoid_times
from armlab.motion.limits import Limits
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.schemes import (
    SCHEMES,
    Builder,
    clamped,
    cubic,
    five_cubics,
    four_three_four,
    natural,
    quartic_ends,
    quintic,
    scheme_named,
    three_five_three,
)
from armlab.motion.splines import cubic_spline

REST = Ends(np.zeros((2, 1)), np.zeros((2, 1)), at_rest=True)
CLASSIC: list[tuple[Builder, int]] = [(four_three_four, 3), (three_five_three, 3), (five_cubics, 5)]


def _ends(seed: int, n: int) -> Ends:
    rates, bends = np.random.default_rng(seed).normal(size=(2, 2, n))
    return Ends(rates, bends, at_rest=False)


def _curve(build: Builder, points: Floats, times: Floats, ends: Ends) -> PiecewisePolynomial:
    return PiecewisePolynomial(np.append(0.0, np.cumsum(times)), build(points, times, ends))


def _limits(n: int) -> Limits:
    rng = np.random.default_rng(n)
    far, v, a = np.full(n, 9.0), rng.uniform(0.5, 2.0, n), rng.uniform(1.0, 4.0, n)
    return Limits(-far, far, v, a, 10.0 * a, far)


@pytest.mark.parametrize(("build", "segments"), CLASSIC)
@pytest.mark.parametrize("seed", range(5))
def test_a_classic_scheme_meets_its_points_its_ends_and_joins_smoothly(
    build: Builder, segments: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    points, times, ends = rng.normal(size=(4, 3)), rng.uniform(0.2, 2.0, segments), _ends(seed, 3)
    curve = _curve(build, points, times, ends)
    visited = [0, 1, segments - 1, segments]
    np.testing.assert_allclose(curve.values(curve.breaks[visited])[:, 0], points, atol=1e-9)
    first, last = curve.values([0.0, curve.end], 3)
    np.testing.assert_allclose([first[1], last[1]], ends.rates, atol=1e-9)
    np.testing.assert_allclose([first[2], last[2]], ends.bends, atol=1e-8)
    for order in range(3):
        assert np.abs(curve.jumps(order)).max() < 1e-8


def test_the_segments_have_the_degrees_that_they_are_named_for() -> None:
    rng = np.random.default_rng(3)
    points, times = rng.normal(size=(4, 1)), rng.uniform(0.5, 1.0, 3)
    assert four_three_four(points, times, REST)[1, 4, 0] == 0.0
    assert (three_five_three(points, times, REST)[[0, 2], 4:, 0] == 0.0).all()
    assert five_cubics(points, np.full(5, 0.5), REST).shape == (5, 4, 1)


def test_four_three_four_is_what_sympy_finds() -> None:
    """Seven equations per joint of the textbook, solved exactly: v and a at the ends 0.2, -0.1 and 0.3, 0.4."""
    numbers, times = [0, sympy.Rational(1, 3), sympy.Rational(9, 4), 2], [sympy.Rational(1, 2), 2, sympy.Rational(3, 4)]
    u = sympy.Symbol("u")
    unknown = [sympy.symbols(f"c{s}_0:{degree + 1}") for s, degree in enumerate((4, 3, 4))]
    p = [sum(c * u**k for k, c in enumerate(row)) for row in unknown]

    def at(s: int, place: int, order: int = 0) -> sympy.Expr:
        return sympy.diff(p[s], u, order).subs(u, place) / times[s] ** order

    rates, bends = (sympy.Rational(1, 5), -sympy.Rational(1, 10)), (sympy.Rational(3, 10), sympy.Rational(2, 5))
    equations = [
        *(at(s, 0) - numbers[s] for s in range(3)),
        *(at(s, 1) - numbers[s + 1] for s in range(3)),
        *(at(s, 1, order) - at(s + 1, 0, order) for s in range(2) for order in (1, 2)),
        *(at(0, 0, 1) - rates[0], at(2, 1, 1) - rates[1], at(0, 0, 2) - bends[0], at(2, 1, 2) - bends[1]),
    ]
    (solution,) = sympy.linsolve(equations, [c for row in unknown for c in row])
    ends = Ends(np.array(rates, float)[:, None], np.array(bends, float)[:, None], at_rest=False)
    ours = four_three_four(np.array(numbers, float)[:, None], np.array(times, float), ends)[:, :, 0]
    flat = np.concatenate([ours[0], ours[1, :4], ours[2]])
    np.testing.assert_allclose(flat, np.array(solution, float), atol=1e-11)


def test_three_five_three_leaves_rest_on_a_pure_cubic() -> None:
    points, times = np.array([[1.0], [3.0], [7.0], [8.0]]), np.array([0.5, 1.0, 0.25])
    ours = three_five_three(points, times, REST)[:, :, 0]
    np.testing.assert_allclose(ours[0, :4], [1.0, 0.0, 0.0, 2.0], atol=1e-12)
    np.testing.assert_allclose(ours[2, :4], [7.0, 3.0, -3.0, 1.0], atol=1e-12)
    middle = hermite_quintic([0.0, 1.0], [[3.0], [7.0]], [[12.0], [12.0]], [[48.0], [-96.0]])
    np.testing.assert_allclose(ours[1], middle.coefficients[0, :, 0], atol=1e-11)


@pytest.mark.parametrize("m", [3, 4, 5, 9])
def test_a_smooth_curve_meets_its_points_its_ends_and_joins_smoothly(m: int) -> None:
    rng = np.random.default_rng(m)
    points, times, ends = rng.normal(size=(m, 2)), rng.uniform(0.2, 2.0, m - 1), _ends(m, 2)
    curve = _curve(quartic_ends, points, times, ends)
    np.testing.assert_allclose(curve.values(curve.breaks)[:, 0], points, atol=1e-10)
    first, last = curve.values([0.0, curve.end], 3)
    np.testing.assert_allclose([first[1], last[1]], ends.rates, atol=1e-9)
    np.testing.assert_allclose([first[2], last[2]], ends.bends, atol=1e-8)
    for order in range(3):
        assert np.abs(curve.jumps(order)).max() < 1e-8
    assert np.abs(curve.coefficients[1:-1, 4]).max(initial=0.0) == 0.0


def test_a_smooth_curve_through_four_points_is_four_three_four_and_through_two_a_quintic() -> None:
    rng = np.random.default_rng(8)
    points, times, ends = rng.normal(size=(4, 3)), rng.uniform(0.2, 2.0, 3), _ends(8, 3)
    np.testing.assert_allclose(quartic_ends(points, times, ends), four_three_four(points, times, ends), atol=1e-10)
    np.testing.assert_array_equal(quartic_ends(points[:2], times[:1], ends), quintic(points[:2], times[:1], ends))


def test_polynomials_from_rest_to_rest_are_those_of_the_textbooks() -> None:
    points, times = np.array([[1.0], [3.0]]), np.array([0.5])
    np.testing.assert_allclose(cubic(points, times, REST)[0, :, 0], [1.0, 0.0, 6.0, -4.0])
    np.testing.assert_allclose(quintic(points, times, REST)[0, :, 0], [1.0, 0.0, 0.0, 20.0, -30.0, 12.0])
    assert _curve(cubic, points, times, REST).extremes(1).high[0] == pytest.approx(1.5 * 2.0 / 0.5)
    assert _curve(quintic, points, times, REST).extremes(1).high[0] == pytest.approx(1.875 * 2.0 / 0.5)
    assert _curve(quintic, points, times, REST).extremes(2).high[0] == pytest.approx(10 / 3**0.5 * 2.0 / 0.25 / 1.0)


@pytest.mark.parametrize("build", [cubic, quintic])
def test_a_joint_that_turns_round_stops_at_the_via_point_and_one_that_goes_on_has_the_mean_slope(
    build: Builder,
) -> None:
    points, times = np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 3.0]]), np.array([0.5, 1.0])
    ends = Ends(np.array([[0.3, 0.0], [0.0, -0.2]]), np.zeros((2, 2)), at_rest=False)
    curve = _curve(build, points, times, ends)
    values = curve.values(curve.breaks, 3)
    np.testing.assert_allclose(values[:, 1], [[0.3, 0.0], [0.0, 2.0], [0.0, -0.2]], atol=1e-12)
    assert np.abs(curve.jumps(1)).max() < 1e-12
    if build is quintic:
        np.testing.assert_allclose(values[:, 2], np.zeros((3, 2)), atol=1e-12)


def test_splines_are_those_of_the_splines_module() -> None:
    rng = np.random.default_rng(5)
    points, times, ends = rng.normal(size=(6, 2)), rng.uniform(0.3, 1.0, 5), _ends(5, 2)
    x = np.append(0.0, np.cumsum(times))
    np.testing.assert_array_equal(natural(points, times, ends), cubic_spline(x, points, "natural").coefficients)
    slopes = cubic_spline(x, points, "clamped", start_rate=ends.rates[0], end_rate=ends.rates[1])
    np.testing.assert_array_equal(clamped(points, times, ends), slopes.coefficients)


@pytest.mark.parametrize("segments", [straight_segments, trapezoid_segments])
def test_trapezoids_rest_at_each_point_and_use_a_limit_on_each_segment(
    segments: Callable[[Floats, Limits], Floats],
) -> None:
    points, limits = (
        np.random.default_rng(2).normal(size=(6, 4)) * [[1.0], [0.1], [0.1], [3.0], [0.01], [1.0]],
        _limits(4),
    )
    phases = segments(points, limits)
    curve = pieces_of(phases, points, np.zeros(4))
    arrivals = np.cumsum(phases[..., DURATION].sum(axis=2).max(axis=1))
    states = curve.values(arrivals, 2)
    np.testing.assert_allclose(states[:, 0], points[1:], atol=1e-12)
    np.testing.assert_allclose(states[:, 1], 0.0, atol=1e-11)
    for k in range(5):
        segment = pieces_of(phases[k : k + 1], points[k : k + 2], np.zeros(4))
        v, a = segment.extremes(1), segment.extremes(2)
        fast = np.maximum(v.high, -v.low) / limits.velocity
        hard = np.maximum(a.high, -a.low) / limits.acceleration
        assert max(fast.max(), hard.max()) == pytest.approx(1.0, abs=1e-9)


def test_straight_segments_are_straight() -> None:
    points, limits = np.random.default_rng(3).normal(size=(2, 5)), _limits(5)
    curve = pieces_of(straight_segments(points, limits), points, np.zeros(5))
    share = (curve.values(np.linspace(0.0, curve.end, 40))[:, 0] - points[0]) / (points[1] - points[0])
    np.testing.assert_allclose(share, np.repeat(share[:, :1], 5, axis=1), atol=1e-12)


def test_each_joint_of_a_trapezoid_uses_its_own_acceleration_and_arrives_with_the_others() -> None:
    points, limits = np.array([[0.0, 1.0, 2.0], [1.0, 1.2, 2.0]]), _limits(3)
    phases = trapezoid_segments(points, limits)
    np.testing.assert_allclose(
        phases[..., DURATION].sum(axis=2), trapezoid_times(np.abs(np.diff(points, axis=0)), limits)[0]
    )
    a = pieces_of(phases, points, np.zeros(3)).extremes(2)
    np.testing.assert_allclose(a.high[:2], limits.acceleration[:2])
    assert a.high[2] == a.low[2] == 0.0


def test_stretched_phases_take_their_times_and_visit_the_same_points() -> None:
    points, limits = np.random.default_rng(4).normal(size=(4, 3)), _limits(3)
    times = np.array([3.0, 0.5, 1.0])
    curve = pieces_of(in_times(trapezoid_segments(points, limits), times), points, np.zeros(3))
    assert curve.end == pytest.approx(times.sum())
    np.testing.assert_allclose(curve.values(np.append(0.0, np.cumsum(times)))[:, 0], points, atol=1e-12)


def test_every_scheme_has_a_name_and_a_sentence() -> None:
    assert all(about and scheme_named(name).about == about for name, about in SCHEMES.items())
    with refused("unknown_scheme", UnknownName, name="4-3-5"):
        scheme_named("4-3-5")
