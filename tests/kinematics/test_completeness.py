"""That there is no solution is a claim, too: what joints have reached, all_ik finds, however singular, on any limit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from singular_targets import near_singular

import armlab
from armlab.arrays import Floats
from armlab.kernels.closed_form import answers
from armlab.kinematics.why import why_not

ARMS = armlab.robot_names()
SLOW = {"xarm6", "franka-panda", "kuka-iiwa14", "s5-rig"}
"""Arms whose list takes milliseconds: a sweep, or many searches."""


def errors(robot: armlab.Robot, T: Floats, q: Floats) -> float:
    """The larger of position and rotation error (m, rad), by the DH table, which shares no code with the kernels."""
    difference = armlab.dh_table(robot, "modified").fk(q) - T
    turn = np.linalg.norm(difference[..., :3, :3], axis=(-2, -1))
    turned = 2.0 * np.arcsin(np.clip(turn / math.sqrt(8.0), 0.0, 1.0))
    return float(max(np.linalg.norm(difference[..., :3, 3], axis=-1).max(), turned.max()))


@pytest.mark.parametrize("name", ARMS)
def test_a_pose_that_joints_have_reached_has_a_solution(name: str) -> None:
    robot = armlab.load(name)
    T = robot.fk(near_singular(robot, 20 if name in SLOW else 150, 7))
    for target in T:
        solutions = armlab.all_ik(robot, target, task="pose")
        assert len(solutions) > 0
        assert errors(robot, target, solutions.q) <= 1e-6
        assert (solutions.q >= robot.lower).all()
        assert (solutions.q <= robot.upper).all()


@pytest.mark.parametrize("name", ARMS)
def test_a_batch_has_a_solution_for_each_such_pose_and_all_are_right(name: str) -> None:
    robot = armlab.load(name)
    T = robot.fk(near_singular(robot, 10 if name in SLOW else 300, 8))
    q, valid = armlab.all_ik_batch(robot, T, task="pose")
    assert valid.any(axis=1).all()
    rows, _ = np.nonzero(valid)
    assert errors(robot, T[rows], q[valid]) <= 1e-6
    assert ((q[valid] >= robot.lower) & (q[valid] <= robot.upper)).all()


@pytest.mark.parametrize("name", ARMS)
def test_why_not_agrees_that_such_poses_can_be_reached(name: str) -> None:
    robot = armlab.load(name)
    for target in robot.fk(near_singular(robot, 5 if name in SLOW else 40, 9)):
        assert why_not(robot, target, task="pose").reachable


@pytest.mark.parametrize("name", [name for name in ARMS if name not in SLOW])
def test_the_list_and_the_batch_have_the_same_branches(name: str) -> None:
    robot = armlab.load(name)
    T = robot.fk(near_singular(robot, 60, 10))
    q, valid = armlab.all_ik_batch(robot, T, task="pose")
    for i, target in enumerate(T):
        solutions = armlab.all_ik(robot, target, task="pose")
        for row in q[i, valid[i]]:
            gaps = solutions.q - row
            gaps -= 2.0 * math.pi * np.round(gaps / (2.0 * math.pi)) * robot.chain.revolute
            assert np.abs(gaps).max(axis=1).min() < 1e-5


def test_a_wrist_over_the_first_axis_that_only_one_turn_keeps_inside_its_limits_has_a_solution() -> None:
    robot = armlab.load("motoman-motomini")
    T = robot.fk(near_singular(robot, 4000, 101))
    assert armlab.all_ik_batch(robot, T, task="pose")[1].any(axis=1).all()


@pytest.mark.parametrize("name", ["ur3e", "ur5e", "ur10e"])
def test_a_stretched_arm_whose_wrist_is_nearly_in_line_has_a_solution(name: str) -> None:
    robot = armlab.load(name)
    rng = np.random.default_rng(12)
    m = 10_000
    q = rng.uniform(robot.lower, robot.upper, (m, 6))
    q[:, 2] = rng.choice([0.0, 2.0 * math.pi, -2.0 * math.pi], m)
    q[:, 3] = np.where(rng.random(m) < 0.3, rng.choice([-0.5, 0.5], m) * math.pi, q[:, 3])
    q[:, 4] = rng.choice([0.0, math.pi, -math.pi], m) + rng.choice([-1.0, 1.0], m) * 10.0 ** rng.uniform(-13, -5, m)
    T = robot.fk(np.clip(q, robot.lower, robot.upper))
    found, valid = armlab.all_ik_batch(robot, T, task="pose")
    assert valid.any(axis=1).all()
    rows, _ = np.nonzero(valid)
    assert errors(robot, T[rows], found[valid]) <= 1e-6


@pytest.mark.parametrize("name", ARMS)
def test_no_targets_have_no_solutions(name: str) -> None:
    robot = armlab.load(name)
    for task in (None, "pose"):
        q, valid = armlab.all_ik_batch(robot, np.empty((0, 4, 4)), task=task)
        assert q.shape == (*valid.shape, robot.dof)
        assert len(q) == 0


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "ur5e", "scara", "planar3", "braccio", "stanford"])
def test_a_target_out_of_reach_has_none_in_the_list_and_in_the_batch(name: str) -> None:
    robot = armlab.load(name)
    T = robot.fk(robot.home)
    T[:3, 3] += [20.0, 0.0, 0.0]
    assert len(armlab.all_ik(robot, T, task="pose")) == 0
    assert not armlab.all_ik_batch(robot, T[None], task="pose")[1].any()


def test_kernels_and_shell_have_the_same_idea_of_an_exact_rotation() -> None:
    assert answers.EXACT == armlab.pose.EXACT
