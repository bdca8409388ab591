"""Paths round obstacles: proved free, the same for the same seed, or refused with the reason."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from collision.obstacles import box
from planning.scenes import crowded, free_places, sides, walled
from refusals import refused

import armlab
from armlab.collision import Checker
from armlab.errors import InvalidInput, LimitViolation, PlanningFailed, Unreachable
from armlab.model.scene import PlacedRobot, Scene
from armlab.planning import PoseGoal, plan_free

ARMS = ["ur5e", "franka-panda", "kuka-kr6-r900", "scara", "planar3"]


@pytest.mark.parametrize("name", ARMS)
def test_paths_and_their_motions_are_free_and_within_the_limits(name: str) -> None:
    robot = armlab.load(name)
    scene = crowded(robot)
    checker, q = Checker(scene), free_places(scene, 6, seed=1)
    for start, goal in zip(q[:3], q[3:], strict=True):
        path = plan_free(checker, start, goal, clearance=0.001)
        assert np.allclose(path.points[[0, -1]], [start, goal], atol=1e-12)
        assert np.all(checker.is_motion_free(path.points[:-1], path.points[1:], clearance=0.001))
        for scheme in ("jerk", "fastest"):
            motion = path.trajectory(scheme=scheme)
            # the sweep is another proof, of the whole timed motion
            assert checker.first_contact(motion, clearance=0.0009) is None
            assert armlab.verify(motion, robot) == [] or scheme == "fastest"
            assert np.allclose(motion.start, start)
            assert np.allclose(motion.end, goal)


def test_the_arm_goes_over_a_wall() -> None:
    robot = armlab.load("ur5e")
    one, other = sides(robot)
    scene = walled(robot)
    assert not Checker(scene).is_motion_free(one, other)
    path = plan_free(scene, one, other, clearance=0.02)
    heights = robot.fk(path.trajectory().sample(np.linspace(0.0, path.trajectory().duration, 200)).q)[:, 2, 3]
    assert heights.max() > 0.5
    assert path.certificate.clearance == 0.02
    assert path.certificate.motions > 1


def test_a_seed_gives_one_path_and_the_checker_keeps_nothing_of_it() -> None:
    robot = armlab.load("ur5e")
    one, other = sides(robot)
    checker = Checker(walled(robot))
    first = plan_free(checker, one, other, seed=4)
    plan_free(checker, other, one, seed=9)
    again = plan_free(Checker(walled(robot)), one, other, seed=4)
    assert np.array_equal(first.points, again.points)
    assert not np.array_equal(first.points, plan_free(checker, one, other, seed=5).points)


def test_a_pose_is_reached_by_whichever_solution_is_free() -> None:
    robot = armlab.load("ur5e")
    one, other = sides(robot)
    T = robot.fk(other)
    path = plan_free(walled(robot), one, PoseGoal(T))
    assert np.allclose(robot.fk(path.points[-1]), T, atol=1e-6)
    assert np.abs(path.points[-1] - path.points[0]).max() <= np.pi + 1e-9
    several = plan_free(walled(robot), one, np.array([other, one + 0.05]))
    assert np.allclose(several.points[-1], one + 0.05)  # the nearer one, straight ahead


def test_shortcuts_make_paths_shorter() -> None:
    robot = armlab.load("franka-panda")
    scene = crowded(robot)
    checker, q = Checker(scene), free_places(scene, 10, seed=8)
    pairs = list(zip(q[:5], q[5:], strict=True))
    long = [plan_free(checker, a, b, shortcuts=0).length for a, b in pairs]
    short = [plan_free(checker, a, b, shortcuts=200).length for a, b in pairs]
    straight = [float(np.linalg.norm(b - a)) for a, b in pairs]
    assert all(s <= n + 1e-9 for s, n in zip(short, long, strict=True))
    assert sum(short) < 0.98 * sum(long)
    assert all(s >= d - 1e-9 for s, d in zip(short, straight, strict=True))


def test_only_the_arm_that_is_asked_about_moves() -> None:
    robot = armlab.load("kuka-kr6-r900")
    far = np.eye(4)
    far[0, 3] = 1.3
    other = robot.with_base(far)
    scene = Scene("two", (PlacedRobot("one", robot, robot.home), PlacedRobot("two", other, robot.home)))
    q = robot.home + np.radians([60, 0, 0, 0, 0, 0])
    path = plan_free(scene, robot.home, q, robot="two")
    assert np.allclose(path.points[-1], q)
    assert path.robot_name == "two"


def test_a_path_that_turns_straight_back_stops_there_and_a_corner_does_not() -> None:
    robot = armlab.load("ur5e")
    path = plan_free(Scene.of(robot), robot.home, robot.home + 0.2)
    there, aside = robot.home + 0.2, robot.home + np.array([0.2, 0.2, 0.2, -0.2, 0.2, 0.2])
    back = replace(path, points=np.array([robot.home, there, robot.home]))
    assert back.rounded()[1] == pytest.approx([np.linalg.norm(there - robot.home)])
    assert armlab.verify(back.trajectory(), robot) == []
    corner = replace(path, points=np.array([robot.home, there, aside]))
    assert len(corner.rounded()[1]) == 0
    motion = corner.trajectory()
    assert np.abs(motion.sample(np.linspace(0.05, motion.duration - 0.05, 100)).qd).max(axis=1).min() > 0.01


def test_a_scene_may_have_more_joints_than_the_samples_have_bases() -> None:
    robot = armlab.load("kuka-kr6-r900")
    placed = []
    for k in range(6):
        T = armlab.pose.from_xyz([2.5 * k, 0.0, 0.0])
        placed.append(PlacedRobot(f"arm {k}", robot.with_base(T), robot.home))
    post = box("post", (0.1, 0.1, 1.2), (12.5 + float(robot.fk(robot.home)[0, 3]), 0.0, 0.6))
    scene = Scene("row", tuple(placed), (post,))
    start, goal = (robot.home + np.radians([turn, 0, 0, 0, 0, 0]) for turn in (60, -60))
    assert not Checker(scene).is_motion_free(start, goal, robot="arm 5")
    path = plan_free(scene, start, goal, robot="arm 5")
    assert np.allclose(path.points[[0, -1]], [start, goal])
    assert Checker(scene).first_contact(path.trajectory(), robot="arm 5") is None


def test_what_cannot_be_planned_says_why() -> None:
    robot = armlab.load("ur5e")
    one, other = sides(robot)
    scene = walled(robot)
    inside = armlab.solve_ik(robot, armlab.pose.from_mm_deg([600.0, 0.0, 200.0, 0.0, 0.0, 180.0]), start=one)
    with refused("start_touches", PlanningFailed, second="wall"):
        plan_free(scene, inside, one)
    with refused("goal_touches", PlanningFailed, second="wall"):
        plan_free(scene, one, inside)
    with refused("goals_touch", PlanningFailed):
        plan_free(scene, one, PoseGoal(robot.fk(inside)))
    with refused("joint_outside", LimitViolation, joint=robot.joints[2].name):
        plan_free(scene, one, one + np.array([0, 0, 9.0, 0, 0, 0]))
    with pytest.raises(Unreachable):
        plan_free(scene, one, PoseGoal(armlab.pose.from_xyz([3.0, 0.0, 0.0])))
    with refused("search_bounds", InvalidInput):
        plan_free(scene, one, other, samples=0)
    with refused("cancelled", PlanningFailed):
        plan_free(scene, one, other, goes_on=lambda: False)


def test_a_goal_that_is_shut_in_is_proved_to_be_out_of_reach_by_the_bodies_that_do_it() -> None:
    robot = armlab.load("planar2")
    tip = robot.fk(np.array([1.5, 0.5]))[:3, 3]
    bars = [
        box("bar 0", (0.02, 0.02, 0.4), tuple(1.15 * tip)),
        box("bar 1", (0.02, 0.02, 0.4), tuple(robot.fk(np.array([1.1, 0.5]))[:3, 3])),
        box("bar 2", (0.02, 0.02, 0.4), tuple(robot.fk(np.array([1.9, 0.5]))[:3, 3])),
        box("bar 3", (0.02, 0.02, 0.4), tuple(0.4 * robot.fk(np.array([1.1, 0.0]))[:3, 3])),
        box("bar 4", (0.02, 0.02, 0.4), tuple(0.4 * robot.fk(np.array([1.9, 0.0]))[:3, 3])),
    ]
    scene = Scene.of(robot, bodies=bars)
    with refused("no_path_exists", PlanningFailed, bodies=["bar 3"]):
        plan_free(scene, np.array([-1.0, 0.3]), np.array([1.5, 0.5]), samples=3000)
