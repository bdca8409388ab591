from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import refused

import armlab
from armlab.errors import InvalidInput
from armlab.model.robot import Robot
from armlab.motion.limits import Limits, ToolLimits, limits_of


def _limits(**changes: list[float]) -> Limits:
    values = {
        "lower": [-1.0, -1.0],
        "upper": [1.0, 1.0],
        "velocity": [1.0, 2.0],
        "acceleration": [1.0, 2.0],
        "jerk": [1.0, 2.0],
        "effort": [math.inf, 5.0],
    }
    return Limits(**{name: np.array(value) for name, value in {**values, **changes}.items()})


def test_a_robot_has_the_limits_that_its_file_states() -> None:
    robot = armlab.load("kuka-kr6-r700")
    limits = limits_of(robot)
    for what in ("lower", "upper", "velocity", "acceleration", "effort"):
        np.testing.assert_array_equal(getattr(limits, what), getattr(robot, what))
    np.testing.assert_allclose(limits.jerk * 0.1, limits.acceleration)


def test_given_limits_replace_the_own_ones_for_all_joints_or_for_each(robot: Robot) -> None:
    limits = limits_of(robot, velocity=2.0, jerk=[1.0, 2.0, 3.0])
    np.testing.assert_array_equal(limits.velocity, [2.0, 2.0, 2.0])
    np.testing.assert_array_equal(limits.acceleration, [8.0, 8.0, 8.0])
    np.testing.assert_array_equal(limits.jerk, [1.0, 2.0, 3.0])


def test_own_limits_are_worked_out_once_and_cannot_be_written_to() -> None:
    robot = armlab.load("scara")
    assert limits_of(robot) is limits_of(robot)
    with pytest.raises(ValueError, match="read-only"):
        limits_of(robot).velocity[0] = 1.0


def test_a_slower_run_has_shares_of_the_limits() -> None:
    slow = _limits().scaled(speed=0.5, acceleration=0.25)
    np.testing.assert_array_equal(slow.velocity, [0.5, 1.0])
    np.testing.assert_array_equal(slow.acceleration, [0.25, 0.5])
    np.testing.assert_array_equal(slow.jerk, [0.25, 0.5])
    np.testing.assert_array_equal(slow.upper, [1.0, 1.0])
    assert slow.dof == 2


@pytest.mark.parametrize("share", [0.0, -1.0, 1.5, math.nan])
def test_a_share_is_above_zero_and_up_to_one(share: float) -> None:
    with refused("share_outside", InvalidInput, name="speed"):
        _limits().scaled(speed=share)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"velocity": [0.0, 1.0]}, "limits: 'velocity' of joint 1 must be > 0, got 0"),
        ({"acceleration": [1.0, math.nan]}, "limits: 'acceleration' of joint 2 must be > 0, got nan"),
        ({"jerk": [1.0, math.inf]}, "limits: 'jerk' of joint 2 is not given"),
        ({"jerk": [1.0]}, r"limits: 'jerk' has shape \(1,\); expected one number for each joint"),
        ({"lower": [-1.0, 1.0]}, "limits: lower limit 1 of joint 2 must be below the upper limit 1"),
        ({"upper": [math.nan, 1.0]}, "limits: lower limit -1 of joint 1 must be below the upper limit nan"),
    ],
)
def test_limits_that_make_no_sense_are_refused(changes: dict[str, list[float]], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        _limits(**changes)


def test_a_robot_without_velocity_limits_asks_for_one(robot: Robot) -> None:
    with refused("velocity_limit_missing", InvalidInput, robot="made-up", joint="bend"):
        limits_of(robot)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (0.0, "velocity: joint 'turn': must be > 0, got 0"),
        ([1.0, -2.0, 1.0], "velocity: joint 'slide': must be > 0, got -2"),
        ([1.0, 2.0], "velocity: expected 1 or 3 values, got 2"),
        (math.nan, r"velocity\[0\]: nan is not a finite number"),
        ("fast", "velocity: .* is not an array of numbers"),
    ],
)
def test_given_limits_must_be_numbers_above_zero(robot: Robot, given: object, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        limits_of(robot, velocity=given)  # type: ignore[arg-type]


def test_limits_of_the_tool_are_above_zero() -> None:
    assert ToolLimits().speed == math.inf
    with refused("tool_limit_not_positive", InvalidInput, limit="turn_jerk"):
        ToolLimits(turn_jerk=0.0)
    with refused("tool_limit_not_positive", InvalidInput, limit="speed"):
        ToolLimits(speed=math.nan)
