"""Targets that leave joints free: members of the continuum of solutions, and how they say where they lie in it."""

from __future__ import annotations

import numpy as np
import pytest

import armlab
from armlab.geometry import pose
from armlab.kinematics.self_motion import SAMPLES, free_joints, sample_values
from armlab.kinematics.task import TASKS

DEFAULTS = {
    "planar2": "position",
    "planar3": "position",
    "s5-rig": "position",
    "scara-s3": "position",
    "scara": "scara",
    "epson-ls3": "scara",
    "braccio": "approach",
    "kuka-kr6-r700": "pose",
    "stanford": "pose",
    "franka-panda": "pose",
}


@pytest.mark.parametrize(("name", "task"), DEFAULTS.items())
def test_the_default_task_follows_the_arm(name: str, task: str) -> None:
    assert armlab.default_task(armlab.load(name)).name == task


def test_a_scara_that_does_not_stand_upright_is_asked_for_the_point() -> None:
    leaning = armlab.load("scara").with_base(pose.from_xyz_rpy([0, 0, 0], [0.4, 0, 0]))
    assert armlab.default_task(leaning).name == "position"


@pytest.mark.parametrize(
    ("name", "task", "free"),
    [
        ("planar2", "position", ()),
        ("planar3", "position", (2,)),
        ("planar3", "pose", ()),
        ("scara", "scara", ()),
        ("braccio", "approach", (4,)),
        ("kuka-kr6-r700", "position", (3, 4, 5)),
        ("ur5e", "pose", ()),
        ("franka-panda", "pose", (6,)),
    ],
)
def test_the_last_joints_that_the_task_does_not_need_are_free(name: str, task: str, free: tuple[int, ...]) -> None:
    assert free_joints(armlab.load(name), TASKS[task]) == free


def test_the_three_link_arm_of_the_paper_reaches_its_target_in_a_continuum() -> None:
    robot = armlab.load("planar3")
    target = pose.from_xyz([-0.010, 0.035, 0.0])
    solutions = armlab.all_ik(robot, target, turns=True)
    assert len(solutions) >= 10
    assert {s.branch for s in solutions} == set(armlab.branch_names(robot))
    step = (robot.upper[2] - robot.lower[2]) / (SAMPLES - 1)
    for s in solutions:
        (free,) = s.free
        assert np.linalg.norm(robot.fk(s.q)[:3, 3] - target[:3, 3]) <= 1e-6
        assert ((s.q >= robot.lower) & (s.q <= robot.upper)).all()
        assert (free.joint, free.value) == (robot.joints[2].name, s.q[2])
        assert free.lower <= free.value <= free.upper
        assert free.step == pytest.approx(step)


def test_every_sample_between_the_ends_has_a_member_of_the_branch() -> None:
    robot = armlab.load("planar3")
    solutions = armlab.all_ik(robot, pose.from_xyz([-0.010, 0.035, 0.0]), turns=True)
    values = sample_values(robot, (2,))[:, 0]
    for s in solutions:
        (free,) = s.free
        inside = [v for v in values if free.lower - 1e-12 <= v <= free.upper + 1e-12]
        same = [other.q[2] for other in solutions if other.branch == s.branch]
        assert all(min(abs(v - q) for q in same) < 1e-9 for v in inside)


def test_a_point_alone_leaves_a_six_axis_arm_its_wrist() -> None:
    robot = armlab.load("kuka-kr6-r700")
    target = robot.fk(robot.home)
    solutions = armlab.all_ik(robot, target, task="position", turns=True)
    assert len(solutions) >= 20
    for s in solutions:
        assert np.linalg.norm(robot.fk(s.q)[:3, 3] - target[:3, 3]) <= 1e-6
        assert [f.joint for f in s.free] == ["A4", "A5", "A6"]


def test_what_one_search_reaches_is_a_member() -> None:
    robot = armlab.load("planar3")
    rng = np.random.default_rng(5)
    for q in rng.uniform(robot.lower, robot.upper, (20, 3)):
        T = robot.fk(q)
        result = armlab.attempt_ik(robot, T)
        assert result.converged
        assert min(np.abs(s.q - result.q).max() for s in armlab.all_ik(robot, T, turns=True)) < 1e-4
