"""Roadmaps and better paths: as certain as any free path, and the same for the same questions."""

from __future__ import annotations

import numpy as np
import pytest
from planning.scenes import crowded, free_places, sides, walled
from refusals import refused

import armlab
from armlab.arrays import Floats
from armlab.collision import Checker
from armlab.errors import InvalidInput, PlanningFailed
from armlab.model.scene import Scene
from armlab.planning import Roadmap, improved, plan_free


def _is_proved(checker: Checker, points: Floats, clearance: float = 0.001) -> bool:
    return bool(np.all(checker.is_motion_free(points[:-1], points[1:], clearance=clearance)))


@pytest.mark.parametrize("name", ["ur5e", "franka-panda", "planar3"])
def test_paths_over_a_roadmap_are_free_and_found_without_a_search(name: str) -> None:
    robot = armlab.load(name)
    scene = crowded(robot)
    checker, q = Checker(scene), free_places(scene, 16, seed=1)
    roadmap = Roadmap(checker)
    assert len(roadmap.nodes) > 100
    assert roadmap.joined > len(roadmap.nodes)
    searched = 0
    for start, goal in zip(q[:8], q[8:], strict=True):
        path = roadmap.plan(start, goal)
        assert np.allclose(path.points[[0, -1]], [start, goal], atol=1e-12)
        assert _is_proved(checker, path.points)
        searched += path.certificate.samples > 0
    assert searched <= 2


def test_what_a_roadmap_answers_does_not_depend_on_what_it_was_asked() -> None:
    robot = armlab.load("ur5e")
    scene = crowded(robot)
    q = free_places(scene, 4, seed=5)
    one, other = Roadmap(scene, seed=3), Roadmap(scene, seed=3)
    one.plan(q[2], q[3])
    assert np.array_equal(one.plan(q[0], q[1]).points, other.plan(q[0], q[1]).points)


def test_a_roadmap_that_learned_a_path_knows_it() -> None:
    robot = armlab.load("ur5e")
    start, goal = sides(robot)
    checker = Checker(walled(robot))
    bare = Roadmap(checker, nodes=1)
    path = plan_free(checker, start, goal)
    assert len(path.points) > 2
    bare.learn(path)
    known = bare.plan(start, goal)
    assert known.certificate.samples == 0
    assert known.length <= path.length + 1e-9
    assert _is_proved(checker, known.points)
    with refused("path_of_another_scene", InvalidInput):
        bare.learn(plan_free(walled(robot), start, goal))
    with refused("path_of_another_scene", InvalidInput):
        bare.learn(plan_free(checker, start, goal, clearance=0.0001))


def test_a_roadmap_refuses_what_a_search_refuses() -> None:
    robot = armlab.load("ur5e")
    start, goal = sides(robot)
    roadmap = Roadmap(walled(robot), nodes=20)
    inside = armlab.solve_ik(robot, armlab.pose.from_mm_deg([600.0, 0.0, 200.0, 0.0, 0.0, 180.0]), start=start)
    with refused("start_touches", PlanningFailed, second="wall"):
        roadmap.plan(inside, goal)
    with refused("goal_touches", PlanningFailed, second="wall"):
        roadmap.plan(start, inside)
    with refused("roadmap_nodes", InvalidInput):
        Roadmap(walled(robot), nodes=0)


def test_improved_paths_are_free_shorter_and_the_same_again() -> None:
    robot = armlab.load("franka-panda")
    scene = crowded(robot)
    checker, q = Checker(scene), free_places(scene, 10, seed=8)
    before, after = 0.0, 0.0
    for start, goal in zip(q[:5], q[5:], strict=True):
        path = plan_free(checker, start, goal)
        better = improved(path, motions=500)
        assert _is_proved(checker, better.points)
        assert np.allclose(better.points[[0, -1]], [start, goal], atol=1e-12)
        assert better.length <= path.length
        assert better.certificate.motions >= path.certificate.motions
        assert np.array_equal(improved(path, motions=500).points, better.points)
        before, after = before + path.length, after + better.length
    assert after < before - 0.1


def test_time_and_clearance_are_costs_too() -> None:
    robot = armlab.load("ur5e")
    start, goal = sides(robot)
    path = plan_free(walled(robot), start, goal)
    faster = improved(path, motions=300, cost="time")
    assert faster.trajectory().duration <= path.trajectory().duration
    wider = improved(path, motions=3000, cost="clearance", until=0.03)
    assert 0.015 < wider.certificate.clearance <= 0.03
    assert _is_proved(wider.checker, wider.points, wider.certificate.clearance)


def test_an_improvement_ends_when_it_is_enough_or_somebody_says_so() -> None:
    robot = armlab.load("ur5e")
    start, goal = sides(robot)
    path = plan_free(walled(robot), start, goal)
    assert improved(path, until=path.length).points is path.points
    assert improved(path, goes_on=lambda: False).points is path.points
    straight = plan_free(Scene.of(robot), start, goal)
    assert improved(straight).certificate.motions == straight.certificate.motions
    with refused("improvement_bounds", InvalidInput):
        improved(path, motions=0)
