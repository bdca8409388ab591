from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import armlab
from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.kinematics.scaled import scaled_task
from armlab.kinematics.singularity import singularity
from armlab.kinematics.velocity import THRESHOLD, joint_speeds, solve_speeds, speed_bound
from armlab.model.robot import Robot

NAMES = armlab.robot_names()
SIX = [name for name in NAMES if armlab.load(name).dof == 6]
SLOW = 1e-3
twists = st.tuples(*[st.floats(-10.0, 10.0)] * 6)


def _poses(robot: Robot, count: int, seed: int = 0) -> Floats:
    lower, upper = robot.lower, robot.upper
    return np.asarray(lower + (upper - lower) * np.random.default_rng(seed).random((count, robot.dof)))


def _regular(robot: Robot, count: int) -> Floats:
    """Return poses that are away from singular ones."""
    q = _poses(robot, 400)
    return q[scaled_task(robot).singular_values(q)[:, -1] > 2 * THRESHOLD][:count]


@pytest.mark.parametrize("name", SIX)
def test_away_from_singular_poses_the_tool_moves_exactly_as_asked(name: str) -> None:
    robot = armlab.load(name)
    q = _regular(robot, 30)
    assert len(q) >= 10
    twist = np.random.default_rng(1).normal(size=(len(q), 6)) * SLOW
    answer = solve_speeds(robot, q, twist)
    np.testing.assert_allclose(np.einsum("mij,mj->mi", robot.jacobian(q), answer.qd), twist, atol=1e-9 * SLOW)
    assert (answer.scale == 1.0).all()
    assert (answer.damping == 0.0).all()


@pytest.mark.parametrize("name", ["franka-panda", "kuka-iiwa14"])
def test_seven_axes_follow_exactly_with_the_smallest_speeds(name: str) -> None:
    robot = armlab.load(name)
    for q in _regular(robot, 10):
        twist = SLOW * np.array([1.0, -2.0, 0.5, 0.3, 1.0, -0.4])
        qd = joint_speeds(robot, q, twist)
        np.testing.assert_allclose(robot.jacobian(q) @ qd, twist, atol=1e-11)
        np.testing.assert_allclose(qd, np.linalg.pinv(robot.jacobian(q)) @ twist, atol=1e-10)


@pytest.mark.parametrize(
    ("name", "task", "rows"),
    [
        ("planar2", "planar", [0, 1]),
        ("planar3", "planar-pose", [0, 1, 5]),
        ("scara", "scara", [0, 1, 2, 5]),
        ("scara-s3", "position", [0, 1, 2]),
        ("braccio", "position", [0, 1, 2]),
    ],
)
def test_arms_with_fewer_axes_follow_what_their_task_asks_for(name: str, task: str, rows: list[int]) -> None:
    robot = armlab.load(name)
    q = _poses(robot, 50)
    q = q[scaled_task(robot, task).singular_values(q)[:, -1] > 2 * THRESHOLD]
    twist = SLOW * np.array([0.1, -0.2, 0.15, 0.0, 0.0, 0.3])
    qd = joint_speeds(robot, q, twist, task=task)
    moved = np.einsum("mij,mj->mi", robot.jacobian(q), qd)
    np.testing.assert_allclose(moved[:, rows], np.tile(twist[rows], (len(q), 1)), atol=1e-12)


