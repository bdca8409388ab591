"""All solutions: one per branch, or every whole turn and every member of a continuum."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

import armlab
from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.kinematics.solvers import solver_of
from armlab.model.robot import Robot

TURN = 2.0 * math.pi
ISOLATED = ["kuka-kr6-r700", "kuka-kr16-2", "ur5e", "xarm6", "scara", "epson-ls3", "stanford", "planar2"]
FREE = ["franka-panda", "kuka-iiwa14", "braccio", "planar3", "s5-rig"]


def targets(robot: Robot, count: int, seed: int) -> Floats:
    return robot.fk(np.random.default_rng(seed).uniform(robot.lower, robot.upper, (count, robot.dof)))


def from_home(robot: Robot, q: Floats) -> Floats:
    """How far rows of joint values (m, n) are from home, each joint's travel counted as the arm's solver does."""
    return np.asarray(np.linalg.norm((q - robot.home) * solver_of(robot).weights, axis=-1))


def turned(robot: Robot, q: Floats, others: Floats) -> Floats:
    """Which rows of `others` (m, n) differ from `q` (n,) by whole turns of joints alone."""
    gaps = others - q
    gaps -= TURN * np.round(gaps / TURN) * robot.chain.revolute
    return np.asarray(np.abs(gaps).max(axis=1) < 1e-5)


def endless(half: float) -> Robot:
    """Two links whose joints turn from -half to half (rad)."""
    table = armlab.dh_table(armlab.load("planar2"), "standard")
    return armlab.robot_from_dh(table, name="endless", lower=[-half, -half], upper=[half, half])


@pytest.mark.parametrize("name", ISOLATED)
def test_of_solutions_that_differ_by_whole_turns_the_nearest_to_home_is_listed(name: str) -> None:
    robot = armlab.load(name)
    for T in targets(robot, 10, 31):
        one, every = armlab.all_ik(robot, T, task="pose").q, armlab.all_ik(robot, T, task="pose", turns=True).q
        same = np.array([turned(robot, q, every) for q in one])
        assert (same.sum(axis=0) == 1).all(), "each copy belongs to one that is listed"
        for q, copies in zip(one, same, strict=True):
            assert from_home(robot, q) <= from_home(robot, every[copies]).min() + 1e-12
            assert np.abs(every[copies] - q).max(axis=1).min() < 1e-12
        assert (np.diff(from_home(robot, one)) >= 0.0).all()


@pytest.mark.parametrize("name", FREE)
def test_an_arm_with_free_joints_has_one_solution_per_branch_the_nearest_to_home(name: str) -> None:
    robot = armlab.load(name)
    left_out = 0
    for T in targets(robot, 3, 32):
        one, every = armlab.all_ik(robot, T), armlab.all_ik(robot, T, turns=True)
        names = [s.branch for s in one]
        assert len(names) == len(set(names))
        assert set(names) == {s.branch for s in every}
        left_out += len(every) - len(one)
        for s in one:
            members = np.array([other.q for other in every if other.branch == s.branch])
            assert s.free
            assert from_home(robot, s.q) == from_home(robot, members).min()
    assert left_out > 0


def test_a_ur5e_has_one_row_per_branch_and_512_with_turns() -> None:
    robot = armlab.load("ur5e")
    T = armlab.pose.from_mm_deg([400, 100, 300, 0, 0, 180])
    assert sorted(s.branch for s in armlab.all_ik(robot, T)) == sorted(armlab.branch_names(robot))
    assert len(armlab.all_ik(robot, T, turns=True)) == 8 * 2**6


@pytest.mark.parametrize("task", ["pose", "position"])
def test_every_turn_is_listed_whether_a_formula_or_a_search_answers(task: str) -> None:
    robot = endless(3.0 * math.pi)
    T = robot.fk([0.5, 0.8])
    one, every = armlab.all_ik(robot, T, task=task).q, armlab.all_ik(robot, T, task=task, turns=True).q
    assert np.abs(one).max() < math.pi
    expected = [q + TURN * np.array(turns) for q in one for turns in _grid((-1, 0, 1))]
    assert len(every) == len(expected) == 9 * len(one)
    for q in expected:
        assert np.abs(every - q).max(axis=1).min() < 1e-5


def test_joints_without_an_end_have_one_solution_per_branch_and_too_many_turns() -> None:
    robot = endless(1000.0)
    T = robot.fk([0.3, 0.4])
    for task in ("pose", "position"):
        assert np.abs(armlab.all_ik(robot, T, task=task).q).max() < math.pi
        with pytest.raises(InvalidInput) as refused:
            armlab.all_ik(robot, T, task=task, turns=True)
        assert refused.value.code == "too_many_turns"


def _grid(values: Sequence[int]) -> list[tuple[int, int]]:
    return [(a, b) for a in values for b in values]
