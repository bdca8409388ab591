"""Redundant arms: every branch for a given last joint, and the intervals through which a branch goes on."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from seven_members import interval_member

import armlab
from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kinematics.seven import Interval, SevenArm, recognise_seven, redundant_intervals
from armlab.model.parts import Tool
from armlab.model.robot import Robot

ARMS = ("franka-panda", "kuka-iiwa14")


def _known(robot: Robot) -> SevenArm:
    arm = recognise_seven(robot)
    assert arm is not None
    return arm


def _random_joints(robot: Robot, count: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    q: Floats = robot.lower + (robot.upper - robot.lower) * rng.random((count, robot.dof))
    return q


def _hard_joints(robot: Robot, count: int, seed: int) -> Floats:
    """Each joint, with probability 0.3, exactly on a limit, at zero or at mid-range."""
    rng = np.random.default_rng(seed)
    q = _random_joints(robot, count, seed)
    zero = np.clip(np.zeros(robot.dof), robot.lower, robot.upper)
    special = np.array([robot.lower, robot.upper, zero, 0.5 * (robot.lower + robot.upper)])
    chosen = special[rng.integers(0, 4, q.shape), np.arange(robot.dof)]
    return np.where(rng.random(q.shape) < 0.3, chosen, q)


def _solve(robot: Robot, T: Floats, q7: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    q, valid = np.empty((len(T), 8, 7)), np.empty((len(T), 8))
    _known(robot).solve_into(T, np.ascontiguousarray(q7), q, valid)
    return q, valid > 0.5


def _turns_apart(a: Floats, b: Floats) -> Floats:
    away: Floats = np.abs((a - b + math.pi) % (2 * math.pi) - math.pi).max(axis=-1)
    return away


def _error(robot: Robot, q: Floats, T: Floats) -> float:
    return float(np.abs(robot.fk(q) - T).max())


@pytest.mark.parametrize("name", ARMS)
def test_the_posture_that_made_a_target_is_among_its_branches(name: str) -> None:
    robot = armlab.load(name)
    q = _random_joints(robot, 2000, 1)
    found, valid = _solve(robot, robot.fk(q), q[:, 6])
    away = np.where(valid, _turns_apart(found, q[:, None]), np.inf)
    assert away.min(axis=1).max() < 1e-6
    arm = _known(robot)
    assert [arm.branch_of(row) for row in q] == away.argmin(axis=1).tolist()


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("hard", [False, True])
def test_every_posture_reaches_its_target_and_belongs_to_its_branch(name: str, hard: bool) -> None:
    robot = armlab.load(name)
    q = _hard_joints(robot, 1000, 2) if hard else _random_joints(robot, 1000, 2)
    T = robot.fk(q)
    found, valid = _solve(robot, T, q[:, 6])
    assert valid.any(axis=1).all()
    assert np.isfinite(found[valid]).all()
    assert _error(robot, found[valid], np.repeat(T[:, None], 8, axis=1)[valid]) < 1e-10
    if not hard:
        arm, branches = _known(robot), np.tile(np.arange(8), (len(q), 1))[valid]
        assert [arm.branch_of(row) for row in found[valid]] == branches.tolist()


def test_a_target_out_of_reach_has_no_posture() -> None:
    robot = armlab.load("franka-panda")
    found, valid = _solve(robot, pose.from_xyz([[2.0, 0, 0]]), np.zeros(1))
    assert not valid.any()
    assert np.isfinite(found).all()
    assert redundant_intervals(robot, _known(robot), pose.from_xyz([2.0, 0, 0])) == []


@pytest.mark.parametrize("name", ARMS)
def test_branch_names_mean_what_they_say(name: str) -> None:
    robot = armlab.load(name)
    arm = _known(robot)
    for q in _random_joints(robot, 200, 3):
        words = arm.branch_names[arm.branch_of(q)]
        upright = q * [1, 0, 1, 1, 1, 1, 1]
        origins, leaning = robot.frames(q)[:, :3, 3], robot.frames(q)
        axes = [leaning[i + 1, :3, :3] @ robot.joints[i].axis for i in range(7)]
        front = np.cross(axes[1], axes[0])  # where a growing joint 2 moves what stands on axis 1
        assert ("shoulder front" in words) == (axes[2] @ front > 0)
        assert ("wrist straight" in words) == (abs(math.remainder(q[4], 2 * math.pi)) < math.pi / 2)
        # a growing joint 4 folds the arm on the side named after joint 4's sense, seen with joint 3 at zero
        more = robot.frames(q + 1e-6 * np.eye(7)[3])[:, :3, 3]
        folds = np.linalg.norm(more[6] - origins[2]) < np.linalg.norm(origins[6] - origins[2])
        assert ("elbow forward" in words) == (folds == (_sense(robot) > 0))
        assert "shoulder front" in arm.branch_names[arm.branch_of(upright + 0.1 * np.eye(7)[1])]


def _sense(robot: Robot) -> float:
    """Whether axis 4 points along axis 2 (1.0) or against it (-1.0) at zero."""
    frames = robot.frames(np.zeros(7))
    return float((frames[4, :3, :3] @ robot.joints[3].axis) @ (frames[2, :3, :3] @ robot.joints[1].axis))


@pytest.mark.parametrize("name", ARMS)
def test_intervals_hold_the_posture_that_made_the_target(name: str) -> None:
    robot = armlab.load(name)
    arm = _known(robot)
    for q in _random_joints(robot, 400, 4):
        found = redundant_intervals(robot, arm, robot.fk(q))
        branch = arm.branch_of(q)
        assert any(i.branch == branch and i.lower - 1e-9 <= q[6] <= i.upper + 1e-9 for i in found), q.tolist()


@pytest.mark.parametrize("name", ARMS)
def test_every_member_of_an_interval_reaches_the_target_inside_the_limits(name: str) -> None:
    robot = armlab.load(name)
    arm = _known(robot)
    for q in _random_joints(robot, 100, 5):
        T = robot.fk(q)
        for interval in redundant_intervals(robot, arm, T):
            _check_members(robot, arm, T, interval)


def _check_members(robot: Robot, arm: SevenArm, T: Floats, interval: Interval) -> None:
    values = np.linspace(interval.lower, interval.upper, 20)
    members = [interval_member(robot, arm, T, interval.branch, float(v)) for v in values]
    kept = np.array([interval.q, *(m for m in members if m is not None)])
    assert len(kept) == 21
    assert (kept >= robot.lower).all()
    assert (kept <= robot.upper).all()
    assert _error(robot, kept, T) < 1e-10
    middle, half = 0.5 * (robot.upper + robot.lower), 0.5 * (robot.upper - robot.lower)
    margins = 1.0 - np.abs((kept - middle) / half).max(axis=1)
    assert margins[0] >= margins[1:].max() - 0.03  # the representative is the best, up to the sampling


@pytest.mark.parametrize("name", ARMS)
def test_an_interval_ends_where_something_is_in_the_way(name: str) -> None:
    robot = armlab.load(name)
    arm = _known(robot)
    ends, looked = 0, 0
    for q in _random_joints(robot, 60, 6):
        T = robot.fk(q)
        for interval in redundant_intervals(robot, arm, T):
            for end, outward in ((interval.lower, -1.0), (interval.upper, 1.0)):
                if abs(end - robot.lower[6]) > 1e-9 and abs(end - robot.upper[6]) > 1e-9:
                    ends += interval_member(robot, arm, T, interval.branch, end + outward * 5e-8) is None
                    looked += 1
    assert looked > 200
    assert ends == looked


@pytest.mark.parametrize("name", ARMS)
def test_hard_targets_always_have_an_interval(name: str) -> None:
    robot = armlab.load(name)
    arm = _known(robot)
    for q in _hard_joints(robot, 500, 7):
        T = robot.fk(q)
        found = redundant_intervals(robot, arm, T)
        assert any(i.lower - 3e-7 <= q[6] <= i.upper + 3e-7 for i in found), q.tolist()
        members = np.array([i.q for i in found])
        assert (members >= robot.lower).all()
        assert (members <= robot.upper).all()
        assert _error(robot, members, T) < 1e-10


@pytest.mark.parametrize(
    "q",
    [
        [0.0] * 7,
        [0.3, 0.8, -0.5, 0.0, 1.2, 0.7, -0.4],  # stretched: joint 5 is free
        [0.3, 0.0, -0.5, 1.0, 1.2, 0.7, -0.4],  # axes 1 and 3 are one
        [0.3, 0.8, -0.5, 1.0, 1.2, 0.0, -0.4],  # axes 5 and 7 are one
        [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
    ],
)
def test_singular_postures_of_the_iiwa_are_found(q: list[float]) -> None:
    robot = armlab.load("kuka-iiwa14")
    T = robot.fk(q)
    found = redundant_intervals(robot, _known(robot), T)
    assert any(i.lower - 3e-7 <= q[6] <= i.upper + 3e-7 for i in found)
    assert _error(robot, np.array([i.q for i in found]), T) < 1e-10


def test_joints_with_more_than_a_turn_are_given_near_the_middle_of_their_limits() -> None:
    robot = armlab.load("kuka-iiwa14")
    wide = replace(
        robot,
        joints=tuple(replace(j, lower=3.0, upper=11.0) if i in {0, 2, 4} else j for i, j in enumerate(robot.joints)),
        home=np.clip(robot.home, [3, -1, 3, -1, 3, -1, -1], [11, 1, 11, 1, 11, 1, 1]),
        configurations={},
    )
    q = np.array([4.0, 0.5, 9.0, -1.0, 10.5, 0.8, 0.3])
    found = redundant_intervals(wide, _known(wide), wide.fk(q))
    assert found
    for interval in found:
        assert (np.abs(interval.q[[0, 2, 4]] - 7.0) <= math.pi + 1e-9).all()


@pytest.mark.parametrize("name", ARMS)
def test_an_arm_is_recognised_wherever_it_stands_and_whatever_it_carries(name: str) -> None:
    tool = Tool("bent", "pen", pose.from_xyz_rpy([0.05, -0.1, 0.2], [0.4, -0.9, 1.7]))
    robot = armlab.load(name).with_base(pose.from_xyz_rpy([1, -2, 0.5], [0.3, 2.0, -1.0])).with_tool(tool)
    q = _random_joints(robot, 200, 8)
    found, valid = _solve(robot, robot.fk(q), q[:, 6])
    assert np.where(valid, _turns_apart(found, q[:, None]), np.inf).min(axis=1).max() < 1e-6


@pytest.mark.parametrize("joint", range(7))
def test_a_maker_may_turn_any_axis_around(joint: int) -> None:
    robot = armlab.load("franka-panda")
    joints = list(robot.joints)
    joints[joint] = replace(joints[joint], axis=-joints[joint].axis, lower=-3.0, upper=3.0)
    other = replace(robot, joints=tuple(joints), home=np.zeros(7), configurations={})
    q = _random_joints(robot, 100, 9)
    found, valid = _solve(other, other.fk(q), q[:, 6])
    assert np.where(valid, _turns_apart(found, q[:, None]), np.inf).min(axis=1).max() < 1e-6


@pytest.mark.parametrize("joint", [1, 2, 3, 4, 5])
def test_an_arm_that_is_a_little_different_is_not_recognised(joint: int) -> None:
    robot = armlab.load("kuka-iiwa14")
    joints = list(robot.joints)
    shifted = joints[joint].T_parent_joint @ pose.from_xyz_rpy([1e-4, 2e-4, 0], [1e-4, 2e-4, 0])
    joints[joint] = replace(joints[joint], T_parent_joint=shifted)
    assert recognise_seven(replace(robot, joints=tuple(joints), configurations={})) is None


def test_other_arms_are_not_recognised() -> None:
    for name in ("kuka-kr6-r700", "planar3", "xarm6"):
        assert recognise_seven(armlab.load(name)) is None
