"""Branch names mean what they say: each is checked against where the joints are in space."""

from __future__ import annotations

import numpy as np
import pytest
from closed_arms import FAMILIES, uniform
from refusals import refused

import armlab
from armlab.arrays import Floats
from armlab.errors import InvalidInput, NotSupported
from armlab.kinematics.closed import Family, kuka_status, kuka_turn, recognise
from armlab.model.robot import Robot

SHOULDERS = ("kuka-kr6-r700", "kuka-kr210-r2700", "abb-irb120", "fanuc-lrmate200id", "motoman-motomini", "puma560")


def _solved(name: str, count: int = 2000) -> tuple[Robot, Family, Floats, np.ndarray]:
    robot = armlab.load(name)
    family = recognise(robot)
    assert family is not None
    q, valid = family.solve(robot.fk(uniform(robot, count, np.random.default_rng(9))), robot.dof)
    branch = np.broadcast_to(np.arange(family.count), valid.shape)
    return robot, family, q[valid], branch[valid]


def _points(robot: Robot, family: Family, q: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return shoulder (axis 2), elbow (axis 3) and wrist centre (…, 3), and the forward direction of joint 1."""
    frames = robot.frames(q)
    hand = np.eye(4)
    hand[:3, 3] = family.parameters[21:24]
    wrist = (frames[:, -1] @ hand)[:, :3, 3]
    at_zero = robot.frames(np.zeros(robot.dof))
    to_front = np.linalg.inv(at_zero[1][:3, :3]) @ [1.0, 0.0, 0.0]
    return frames[:, 2, :3, 3], frames[:, 3, :3, 3], wrist, frames[:, 1, :3, :3] @ to_front


@pytest.mark.parametrize("name", FAMILIES)
def test_a_solution_is_in_the_branch_that_it_was_found_in(name: str) -> None:
    _, family, q, branch = _solved(name)
    assert (family.branches_of(q) == branch).all()
    assert family.branch_of(q[0]) == branch[0]


@pytest.mark.parametrize("name", SHOULDERS)
def test_front_and_back_are_sides_of_axis_1(name: str) -> None:
    robot, family, q, branch = _solved(name)
    _, _, wrist, front = _points(robot, family, q)
    reach = (wrist * front).sum(axis=1)
    names = np.array(family.branch_names)[branch]
    assert ((reach > 0) == np.char.startswith(names, "shoulder front")).all()


@pytest.mark.parametrize("name", SHOULDERS)
def test_the_elbow_is_above_or_below_the_line_to_the_wrist(name: str) -> None:
    robot, family, q, branch = _solved(name)
    shoulder, elbow, wrist, front = _points(robot, family, q)
    level, lift = ((wrist - shoulder) * front).sum(axis=1), (wrist - shoulder)[:, 2]
    way = np.where((wrist * front).sum(axis=1) > 0, 1.0, -1.0)
    plain = (level * way > 0.01) & (np.abs(level) > 1e-3)  # between the axes 1 and 2 up and down trade places
    across, rise = ((elbow - shoulder) * front).sum(axis=1), (elbow - shoulder)[:, 2]
    above = rise - across * lift / level > 0
    up = np.array(["elbow up" in family.branch_names[i] for i in branch])
    assert plain.mean() > 0.5
    assert (above == up)[plain].all()


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "abb-irb120", "fanuc-lrmate200id", "motoman-motomini"])
def test_the_hand_of_an_unflipped_wrist_bends_down_when_joint_4_is_at_zero(name: str) -> None:
    robot, family, q, branch = _solved(name)
    q = q.copy()
    q[:, 3] = 0.0
    frames = robot.frames(q)
    _, _, _, front = _points(robot, family, q)
    side = np.cross([0.0, 0.0, 1.0], front)  # turning about it takes up to front, front to down
    forearm = robot.frames(np.zeros(6))
    axis_4 = frames[:, 4, :3, :3] @ (forearm[4][:3, :3].T @ (forearm[5] - forearm[4])[:3, 3])
    hand = frames[:, -1, :3, 2]
    bends = (np.cross(axis_4, hand) * side).sum(axis=1)
    flipped = branch % 2 == 1
    assert ((bends < 0) == flipped).all()


def test_the_two_wrists_differ_by_half_turns_and_the_sign_of_joint_5() -> None:
    _, _, q, branch = _solved("kuka-kr6-r700")
    q = q.reshape(-1, 2, 6)
    assert (branch.reshape(-1, 2) % 2 == [0, 1]).all()
    np.testing.assert_allclose(q[:, 0, 4], -q[:, 1, 4], atol=1e-12)
    np.testing.assert_allclose(np.abs(q[:, 0, [3, 5]] - q[:, 1, [3, 5]]), np.pi, atol=1e-12)


@pytest.mark.parametrize("name", ["ur3e", "ur5e", "ur10e"])
def test_shoulder_left_runs_left_of_the_line_to_the_wrist(name: str) -> None:
    robot, family, q, branch = _solved(name)
    shoulder, _, wrist, _ = _points(robot, family, q)
    middle = robot.frames(q)[:, 5, :3, 3]  # on axis 5: joint 4's end of the arm, past the sideways step
    axis = robot.frames(q)[:, 2, :3, :3] @ robot.joints[1].axis
    aside = middle - shoulder
    aside = axis * (aside * axis).sum(axis=1, keepdims=True)
    left = wrist[:, 0] * aside[:, 1] - wrist[:, 1] * aside[:, 0] > 0
    assert (left == (branch < 4)).all()


@pytest.mark.parametrize("name", ["ur3e", "ur5e", "ur10e"])
def test_elbow_up_and_wrist_out_of_a_tool_that_points_down(name: str) -> None:
    robot = armlab.load(name)
    family = recognise(robot)
    assert family is not None
    rng = np.random.default_rng(10)
    reach = 0.5 * np.linalg.norm(robot.fk(np.zeros(6))[:2, 3])
    angle = rng.uniform(-np.pi, np.pi, 300)
    T = np.repeat(np.diag([1.0, -1.0, -1.0, 1.0])[None], 300, axis=0)
    T[:, 0, 3], T[:, 1, 3], T[:, 2, 3] = reach * np.cos(angle), reach * np.sin(angle), 0.1
    q, valid = family.solve(T, 6)
    assert valid.all()
    for number, branch in enumerate(family.branch_names):
        frames = robot.frames(q[:, number])
        shoulder, elbow, wrist_1, centre = (frames[:, i, :3, 3] for i in (2, 3, 4, 6))
        out = (centre * [1, 1, 0] * ((centre - wrist_1) * [1, 1, 0])).sum(axis=1) > 0
        assert (out == ("wrist out" in branch)).all()
        part = ((elbow - shoulder) * (wrist_1 - shoulder) * [1, 1, 0]).sum(axis=1)
        part /= ((wrist_1 - shoulder)[:, :2] ** 2).sum(axis=1)
        above = (elbow - shoulder)[:, 2] > part * (wrist_1 - shoulder)[:, 2]
        assert (above == ("elbow up" in branch)).all()


@pytest.mark.parametrize("name", ["scara", "epson-ls3", "planar3", "planar2", "scara-s3"])
def test_elbow_left_is_left_of_the_line_to_the_end(name: str) -> None:
    robot, family, q, branch = _solved(name)
    frames = robot.frames(q)
    first, elbow = frames[:, 1, :3, 3], frames[:, 2, :3, 3]
    end = frames[:, -1 if name in {"planar2", "scara-s3"} else -2, :3, 3]
    line, to_elbow = end - first, elbow - first
    left = line[:, 0] * to_elbow[:, 1] - line[:, 1] * to_elbow[:, 0] > 0
    assert (left == (branch == 0)).all()
    assert family.branch_names == ("elbow left", "elbow right")


def test_the_braccio_reaches_to_the_front_and_over_its_head() -> None:
    _, family, _, branch = _solved("braccio")
    assert family.branch_names[0] == "shoulder front, elbow up"
    home = armlab.load("braccio").home
    assert family.branch_names[family.branch_of(home)].startswith("shoulder front")
    assert set(branch.tolist()) == {0, 1, 2, 3}


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "kuka-kr16-2", "kuka-kr210-r2700", "kuka-kr3-r540"])
def test_kuka_status_says_the_same_as_the_branch(name: str) -> None:
    robot, _, q, branch = _solved(name, 200)
    for values, number in zip(q, branch, strict=True):
        back, down, flip = number // 4, number // 2 % 2, number % 2
        assert kuka_status(robot, values) == back + 2 * int(back == down) + 4 * flip


def test_kuka_status_and_turn_of_known_poses() -> None:
    robot = armlab.load("kuka-kr6-r700")
    assert kuka_status(robot, np.radians([0, -90, 90, 0, 0, 0])) == 2
    assert kuka_status(robot, np.radians([0, -90, 90, 0, 30, 0])) == 2
    assert kuka_status(robot, np.radians([0, -90, 90, 0, -30, 0])) == 6
    assert kuka_status(robot, np.radians([0, -150, -60, 0, 30, 0])) == 1
    phi = np.degrees(np.arctan2(35.0, 365.0))  # the wrist centre is 365 mm beyond axis 3 and 35 mm above it
    assert kuka_status(robot, np.radians([0, -45, phi + 0.01, 0, 30, 0])) == 2
    assert kuka_status(robot, np.radians([0, -45, phi - 0.01, 0, 30, 0])) == 0
    assert kuka_turn(np.radians([0, -90, 90, 0, 0, 0])) == 2
    assert kuka_turn(np.radians([-1, -1, 1, 1, 1, -1])) == 35
    assert kuka_turn(-np.ones(6)) == 63


def test_status_of_other_arms_is_refused() -> None:
    with refused("status_without_wrist", NotSupported, robot="ur5e"):
        kuka_status(armlab.load("ur5e"), np.zeros(6))
    with refused("wrong_shape", InvalidInput):
        kuka_status(armlab.load("kuka-kr6-r700"), np.zeros(5))
