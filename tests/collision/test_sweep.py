"""Whole motions: nothing passes unseen between samples."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from collision.obstacles import box, configurations, motion, obstacles
from refusals import refused

import armlab
from armlab.collision import Checker
from armlab.collision.motions import joined
from armlab.errors import InvalidInput, UnknownName
from armlab.geometry import pose
from armlab.model.robot import Robot
from armlab.model.scene import PlacedRobot, Scene
from armlab.motion.trajectory import Trajectory

CLEARANCE = 0.005


@pytest.fixture(scope="module")
def arm() -> Robot:
    return armlab.load("kuka-kr6-r700")


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "franka-panda", "scara"])
@pytest.mark.parametrize("clearance", [0.0, CLEARANCE])
def test_fine_samples_never_find_a_collision_that_a_sweep_denies(name: str, clearance: float) -> None:
    robot = armlab.load(name)
    checker = Checker(Scene.of(robot, bodies=obstacles()))
    strangers = Checker(checker.scene, allowed=[(name, name)])
    rows = configurations(robot, 300, seed=3)
    free = rows[np.asarray(checker.is_free(rows, clearance=clearance))]
    answers = []
    for start, end in pairwise(free[:26]):
        way = motion(start, end)
        report = checker.sweep(way, clearance=clearance)
        times = np.linspace(0.0, way.duration, 2001)
        samples = way.sample(times).q
        seen = np.asarray(checker.is_free(samples, clearance=clearance))
        answers.append(report.is_free)
        if report.is_free:
            assert seen.all()
            assert report.min_distance > clearance
            assert report.min_distance == pytest.approx(float(np.min(strangers.min_distance(samples))), abs=1.5e-4)
        else:
            contact = report.first_contact
            assert contact is not None
            assert contact.distance <= clearance + 3e-5
            assert np.allclose(contact.q, way.at(contact.time).q, atol=1e-9)
            assert seen[times < contact.time].all()
            assert not seen.all() or contact.distance > clearance
            late = np.argmax(~seen) if not seen.all() else -1
            assert late < 0 or contact.time <= times[late]
    assert True in answers
    assert False in answers


def test_a_thin_wall_that_is_crossed_between_two_samples_is_found(arm: Robot) -> None:
    aside, other = arm.home.copy(), arm.home.copy()
    aside[0], other[0] = -0.6, 0.6
    wall = box("sheet", (2.0, 1e-4, 2.0), (1.2, 0.0, 0.6))
    checker = Checker(Scene.of(arm, bodies=[wall]))
    way = motion(aside, other, 0.5)
    ends = way.sample([0.0, 0.5]).q
    assert np.asarray(checker.is_free(ends)).all()
    report = checker.sweep(way)
    assert not report.is_free
    assert report.first_contact is not None
    assert report.first_contact.second == "sheet"
    assert report.first_contact.time < 0.25
    assert report.min_distance <= 0.0


def test_a_motion_past_a_wall_is_free_by_its_distance(arm: Robot) -> None:
    wall = box("wall", (0.02, 3.0, 3.0), (1.2, 0.0, 0.0))
    checker = Checker(Scene.of(arm, bodies=[wall]))
    turn = np.where(np.arange(6) == 0, 0.4, 0.0)
    way = motion(arm.home - turn, arm.home + turn)
    report = checker.sweep(way)
    assert report.is_free
    assert report.first_contact is None
    assert report.nearest.second == "wall"
    there = checker.distances(way.at(report.nearest_time).q, within=1.0)
    assert min(pair.value for pair in there if pair.second == "wall") == pytest.approx(report.min_distance, abs=1e-6)
    assert checker.sweep(way, clearance=report.min_distance - 3e-4).is_free
    assert not checker.sweep(way, clearance=report.min_distance + 3e-4).is_free


def test_an_arm_that_starts_in_contact_is_in_contact_from_the_start(arm: Robot) -> None:
    tip = arm.fk(arm.home)[:3, 3]
    checker = Checker(Scene.of(arm, bodies=[box("block", (0.1, 0.1, 0.1), (tip[0], tip[1], tip[2]))]))
    report = checker.sweep(Trajectory.rest(arm.home, 1.0))
    assert report.first_contact is not None
    assert report.first_contact.time == 0.0
    assert report.first_contact.distance <= 0.0


def test_two_arms_that_move_at_once_are_swept_together(arm: Robot) -> None:
    other = arm.with_base(pose.from_xyz_rpy([1.1, 0.0, 0.0], [0.0, 0.0, np.pi]))
    turned = arm.home.copy()
    turned[0] = 1.6
    scene = Scene("cell", (PlacedRobot("left", arm, arm.home), PlacedRobot("right", other, turned)))
    checker = Checker(scene)
    in_, out = motion(turned, arm.home, 1.0), motion(arm.home, turned, 1.0)
    alone = checker.sweep(out, robot="left")
    both = checker.sweep({"left": out, "right": in_.stretched(1.5)})
    t = np.linspace(0.0, 1.5, 1501)
    strangers = Checker(scene, allowed=[("left", "left"), ("right", "right")])
    seen = strangers.min_distance({"left": out.sample(t).q, "right": in_.stretched(1.5).sample(t).q})
    assert alone.is_free
    assert both.is_free == bool(np.min(seen) > 0.0)
    assert max(both.min_distance, 0.0) == pytest.approx(max(float(np.min(seen)), 0.0), abs=2e-4)


def test_wrong_motions_get_a_sentence(arm: Robot) -> None:
    checker = Checker(Scene.of(arm))
    with refused("joint_count_differs", InvalidInput, given=2, needed=6):
        checker.sweep(Trajectory.rest([0.0, 0.0], 1.0))
    with refused("negative_distance", InvalidInput, what="clearance"):
        checker.sweep(Trajectory.rest(arm.home, 1.0), clearance=-1.0)
    with refused("no_trajectory", InvalidInput):
        checker.sweep({})
    with refused("not_a_trajectory", InvalidInput, given="'up'"):
        checker.sweep("up")  # type: ignore[arg-type]
    with refused("unknown_scene_robot", UnknownName):
        checker.sweep({"nobody": Trajectory.rest(arm.home, 1.0)})


def test_motions_of_several_arms_are_one_curve_at_every_time() -> None:
    arms = [armlab.load(name) for name in ("planar3", "planar2")]
    ends = [robot.home for robot in arms]
    moves = [
        armlab.plan_joint(robot, [home, home + 0.3, home - 0.1, home + 0.2])
        for robot, home in zip(arms, ends, strict=True)
    ]
    assert len(moves[0].pieces.breaks) > 3
    curve = joined(np.concatenate(ends), [0, 3, 5], dict(enumerate(moves)))
    whole = Trajectory(curve)
    for t in np.linspace(0.0, max(move.duration for move in moves), 40):
        expected = np.concatenate([move.at(min(t, move.duration)).q for move in moves])
        np.testing.assert_allclose(whole.at(t).q, expected, atol=1e-9)
    still = joined(np.arange(5.0), [0, 3, 5], {1: moves[1]})
    np.testing.assert_allclose(Trajectory(still).at(0.5 * moves[1].duration).q[:3], np.arange(3.0))
