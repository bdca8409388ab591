"""Paths along which the tool stays upright, on a plane or on a line, or a joint in its range."""

from __future__ import annotations

import math

import numpy as np
import pytest
from collision.obstacles import box
from coupled_arms import coupled_arm
from planning.scenes import sides, walled
from refusals import refused

import armlab
from armlab.arrays import Floats
from armlab.collision import Checker
from armlab.errors import InvalidInput, PlanningFailed, UnknownName
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.planning import Constraint, FreePath, JointRange, OnLine, OnPlane, PoseGoal, Upright, improved, plan_free

DOWN = [0.0, 0.0, 180.0]


def _poses(path: FreePath, robot: Robot) -> Floats:
    """The tool all along the timed motion."""
    motion = path.trajectory()
    return robot.fk(motion.sample(np.linspace(0.0, motion.duration, 2000)).q)


def _tilt(T: Floats) -> Floats:
    return np.asarray(np.arccos(np.clip(-T[:, 2, 2], -1.0, 1.0)))


@pytest.mark.parametrize("seed", [0, 1])
def test_a_glass_is_carried_upright_over_a_wall(seed: int) -> None:
    robot = armlab.load("ur5e")
    start, goal = sides(robot)
    within = math.radians(15.0)
    free = plan_free(walled(robot), start, goal, seed=seed)
    path = plan_free(walled(robot), start, goal, constraints=[Upright(within)], seed=seed)
    assert _tilt(_poses(free, robot)).max() > within
    assert _tilt(_poses(path, robot)).max() <= within
    assert Checker(walled(robot)).first_contact(path.trajectory(), clearance=0.0009) is None
    again = plan_free(walled(robot), start, goal, constraints=[Upright(within)], seed=seed)
    assert np.array_equal(path.points, again.points)
    better = improved(path, motions=400)
    assert better.length <= path.length
    assert _tilt(_poses(better, robot)).max() <= within


@pytest.mark.parametrize("name", ["ur5e", "franka-panda"])
def test_the_tool_stays_near_a_plane_round_a_post(name: str) -> None:
    robot = armlab.load(name)
    ends = [armlab.pose.from_mm_deg([450.0, y, 300.0, *DOWN]) for y in (250.0, -250.0)]
    post = box("post", (0.06, 0.06, 0.9), (0.47, 0.0, 0.45))
    scene = Scene.of(robot, bodies=[post])
    start = armlab.solve_ik(robot, ends[0], start=robot.home)
    level = OnPlane((0.0, 0.0, 0.3), (0.0, 0.0, 1.0), 0.02)
    path = plan_free(scene, start, PoseGoal(ends[1], turn=math.pi), constraints=[level])
    T = _poses(path, robot)
    assert np.abs(T[:, 2, 3] - 0.3).max() <= 0.02
    assert Checker(scene).first_contact(path.trajectory(), clearance=0.0009) is None


def test_the_tool_stays_near_a_line() -> None:
    robot = armlab.load("ur5e")
    ends = [armlab.pose.from_mm_deg([x, 200.0, 300.0, *DOWN]) for x in (350.0, 600.0)]
    start = armlab.solve_ik(robot, ends[0], start=robot.home)
    line = OnLine((0.0, 0.2, 0.3), (1.0, 0.0, 0.0), 0.01)
    path = plan_free(Scene.of(robot), start, PoseGoal(ends[1]), constraints=[line])
    T = _poses(path, robot)
    assert np.hypot(T[:, 1, 3] - 0.2, T[:, 2, 3] - 0.3).max() <= 0.01


def test_a_joint_stays_in_its_range_and_coupled_joints_are_constrained_too() -> None:
    robot = armlab.load("ur5e")
    start, goal = sides(robot)
    name = robot.joints[2].name
    free = plan_free(walled(robot), start, goal)
    low, high = sorted((start[2], goal[2]))
    kept = JointRange(name, low - 0.3, high + 0.3)
    path = plan_free(walled(robot), start, goal, constraints=[kept])
    motion = path.trajectory()
    values = motion.sample(np.linspace(0.0, motion.duration, 1000)).q[:, 2]
    assert values.min() >= kept.lower - 1e-9
    assert values.max() <= kept.upper + 1e-9
    assert free.constraints == ()
    arm = coupled_arm("palletiser")
    a, b = (arm.home + np.array(by) for by in ([0.6, 0.5, 0.2, 0.0], [-0.6, 0.3, 0.0, 0.0]))
    height = arm.fk(a)[2, 3]
    plane = OnPlane((0.0, 0.0, height), (0.0, 0.0, 1.0), abs(arm.fk(b)[2, 3] - height) + 0.02)
    T = _poses(plan_free(Scene.of(arm), a, b, constraints=[plane]), arm)
    assert np.abs(T[:, 2, 3] - height).max() <= plane.within


def test_constraints_that_start_or_goal_break_or_nothing_can_keep_are_refused() -> None:
    robot = armlab.load("ur5e")
    start, goal = sides(robot)
    scene = Scene.of(robot)
    level = armlab.pose.from_mm_deg([450.0, 250.0, 300.0, 0.0, 90.0, 0.0])
    q = armlab.solve_ik(robot, level, start=start)
    wrong: list[tuple[str, type[Exception], Constraint]] = [
        ("constraint_tolerance", InvalidInput, Upright(0.0)),
        ("constraint_direction", InvalidInput, OnPlane((0, 0, 0), (0, 0, 0), 0.1)),
        ("joint_range_empty", InvalidInput, JointRange(robot.joints[0].name, 5.0, 4.0)),
        ("unknown_joint", UnknownName, JointRange("no such joint", 0.0, 1.0)),
        ("start_breaks_constraint", PlanningFailed, OnPlane((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), 0.01)),
    ]
    for code, kind, constraint in wrong:
        with refused(code, kind):  # type: ignore[arg-type]
            plan_free(scene, start, goal, constraints=[constraint])
    with refused("goal_breaks_constraint", PlanningFailed):
        plan_free(scene, start, q, constraints=[Upright(0.2)])
