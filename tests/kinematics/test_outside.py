"""Solutions that only the limits rule out: with wider limits they are solutions, with the arm's own they are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from armlab import catalog
from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kinematics.all_ik import all_ik, branch_of
from armlab.kinematics.outside import solutions_outside
from armlab.model.robot import Robot

ARMS = ["planar2", "scara", "scara-s3", "kuka-kr6-r700", "puma560", "ur5e", "braccio"]


def some_poses(robot: Robot, count: int = 12) -> Floats:
    rng = np.random.default_rng(5)
    return np.asarray(robot.fk(robot.lower + (robot.upper - robot.lower) * rng.random((count, robot.dof))))


@pytest.mark.parametrize("arm", ARMS)
def test_they_put_the_tool_at_the_target_with_a_joint_past_its_limit(arm: str) -> None:
    robot = catalog.load(arm)
    for T in some_poses(robot):
        for solution in solutions_outside(robot, T, task="pose"):
            np.testing.assert_allclose(robot.fk(solution.q), T, atol=1e-6)
            past = (solution.q < robot.lower - 1e-9) | (solution.q > robot.upper + 1e-9)
            assert set(solution.joints) == set(np.flatnonzero(past))
            assert len(solution.joints) > 0


@pytest.mark.parametrize("arm", ["kuka-kr6-r700", "puma560", "scara"])
def test_inside_and_outside_together_are_what_an_arm_with_wide_limits_has(arm: str) -> None:
    robot = catalog.load(arm)
    wide = replace(
        robot,
        joints=tuple(
            replace(joint, lower=-np.pi, upper=np.pi) if joint.kind == "revolute" else replace(joint, lower=-9, upper=9)
            for joint in robot.joints
        ),
    )
    for T in some_poses(robot):
        outside = {solution.branch for solution in solutions_outside(robot, T, task="pose")}
        inside = {solution.branch for solution in all_ik(robot, T, task="pose")}
        assert inside.isdisjoint(outside)
        assert inside | outside == {solution.branch for solution in all_ik(wide, T, task="pose")}
        assert all(branch_of(robot, s.q) == s.branch for s in solutions_outside(robot, T, task="pose"))


def test_a_target_out_of_reach_has_none() -> None:
    assert solutions_outside(catalog.load("kuka-kr6-r700"), pose.from_xyz([5.0, 0.0, 0.0])) == ()


def test_an_arm_without_a_closed_form_has_none_to_list() -> None:
    robot = catalog.load("franka-panda")
    assert solutions_outside(robot, robot.fk(robot.home)) == ()
