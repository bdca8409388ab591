"""The oracles' own helpers compute, so they are tested too."""

from __future__ import annotations

import math

import numpy as np
import pytest

from armlab.geometry import pose
from oracles.arms import joint_values, made_up_arms, pose_distance, random_arm, rotation_angle


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-6, 0.1, 1.0, 3.0, math.pi])
def test_rotation_angle_is_the_angle_that_was_turned(angle: float) -> None:
    T = pose.from_xyz_axis_angle([0, 0, 0], [1, -2, 3], angle)
    assert rotation_angle(T[:3, :3], np.eye(3)) == pytest.approx(angle, rel=1e-7, abs=1e-15)


def test_pose_distance_takes_the_larger_of_way_and_turn() -> None:
    T = pose.from_xyz_axis_angle([0.3, 0.4, 0], [0, 0, 1], 0.2)
    assert pose_distance(T, np.eye(4)) == pytest.approx(0.5)
    assert pose_distance(T, pose.from_xyz([0.3, 0.4, 0])) == pytest.approx(0.2)


def test_joint_values_are_between_the_limits() -> None:
    for robot in made_up_arms():
        q = joint_values(robot, 20, seed=1)
        assert q.shape == (20, robot.dof)
        assert ((q >= robot.lower) & (q <= robot.upper)).all()


def test_the_same_seed_makes_the_same_arm() -> None:
    one, other = (random_arm("a", ("revolute", "prismatic"), seed=5) for _ in range(2))
    np.testing.assert_array_equal(one.fk([0.1, 0.2]), other.fk([0.1, 0.2]))