def test_the_approach_leaves_the_turn_about_the_tool_axis_free() -> None:
    robot = armlab.load("kuka-kr6-r900")
    q, twist = _regular(robot, 1)[0], SLOW * np.array([1.0, 2.0, 3.0, 0.4, 0.5, 0.6])
    R = robot.fk(q)[:3, :3]
    spun = twist.copy()
    spun[3:] += 7.0 * SLOW * R[:, 2]
    moved = robot.jacobian(q) @ joint_speeds(robot, q, spun, task="approach")
    np.testing.assert_allclose(moved[:3], twist[:3], atol=1e-12)
    np.testing.assert_allclose((R.T @ moved[3:])[:2], (R.T @ twist[3:])[:2], atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
@given(twist=twists, seed=st.integers(0, 50), nearness=st.floats(0.0, 1.0))
def test_speeds_keep_their_bound_at_and_near_singular_poses(
    name: str, twist: tuple[float, ...], seed: int, nearness: float
) -> None:
    robot = _fast(name)
    singular, regular = _pair(name, seed)
    q = singular + nearness * (regular - singular)
    qd = joint_speeds(robot, q, twist)
    scaled = scaled_task(robot)
    assert np.isfinite(qd).all()
    assert np.linalg.norm(qd / scaled.column_scale) <= float(speed_bound(robot, twist)) * (1 + 1e-12)


_pairs: dict[tuple[str, int], tuple[Floats, Floats]] = {}
_fasts: dict[str, Robot] = {}


def _fast(name: str) -> Robot:
    """Return the arm without speed limits, so that only the damping can keep it slow."""
    if name not in _fasts:
        robot = armlab.load(name)
        joints = tuple(replace(joint, velocity=math.inf) for joint in robot.joints)
        _fasts[name] = replace(robot, joints=joints, configurations=dict(robot.configurations))
    return _fasts[name]


def _pair(name: str, seed: int) -> tuple[Floats, Floats]:
    """Return a singular pose of the arm and another pose that is not."""
    seed %= 3
    if (name, seed) not in _pairs:
        robot = _fast(name)
        q = _poses(robot, 1, seed)[0]
        _pairs[name, seed] = (singularity(robot, q).nearest_q, q)
    return _pairs[name, seed]


@pytest.mark.parametrize("name", NAMES)
def test_speeds_change_smoothly_through_a_singular_pose(name: str) -> None:
    robot = _fast(name)
    singular, regular = _pair(name, 0)
    way = np.linspace(-0.3, 0.3, 6001)[:, None]
    qd = joint_speeds(robot, singular + way * (regular - singular), SLOW * np.ones(6)) / scaled_task(robot).column_scale
    bound = float(speed_bound(robot, SLOW * np.ones(6)))
    assert np.abs(np.diff(qd, axis=0)).max() < 0.05 * bound


def test_a_direction_that_is_lost_asks_for_no_motion_and_the_others_stay_exact() -> None:
    robot = armlab.load("planar2")
    q = [0.0, 0.0]  # stretched along x
    np.testing.assert_allclose(joint_speeds(robot, q, [0.1, 0, 0, 0, 0, 0]), 0.0, atol=1e-12)
    moved = robot.jacobian(q) @ joint_speeds(robot, q, [0.1, 0.01, 0, 0, 0, 0])
    np.testing.assert_allclose(moved[:2], [0.0, 0.01], atol=1e-12)


def test_a_joint_that_would_be_too_fast_slows_all_alike() -> None:
    robot = armlab.load("kuka-kr6-r900")
    q = _regular(robot, 1)[0]
    twist = np.array([1.0, 0.5, -0.3, 0.2, 0.1, 0.4])
    slow, fast = solve_speeds(robot, q, SLOW * twist), solve_speeds(robot, q, 1000.0 * twist)
    assert slow.scale == 1.0
    assert fast.scale < 1.0
    assert (np.abs(fast.qd) / robot.velocity).max() == pytest.approx(1.0)
    np.testing.assert_allclose(fast.qd / np.linalg.norm(fast.qd), slow.qd / np.linalg.norm(slow.qd), atol=1e-12)
    np.testing.assert_allclose(robot.jacobian(q) @ fast.qd, 1000.0 * twist * fast.scale, atol=1e-9)


def test_damping_rises_towards_a_singular_pose_and_is_told() -> None:
    robot = armlab.load("ur5e")
    q = np.repeat([[0.3, -1.2, 1.4, 0.2, 0.0, 0.5]], 200, axis=0)
    q[:, 4] = np.linspace(0.2, 0.0, 200)
    answer = solve_speeds(robot, q, [SLOW, 0, 0, 0, 0, 0])
    assert answer.damping[0] == 0.0
    assert answer.damping[-1] == pytest.approx(THRESHOLD / 2)
    assert (np.diff(answer.damping) >= 0.0).all()


def test_a_joint_at_its_limit_is_held_and_the_others_make_up_for_it() -> None:
    robot = armlab.load("franka-panda")
    twist = SLOW * np.array([1.0, -1.0, 0.5, 0.2, 0.1, -0.3])
    q = _regular(robot, 5)
    for pose_q in q:
        free = joint_speeds(robot, pose_q, twist)
        at = int(np.argmax(np.abs(free)))
        stood = pose_q.copy()
        stood[at] = robot.upper[at] if free[at] > 0 else robot.lower[at]
        pushed = joint_speeds(robot, stood, twist)
        answer = solve_speeds(robot, stood, twist, at_limits="stop")
        inward = (pushed[at] > 0) != (stood[at] == robot.upper[at])
        assert answer.held[at] == (not inward)
        outside = (stood + 1e-3 * answer.qd > robot.upper + 1e-9) | (stood + 1e-3 * answer.qd < robot.lower - 1e-9)
        assert not outside.any()
        if answer.damping == 0.0:
            np.testing.assert_allclose(robot.jacobian(stood) @ answer.qd, twist, atol=1e-10)


def test_a_batch_answers_as_each_pose_alone() -> None:
    robot = armlab.load("stanford")
    q = _poses(robot, 8)
    twist = np.random.default_rng(2).normal(size=(8, 6))
    many = solve_speeds(robot, q, twist, at_limits="stop")
    for i in range(8):
        one = solve_speeds(robot, q[i], twist[i], at_limits="stop")
        np.testing.assert_allclose(many.qd[i], one.qd, atol=1e-12)
        assert one.scale == pytest.approx(many.scale[i])
    assert joint_speeds(robot, q, twist[0]).shape == (8, 6)
    assert joint_speeds(robot, q[0], twist).shape == (8, 6)


def test_wrong_input_gets_a_sentence() -> None:
    robot = armlab.load("planar2")
    with refused("wrong_width", InvalidInput, who="twist", expected=6):
        joint_speeds(robot, [0, 1], [1, 0, 0])
    with refused("not_finite", InvalidInput, where="twist[0]"):
        joint_speeds(robot, [0, 1], [math.nan, 0, 0, 0, 0, 0])
    with refused("twist_count", InvalidInput, twists=3, count=2):
        joint_speeds(robot, np.zeros((2, 2)), np.zeros((3, 6)))
    with refused("threshold_not_positive", InvalidInput):
        joint_speeds(robot, [0, 1], np.zeros(6), threshold=0.0)
    with refused("unknown_at_limits", InvalidInput, given="hold"):
        joint_speeds(robot, [0, 1], np.zeros(6), at_limits="hold")  # type: ignore[arg-type]
