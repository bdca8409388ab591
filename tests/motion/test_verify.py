from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import armlab
from armlab.errors import InvalidInput
from armlab.model.robot import Robot
from armlab.motion.joint import plan_joint
from armlab.motion.limits import Limits, limits_of
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.trajectory import Trajectory
from armlab.motion.verify import LIMIT_CODES, broken_limits, verify


@pytest.fixture
def limits(robot: Robot) -> Limits:
    return limits_of(robot, velocity=[3.0, 0.5, 2.0], acceleration=[10.0, 2.0, 10.0], jerk=100.0)


@pytest.fixture
def motion(robot: Robot, limits: Limits) -> Trajectory:
    return plan_joint(robot, [[0.1, 0.1, 0.1], [1.0, 0.3, -1.0]], limits=limits)


def test_a_motion_that_was_planned_within_its_limits_is_clean(robot: Robot, limits: Limits, motion: Trajectory) -> None:
    assert verify(motion, robot, limits=limits, orders=3) == []


def test_a_motion_that_is_too_fast_is_told_once_per_joint_and_kind_at_its_worst_place(
    robot: Robot, limits: Limits, motion: Trajectory
) -> None:
    found = verify(motion.stretched(0.5), robot, limits=limits, orders=3)
    kinds = [(finding.code, finding.where["joint"]) for finding in found]
    assert len(kinds) == len(set(kinds))
    assert {"velocity_limit", "acceleration_limit", "jerk_limit"} == {code for code, _ in kinds}
    assert broken_limits(found) == "rates"
    for finding in found:
        state = motion.stretched(0.5).pieces.values([float(finding.where["time"])], 4)[0]
        joint = [j.name for j in robot.joints].index(str(finding.where["joint"]))
        order = LIMIT_CODES.index(finding.code)
        value, limit = float(finding.where["value"]), float(finding.where["limit"])
        assert abs(value) > abs(limit)
        if order < 3:
            assert state[order, joint] == pytest.approx(value, abs=1e-6)


def test_the_slack_is_for_rounding_only(robot: Robot, limits: Limits, motion: Trajectory) -> None:
    assert verify(motion.stretched(1.0 - 1e-7), robot, limits=limits, orders=3) != []


def test_jerk_is_looked_at_only_when_asked_for(robot: Robot, limits: Limits) -> None:
    linear = plan_joint(robot, [[0.1, 0.1, 0.1], [1.0, 0.3, -1.0]], limits=limits, scheme="linear")
    assert verify(linear, robot, limits=limits) == []
    notes = verify(linear, robot, limits=limits, orders=3)
    assert {(note.severity, note.code) for note in notes} == {("note", "acceleration_jump")}
    assert broken_limits(notes) == "none"
    assert "acceleration jumps by" in str(notes[0].message)


def test_sentences_are_in_degrees_and_millimetres(robot: Robot, limits: Limits) -> None:
    coefficients = np.array([[[0.0, 0.1, 0.0], [3.0, 0.6, 0.0]]])
    found = verify(Trajectory(PiecewisePolynomial(np.array([0.0, 1.0]), coefficients)), robot, limits=limits)
    assert [str(finding.message) for finding in found] == [
        "joint 'turn': 171.9° at 1.000 s is outside -143.2° … 143.2°",
        "joint 'slide': 700.0 mm at 1.000 s is outside 0.0 mm … 400.0 mm",
        "joint 'slide': velocity 600.0 mm/s at 0.000 s is beyond 500.0 mm/s",
    ]
    assert found[0].where["value"] == pytest.approx(3.0)
    assert found[0].where["limit"] == 2.5
    assert broken_limits(found) == "positions"
    assert broken_limits(found[2:]) == "rates"


def test_a_value_below_its_lower_limit_is_told_with_digits_that_show_it(robot: Robot, limits: Limits) -> None:
    coefficients = np.array([[[0.0, 1e-6, 0.0], [0.0, -2e-6, 0.0]]])
    (finding,) = verify(Trajectory(PiecewisePolynomial(np.array([0.0, 1.0]), coefficients)), robot, limits=limits)
    assert str(finding.message) == "joint 'slide': -0.001 mm at 1.000 s is outside 0.000 mm … 400.0 mm"


def test_jumps_of_position_and_velocity_are_errors(robot: Robot, limits: Limits) -> None:
    coefficients = np.zeros((2, 2, 3))
    coefficients[1, 0, 0] = 0.1
    coefficients[1, 1, 1] = 0.2
    found = verify(Trajectory(PiecewisePolynomial(np.array([0.0, 1.0, 2.0]), coefficients)), robot, limits=limits)
    assert [(finding.severity, finding.code) for finding in found] == [
        ("error", "position_jump"),
        ("error", "velocity_jump"),
    ]
    assert broken_limits(found) == "positions"
    assert broken_limits(found[1:]) == "rates"
    assert str(found[0].message) == "joint 'turn': position jumps by 5.7° at 1.000 s"
    assert str(found[1].message) == "joint 'slide': velocity jumps by 200.0 mm/s at 1.000 s"
    assert [finding.where["order"] for finding in found] == [0, 1]


def test_a_long_trajectory_is_sampled_in_parts() -> None:
    robot = armlab.load("scara")
    long = Trajectory.rest(robot.home, 50.0)
    fast = np.array([[robot.home, [7.0, 0.0, 0.0, 0.0]]])
    (finding,) = verify(
        long.then(Trajectory(PiecewisePolynomial(np.array([0.0, 0.1]), fast / [[1.0], [10.0]]))), robot, orders=1
    )[:1]
    assert finding.code == "velocity_limit"
    assert 50.0 <= float(finding.where["time"]) <= 50.1


def test_what_cannot_be_checked_is_refused(robot: Robot, limits: Limits, motion: Trajectory) -> None:
    with refused("joint_count", InvalidInput, count=1, expected=3):
        verify(Trajectory.rest([0.0], 1.0), robot, limits=limits)
    with refused("orders_outside", InvalidInput, orders=4):
        verify(motion, robot, limits=limits, orders=4)
    with refused("time_not_positive", InvalidInput, name="step"):
        verify(motion, robot, limits=limits, step=0.0)
    with refused("too_many_samples", InvalidInput, step=1e-9):
        verify(motion, robot, limits=limits, step=1e-9)
