from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from armlab.errors import InvalidInput
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.splines import cubic_spline
from armlab.motion.trajectory import Trajectory


@pytest.fixture
def trajectory() -> Trajectory:
    rng = np.random.default_rng(4)
    return Trajectory(cubic_spline([0.0, 0.3, 0.7, 1.3], rng.normal(size=(4, 3)), "clamped"))


def test_sampling_is_the_same_as_asking_one_by_one(trajectory: Trajectory) -> None:
    t = np.linspace(0.0, trajectory.duration, 20)
    many = trajectory.sample(t)
    for k, time in enumerate(t):
        one = trajectory.at(float(time))
        for a, b in zip(many, one, strict=True):
            np.testing.assert_array_equal(a[k], b)


def test_velocity_acceleration_and_jerk_are_derivatives(trajectory: Trajectory) -> None:
    h, t = 1e-6, np.array([0.1, 0.5, 1.0])
    before, now, after = (trajectory.sample(t + d) for d in (-h, 0.0, h))
    np.testing.assert_allclose(now.qd, (after.q - before.q) / (2 * h), atol=1e-6)
    np.testing.assert_allclose(now.qdd, (after.qd - before.qd) / (2 * h), atol=1e-5)
    np.testing.assert_allclose(trajectory.jerk(t), (after.qdd - before.qdd) / (2 * h), rtol=1e-6)


def test_before_and_after_it_the_arm_stands_still(trajectory: Trajectory) -> None:
    for time, place in ((-1.0, trajectory.start), (99.0, trajectory.end)):
        state = trajectory.at(time)
        np.testing.assert_array_equal(state.q, place)
        np.testing.assert_array_equal([state.qd, state.qdd], np.zeros((2, 3)))


def test_times_reach_the_end_and_never_pass_it(trajectory: Trajectory) -> None:
    for step in (0.1, 0.13, 0.001, 2.0, trajectory.duration, trajectory.duration / 3):
        t = trajectory.times(step)
        assert t[0] == 0.0
        assert t[-1] == trajectory.duration
        assert (np.diff(t) > 0.0).all()
        assert np.diff(t).max() <= step * (1 + 1e-9)
    short = Trajectory(PiecewisePolynomial(np.array([0.0, 0.3]), np.array([[[0.0], [1.0]]])))
    assert short.sample(short.times(0.1)).qd[-1, 0] == pytest.approx(1.0 / 0.3)


def test_one_trajectory_after_the_other_is_both(trajectory: Trajectory) -> None:
    back = trajectory.reversed()
    both = trajectory.then(Trajectory.rest(trajectory.end, 0.5)).then(back)
    assert both.duration == pytest.approx(2 * trajectory.duration + 0.5)
    t = np.linspace(0.01, trajectory.duration - 0.01, 17)
    for a, b in zip(both.sample(t + trajectory.duration + 0.5), back.sample(t), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-11)
    assert np.abs(both.pieces.jumps(0)).max() < 1e-12


def test_a_long_chain_of_short_trajectories_keeps_its_velocities() -> None:
    step = Trajectory(PiecewisePolynomial(np.array([0.0, 1e-3]), np.array([[[0.0], [1e-3]]])))
    there = Trajectory.rest([0.0], 1e5).then(step)
    assert there.pieces.extremes(1).high[0] == pytest.approx(1.0, rel=1e-15)


def test_the_way_back_passes_the_same_places_with_opposite_velocities(trajectory: Trajectory) -> None:
    t = np.linspace(0.0, trajectory.duration, 31)
    there, back = trajectory.sample(t), trajectory.reversed().sample(trajectory.duration - t)
    np.testing.assert_allclose(back.q, there.q, atol=1e-12)
    np.testing.assert_allclose(back.qd[1:-1], -there.qd[1:-1], atol=1e-11)
    np.testing.assert_allclose(back.qdd[1:-1], there.qdd[1:-1], atol=1e-9)


def test_twice_the_time_is_half_the_speed_and_a_quarter_of_the_acceleration(trajectory: Trajectory) -> None:
    slow = trajectory.stretched(2.0)
    assert slow.duration == 2.0 * trajectory.duration
    t = np.linspace(0.0, trajectory.duration, 31)
    for power, (a, b) in enumerate(zip(slow.sample(2.0 * t), trajectory.sample(t), strict=True)):
        np.testing.assert_allclose(a, b / 2.0**power, atol=1e-12)


def test_a_rest_stays_where_it_is() -> None:
    rest = Trajectory.rest([1.0, 2.0], 3.0)
    assert (rest.duration, rest.dof) == (3.0, 2)
    np.testing.assert_array_equal(rest.at(1.7), [[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]])


def test_what_makes_no_sense_is_refused(trajectory: Trajectory) -> None:
    with refused("trajectory_start", InvalidInput, start=1.0):
        Trajectory(PiecewisePolynomial(np.array([1.0, 2.0]), np.zeros((1, 1, 1))))
    with refused("time_not_positive", InvalidInput, name="duration"):
        Trajectory.rest([0.0], 0.0)
    with refused("time_not_positive", InvalidInput, name="step", value=-1.0):
        trajectory.times(-1.0)
    with refused("too_many_samples", InvalidInput):
        trajectory.times(1e-12)
    with refused("factor_not_positive", InvalidInput):
        trajectory.stretched(float("nan"))
    with refused("joint_count", InvalidInput, expected=3, count=2):
        trajectory.then(Trajectory.rest([0.0, 0.0], 1.0))
    with refused("trajectory_gap", InvalidInput):
        trajectory.then(Trajectory.rest(trajectory.end + 0.1, 1.0))
