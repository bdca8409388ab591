"""Goals with some freedom, arms with coupled joints, and arms that hold something."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from collision.obstacles import box
from coupled_arms import coupled_arm
from planning.scenes import sides, walled
from refusals import refused

import armlab
from armlab.collision import Checker
from armlab.errors import InvalidInput, PlanningFailed, Unreachable
from armlab.geometry import pose
from armlab.model.scene import Scene
from armlab.planning import PoseGoal, plan_free

DOWN = armlab.pose.from_mm_deg([500.0, 300.0, 200.0, 0.0, 0.0, 180.0])
AHEAD, ASIDE = np.array([0.0, 0.5, 0.2, 0.0]), np.array([0.6, 0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    "freedom",
    [
        {"turn": math.pi},
        {"tilt": 0.4},
        {"box": (0.05, 0.0, 0.02)},
        {"turn": 0.3, "tilt": 0.2, "box": (0.01, 0.02, 0.0)},
    ],
)
def test_poses_of_a_goal_fit_it_and_those_beyond_its_freedom_do_not(freedom: dict[str, object]) -> None:
    goal = PoseGoal(DOWN, **freedom)  # type: ignore[arg-type]
    poses = goal.poses()
    assert np.array_equal(poses[0], DOWN)
    assert all(goal.holds(T) for T in poses)
    assert len(np.unique(np.round(poses, 6), axis=0)) == len(poses)
    assert goal.holds(DOWN @ pose.from_xyz([1.1 * goal.box[0] + 0.001, 0.0, 0.0])) is False
    leaning, turned = pose.from_xyz_rpy([0, 0, 0], [goal.tilt + 0.01, 0, 0]), pose.from_xyz_rpy([0, 0, 0], [0, 0, 1.0])
    assert not goal.holds(DOWN @ leaning)
    assert goal.holds(DOWN @ turned) == (goal.turn > 1.0)
    # by another formula: the angle between the axes, and the half widths
    axes, origins = poses[:, :3, 2] @ DOWN[:3, 2], (poses[:, :3, 3] - DOWN[:3, 3]) @ DOWN[:3, :3]
    assert np.all(axes >= math.cos(goal.tilt) - 1e-9)
    assert np.all(np.abs(origins) <= np.asarray(goal.box) + 1e-9)


def test_a_goal_that_is_blocked_as_it_is_given_is_reached_with_its_freedom() -> None:
    robot = armlab.load("ur5e")
    start = sides(robot)[1]
    cover = box("cover", (0.3, 0.3, 0.02), (0.5, 0.3, 0.12))
    scene = Scene.of(robot, bodies=[cover])
    low = DOWN.copy()
    low[2, 3] = 0.11
    with refused("goals_touch", PlanningFailed):
        plan_free(scene, start, PoseGoal(low))
    goal = PoseGoal(low, turn=math.pi, tilt=0.1, box=(0.2, 0.2, 0.1))
    path = plan_free(scene, start, goal)
    assert goal.holds(robot.fk(path.points[-1]))
    assert np.all(path.checker.is_motion_free(path.points[:-1], path.points[1:], clearance=0.001))
    several = plan_free(scene, start, [PoseGoal(low), PoseGoal(DOWN)])
    assert PoseGoal(DOWN).holds(robot.fk(several.points[-1]))


def test_wrong_goals_are_refused() -> None:
    robot = armlab.load("ur5e")
    with refused("goal_freedom", InvalidInput):
        PoseGoal(DOWN, turn=-0.1)
    with refused("goal_count", InvalidInput, count=101):
        plan_free(Scene.of(robot), robot.home, [PoseGoal(DOWN)] * 101)
    with pytest.raises(Unreachable):
        plan_free(Scene.of(robot), robot.home, PoseGoal(pose.from_xyz([5.0, 0.0, 0.0]), turn=math.pi))


def test_an_arm_with_coupled_joints_goes_round_a_wall() -> None:
    robot = coupled_arm("palletiser")
    start, goal = robot.home + AHEAD + ASIDE, robot.home + AHEAD - ASIDE
    x, y, z = robot.fk(robot.home + AHEAD)[:3, 3]
    scene = Scene.of(robot, bodies=[box("wall", (0.3, 0.03, 0.5), (x, y, z))])
    checker = Checker(scene)
    assert not checker.is_motion_free(start, goal)
    path = plan_free(checker, start, goal)
    motion = path.trajectory()
    assert checker.first_contact(motion, clearance=0.0009) is None
    assert np.allclose(motion.end, goal)
    assert armlab.verify(motion, robot) == []
    dense = motion.sample(np.linspace(0.0, motion.duration, 500)).q
    assert np.all(checker.is_free(dense))


def test_what_the_arm_holds_goes_round_too() -> None:
    robot = armlab.load("ur5e")
    start, goal = sides(robot)
    stick = box("stick", (0.03, 0.03, 0.25), (0.0, 0.0, -2.0))
    checker = Checker(walled(robot).with_body(stick))
    loaded = checker.with_held("stick", pose.from_xyz([0.0, 0.0, 0.13]))
    path = plan_free(loaded, start, goal)
    motion = path.trajectory()
    assert loaded.first_contact(motion, clearance=0.0009) is None
    # by another computation: points of the stick, moved by forward kinematics, are outside of the wall
    T = robot.fk(motion.sample(np.linspace(0.0, motion.duration, 400)).q) @ pose.from_xyz([0.0, 0.0, 0.13])
    grid = np.array(list(product((-0.015, 0.015), (-0.015, 0.015), np.linspace(-0.125, 0.125, 9))))
    points = grid @ T[:, :3, :3].transpose(0, 2, 1) + T[:, None, :3, 3]
    assert np.all((np.abs(points - [0.6, 0.0, 0.25]) > [0.25, 0.02, 0.25]).any(axis=2))
