"""Exciting motions keep every limit, begin and end at rest, and touch nothing."""

from __future__ import annotations

import numpy as np
import pytest

from armlab import catalog, dynamics
from armlab.calibration.identification.excitation import Excitation, excite
from armlab.collision.checker import Checker
from armlab.errors import InvalidInput, PlanningFailed
from armlab.geometry.shape import Shape
from armlab.model.robot import Robot
from armlab.model.scene import Body, Scene
from armlab.motion.limits import limits_of

TRIALS = 60
Found = tuple[Robot, Excitation]


@pytest.fixture(scope="module", params=["ur5e", "scara", "stanford"])
def found(request: pytest.FixtureRequest) -> Found:
    robot = catalog.load(request.param)
    return robot, excite(robot, seed=3, trials=TRIALS)


def test_it_keeps_the_limits(found: Found) -> None:
    robot, excitation = found
    limits = limits_of(robot)
    q, qd, qdd = excitation.motion.sample(np.linspace(0.0, 10.0, 5001))
    assert (q >= limits.lower).all()
    assert (q <= limits.upper).all()
    assert (np.abs(qd) <= limits.velocity).all()
    assert (np.abs(qdd) <= limits.acceleration).all()
    assert (np.abs(dynamics.inverse_dynamics(robot, q, qd, qdd)) <= robot.effort).all()


def test_it_begins_and_ends_at_rest(found: Found) -> None:
    q, qd, qdd = found[1].motion.sample([0.0, 10.0])
    np.testing.assert_allclose(q[0], q[1], atol=1e-12)
    np.testing.assert_allclose(np.concatenate([qd, qdd]), 0.0, atol=1e-10)


def test_speeds_and_accelerations_are_derivatives(found: Found) -> None:
    motion, t, h = found[1].motion, np.linspace(0.5, 9.5, 50), 1e-5
    ahead, behind = motion.sample(t + h), motion.sample(t - h)
    for rate in (0, 1):
        slope = (ahead[rate] - behind[rate]) / (2 * h)
        np.testing.assert_allclose(motion.sample(t)[rate + 1], slope, atol=1e-6 * max(1.0, np.abs(slope).max()))


def test_it_touches_nothing_between_samples_either(found: Found) -> None:
    robot, excitation = found
    assert Checker(Scene.of(robot)).sweep(excitation.motion.trajectory()).is_free


def test_the_trajectory_is_the_series(found: Found) -> None:
    motion = found[1].motion
    t = np.linspace(0.0, 20.0, 333)
    state = motion.trajectory(periods=2).sample(t)
    q, qd, _qdd = motion.sample(t)
    np.testing.assert_allclose(state.q, q, atol=1e-6)
    np.testing.assert_allclose(state.qd, qd, atol=1e-4)


def test_the_search_improves_on_chance_and_repeats_with_its_seed(found: Found) -> None:
    robot, excitation = found
    assert excitation.condition < excitation.random_condition
    again = excite(robot, seed=3, trials=TRIALS)
    np.testing.assert_array_equal(again.motion.sine, excitation.motion.sine)
    assert not np.array_equal(excite(robot, seed=4, trials=30).motion.sine, excitation.motion.sine)


def test_an_arm_without_room_is_told_so() -> None:
    robot = catalog.load("planar2")
    wall = Scene.of(robot, bodies=[Body("block", (Shape("box", (0.6, 0.6, 0.6), np.eye(4)),))])
    with pytest.raises(PlanningFailed) as caught:
        excite(robot, trials=30, scene=wall)
    assert caught.value.code == "no_excitation"


def test_a_period_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        excite(catalog.load("planar2"), period=0.0)
    assert caught.value.code == "time_not_positive"
