"""6R arms without a spherical wrist: every posture, by a sweep of the last joint."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import armlab
from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kernels.closed_form.search import WORK_SIZE, descend_into
from armlab.kinematics.general_six import GeneralSix, recognise_general_six, solve_general_six
from armlab.model.parts import Joint, Link, Tool
from armlab.model.robot import Robot


def _known(robot: Robot) -> GeneralSix:
    arm = recognise_general_six(robot)
    assert arm is not None
    return arm


def _wrapped(angles: Floats) -> Floats:
    out: Floats = (angles + math.pi) % (2 * math.pi) - math.pi
    return out


def _brute_force(robot: Robot, T: Floats, starts: int, seed: int) -> Floats:
    """Return what Newton's method finds from random starts, each once."""
    rng = np.random.default_rng(seed)
    work, found = np.empty(WORK_SIZE), np.empty((0, 6))
    for q in rng.uniform(-math.pi, math.pi, (starts, 6)):
        error = descend_into(robot.chain.constants, T, q, 6, 1e-2, 60, 1e-13, work)
        if error < 1e-10 and not (np.abs(_wrapped(found - q)).max(axis=1) < 1e-5).any():
            found = np.vstack([found, q])
    return found


def _made_up(seed: int) -> Robot:
    """Return an arm of the same kind with random lengths, angles, signs and zeros."""
    rng = np.random.default_rng(seed)

    def turn(*rpy: float) -> Floats:
        return pose.from_xyz_rpy(rng.uniform(-0.1, 0.1, 3), rpy)

    z = np.array([0.0, 0.0, 1.0])
    along = pose.from_xyz([0.3, 0.05, 0.02])
    meet = pose.from_xyz_rpy([0, 0, 0.2], rng.uniform(0.6, 1.5, 3))  # along axis 4: axes 4 and 5 meet
    offsets = (turn(0.2, 0.4, 1.0), turn(1.2, 0.3, 0.4), along, turn(1.4, 0.2, 0.3), meet, turn(0.9, -1.0, 0.2))
    joints = tuple(
        Joint(f"j{i}", "revolute", T, z * (-1.0 if i in {2, 5} else 1.0), -3.1, 3.1) for i, T in enumerate(offsets)
    )
    return Robot(
        name="made-up",
        joints=joints,
        links=tuple(Link(f"link_{i}") for i in range(7)),
        home=np.zeros(6),
        source="made up for tests",
        base=pose.from_xyz_rpy([0.2, 0.1, 0.4], [0.3, 0.2, 0.1]),
        flange=pose.from_xyz_rpy([0.1, 0, 0.1], [0.5, 0.1, 0.2]),
        tool=Tool("t", "pen", pose.from_xyz([0.02, 0.03, 0.1])),
    )


@pytest.mark.parametrize("everywhere", [True, False])
def test_the_posture_that_made_a_target_is_found(everywhere: bool) -> None:
    robot = armlab.load("xarm6")
    arm, rng = _known(robot), np.random.default_rng(1)
    lower, upper = (-math.pi, math.pi) if everywhere else (robot.lower, robot.upper)
    for q in lower + (np.asarray(upper) - lower) * rng.random((250, 6)):
        T = robot.fk(q)
        found, branch = solve_general_six(robot, arm, T)
        away = np.abs(_wrapped(found - q)).max(axis=1)
        assert away.min() < 1e-6
        assert np.abs(robot.fk(found) - T).max() < 1e-10
        assert (np.abs(found) <= math.pi).all()
        assert branch[away.argmin()] == arm.branch_of(q)
        assert len(found) % 2 == 0  # away from singular poses postures come in pairs


def test_no_posture_is_missing_that_brute_force_finds() -> None:
    robot = armlab.load("xarm6")
    arm, rng = _known(robot), np.random.default_rng(2)
    for k, q in enumerate(rng.uniform(-math.pi, math.pi, (20, 6))):
        T = robot.fk(q)
        found, _ = solve_general_six(robot, arm, T)
        other = _brute_force(robot, T, 300, k)
        missing = [p for p in other if np.abs(_wrapped(found - p)).max(axis=1).min() > 1e-5]
        assert missing == []


@pytest.mark.parametrize("seed", range(3))
def test_a_made_up_arm_of_the_same_kind_is_solved_too(seed: int) -> None:
    robot = _made_up(seed)
    arm, rng = _known(robot), np.random.default_rng(seed)
    for q in rng.uniform(-math.pi, math.pi, (60, 6)):
        T = robot.fk(q)
        found, _ = solve_general_six(robot, arm, T)
        assert np.abs(_wrapped(found - q)).max(axis=1).min() < 1e-6
        assert np.abs(robot.fk(found) - T).max() < 1e-10


def test_hard_targets_are_solved() -> None:
    robot = armlab.load("xarm6")
    arm, rng = _known(robot), np.random.default_rng(3)
    special = np.array([robot.lower, robot.upper, np.zeros(6), 0.5 * (robot.lower + robot.upper)])
    for _ in range(200):
        q = robot.lower + (robot.upper - robot.lower) * rng.random(6)
        q = np.where(rng.random(6) < 0.3, special[rng.integers(0, 4, 6), np.arange(6)], q)
        T = robot.fk(q)
        found, _ = solve_general_six(robot, arm, T)
        assert np.abs(_wrapped(found - q)).max(axis=1).min() < 1e-4
        assert np.abs(robot.fk(found) - T).max() < 1e-10


@pytest.mark.parametrize("name", ["zero", "upright", "stretched"])
def test_the_named_poses_are_solved_without_nonsense(name: str) -> None:
    robot = armlab.load("xarm6")
    T = robot.fk(robot.configuration(name))
    found, _ = solve_general_six(robot, _known(robot), T)
    assert len(found) >= 1
    assert np.abs(robot.fk(found) - T).max() < 1e-9


def test_a_target_out_of_reach_has_no_posture() -> None:
    robot = armlab.load("xarm6")
    found, branch = solve_general_six(robot, _known(robot), pose.from_xyz([2.0, 0, 0]))
    assert found.shape == (0, 6)
    assert branch.shape == (0,)


def test_branch_names_mean_what_they_say() -> None:
    robot = armlab.load("xarm6")
    arm, rng = _known(robot), np.random.default_rng(4)
    for q in rng.uniform(-math.pi, math.pi, (200, 6)):
        words = arm.branch_names[arm.branch_of(q)]
        frames = robot.frames(q)
        shoulder, elbow, wrist = frames[2, :3, 3], frames[3, :3, 3], frames[5, :3, 3]
        front = np.array([math.cos(q[0]), math.sin(q[0]), 0.0])
        ahead = (wrist - shoulder) @ front
        assert ("shoulder front" in words) == (ahead > 0)
        on_line = shoulder + (wrist - shoulder) * ((elbow - shoulder) @ front) / ahead
        assert ("elbow up" in words) == (elbow[2] > on_line[2])
        assert ("wrist no-flip" in words) == (math.sin(q[4]) > 0)


def test_an_arm_is_recognised_wherever_it_stands() -> None:
    robot = armlab.load("xarm6").with_base(pose.from_xyz_rpy([1, 2, 3], [0.5, 0.6, 0.7]))
    q = np.array([0.4, -0.3, -1.2, 0.7, 1.1, -0.5])
    found, _ = solve_general_six(robot, _known(robot), robot.fk(q))
    assert np.abs(_wrapped(found - q)).max(axis=1).min() < 1e-6


@pytest.mark.parametrize("joint", [2, 4])
def test_an_arm_that_is_a_little_different_is_not_recognised(joint: int) -> None:
    robot = armlab.load("xarm6")
    joints = list(robot.joints)
    shifted = joints[joint].T_parent_joint @ pose.from_xyz_rpy([1e-4, 2e-4, 1e-4], [1e-4, 2e-4, 0])
    joints[joint] = replace(joints[joint], T_parent_joint=shifted)
    assert recognise_general_six(replace(robot, joints=tuple(joints), configurations={})) is None


def test_other_arms_are_not_recognised() -> None:
    for name in ("franka-panda", "planar3", "scara"):
        assert recognise_general_six(armlab.load(name)) is None
