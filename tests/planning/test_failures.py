"""Reasons of failures: what touches and how deep, what is proved impossible, and what would have to be smaller."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from collision.obstacles import box
from planning.scenes import sides, walled
from refusals import refused
from scipy.ndimage import label

import armlab
from armlab.arrays import Floats
from armlab.collision import Checker
from armlab.errors import PlanningFailed
from armlab.geometry import pose, solid
from armlab.geometry.shape import Shape
from armlab.model.robot import Robot
from armlab.model.scene import Body, Scene
from armlab.planning import PoseGoal, find_opening, plan_free
from armlab.planning.smaller import smaller_shape

GRID = 160
"""Values of each of two joints at which the whole space of joints is looked at."""


def _random_scene(robot: Robot, rng: np.random.Generator) -> tuple[Scene, Floats, Floats]:
    """A planar arm among a few random bars, in every second scene with its goal shut in; a start and a goal."""
    start, goal = rng.uniform(-2.7, 2.7, (2, 2))
    bars = []
    for i in range(rng.integers(1, 5)):
        place = rng.uniform(-0.5, 0.5, 2)
        bars.append(box(f"bar {i}", (*rng.uniform(0.02, 0.15, 2), 0.3), (*place, 0.0)))
    if rng.random() < 0.5:
        x, y = robot.fk(goal)[:2, 3]
        d = rng.uniform(0.04, 0.1)
        for i, (dx, dy) in enumerate(((d, 0.0), (-d, 0.0), (0.0, d), (0.0, -d))):
            size = (0.02, 2.0 * d, 0.3) if dx else (2.0 * d, 0.02, 0.3)
            bars.append(box(f"side {i}", size, (x + dx, y + dy, 0.0)))
    return Scene.of(robot, bodies=bars), start, goal


def _is_joined(checker: Checker, start: Floats, goal: Floats) -> bool:
    """Whether steps between neighbours on a grid of all joint values, each proved free, lead from start to goal."""
    robot = checker.scene.robots[0].robot
    values = [np.linspace(low, high, GRID) for low, high in zip(robot.lower, robot.upper, strict=True)]
    rows = np.stack(np.meshgrid(*values, indexing="ij"), axis=-1).reshape(-1, 2)
    areas, _count = label(np.asarray(checker.is_free(rows)).reshape(GRID, GRID))
    near = [tuple(int(np.argmin(np.abs(v - x))) for v, x in zip(values, q, strict=True)) for q in (start, goal)]
    return bool(areas[near[0]] == areas[near[1]] != 0)


def _shares_a_point(robot: Robot, q: Floats, body: Body, link: str) -> bool:
    """Whether a point of a grid through a link is inside a body: without any distance between solids."""
    names = [one.name for one in robot.links]
    T = np.linalg.inv(robot.frames(q)[names.index(link)])
    low, high = -0.5 * np.array(body.shapes[0].size[:3]), 0.5 * np.array(body.shapes[0].size[:3])
    grid = np.stack(
        np.meshgrid(*(np.linspace(a, b, k) for a, b, k in zip(low, high, (24, 24, 30), strict=True))), axis=-1
    ).reshape(-1, 3)
    points = pose.transform(T @ body.T_world_body, grid)
    return any(solid.contains(shape, points).any() for shape in robot.links[names.index(link)].shapes)


def test_no_reason_of_two_hundred_failures_is_wrong() -> None:
    robot, rng, reasons = armlab.load("planar2"), np.random.default_rng(3), Counter[str]()
    while reasons.total() < 200:
        scene, start, goal = _random_scene(robot, rng)
        checker = Checker(scene)
        try:
            plan_free(checker, start, goal, samples=400, clearance=0.0)
            continue
        except PlanningFailed as error:
            code, facts = error.code, error.parameters
        reasons[code] += 1
        if code in ("start_touches", "goal_touches"):
            q = start if code == "start_touches" else goal
            assert facts["depth"] < 5.0 or _shares_a_point(robot, q, scene.body(facts["second"]), facts["first"])
        elif code == "no_path_exists":
            assert not _is_joined(checker, start, goal)
            assert set(facts["bodies"]) <= {body.name for body in scene.bodies}
    assert set(reasons) == {"start_touches", "goal_touches", "no_path_exists", "no_path_found"}


def test_depth_is_how_far_a_body_must_be_moved() -> None:
    robot = armlab.load("ur5e")
    checker = Checker(walled(robot))
    q = armlab.solve_ik(robot, armlab.pose.from_mm_deg([600.0, 0.0, 200.0, 0.0, 0.0, 180.0]), start=sides(robot)[0])
    touching = [one.first for one in checker.contacts(q) if one.second == "wall"]
    name = touching[0]
    depth = checker.depth(q, name, "wall")
    assert depth > 0.0
    wall = checker.scene.body("wall")
    directions = np.random.default_rng(0).normal(size=(40, 3))
    for way in directions / np.linalg.norm(directions, axis=1, keepdims=True):
        moved = checker.with_bodies([wall.at(pose.from_xyz(0.98 * depth * way) @ wall.T_world_body)])
        assert name in {one.first for one in moved.contacts(q)}
    assert checker.depth(robot.home, name, "wall") == 0.0


def test_balls_are_as_deep_in_each_other_as_their_radii_say() -> None:
    robot = armlab.load("ur5e")
    balls = [
        Body(n, (Shape("sphere", (0.1,), np.eye(4)),), pose.from_xyz([x, 2.0, 0.0]))
        for n, x in (("a", 0.0), ("b", 0.15))
    ]
    assert Checker(Scene.of(robot, bodies=balls)).depth(robot.home, "a", "b") == pytest.approx(0.05, rel=0.01)


def test_a_start_that_touches_is_told_a_motion_that_frees_it() -> None:
    robot = armlab.load("ur5e")
    scene = walled(robot)
    inside = armlab.solve_ik(
        robot, armlab.pose.from_mm_deg([600.0, 0.0, 200.0, 0.0, 0.0, 180.0]), start=sides(robot)[0]
    )
    with pytest.raises(PlanningFailed) as caught:
        plan_free(scene, inside, sides(robot)[0])
    facts = caught.value.parameters
    moved = inside.copy()
    moved[[joint.name for joint in robot.joints].index(facts["joint"])] += facts["by"]
    assert Checker(scene).is_free(moved, clearance=0.001)
    with refused("goals_touch", PlanningFailed, count=8):
        plan_free(scene, sides(robot)[0], PoseGoal(robot.fk(inside)))


def test_a_passage_opens_when_what_narrows_it_is_smaller() -> None:
    robot, rng, opened = armlab.load("planar2"), np.random.default_rng(3), 0
    while opened < 2:
        scene, start, goal = _random_scene(robot, rng)
        checker = Checker(scene)
        if not np.all(checker.is_free([start, goal], clearance=0.001)) or _is_joined(checker, start, goal):
            continue
        found = find_opening(scene, start, goal, samples=1000)
        if found is None:
            continue
        opened += 1
        points, bodies = found.path.points, {body.name: body for body in scene.bodies}
        assert np.allclose(points[[0, -1]], [start, goal])
        # the bodies that it names, and no others, are smaller by so much on every side
        for body in found.path.checker.scene.bodies:
            less = 2.0 * found.smaller if body.name in found.bodies else 0.0
            assert np.allclose(np.subtract(bodies[body.name].shapes[0].size, body.shapes[0].size)[:3], less)
        dense = np.concatenate([a + np.linspace(0.0, 1.0, 200)[:, None] * (b - a) for a, b in pairwise(points)])
        assert np.all(found.path.checker.is_free(dense))
        touching = {one.second for q in dense[~np.asarray(checker.is_free(dense))] for one in checker.contacts(q)}
        assert touching
        assert touching <= set(found.bodies)


@pytest.mark.parametrize(
    "shape",
    [
        Shape("box", (0.2, 0.3, 0.1), np.eye(4)),
        Shape("box", (0.2, 0.3, 0.1, 0.02), np.eye(4)),
        Shape("cylinder", (0.1, 0.3), np.eye(4)),
        Shape("sphere", (0.1,), np.eye(4)),
        Shape("loft", (0.1, 0.1, 0.05, 0.06, 0.3), np.eye(4)),
    ],
)
def test_a_smaller_solid_is_inside_by_so_much(shape: Shape) -> None:
    smaller = smaller_shape(shape, 0.01)
    assert smaller is not None
    directions = np.random.default_rng(1).normal(size=(300, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    points, inner = solid.surface_points(shape, 64), solid.surface_points(smaller, 64)
    assert np.all((inner @ directions.T).max(axis=0) <= (points @ directions.T).max(axis=0) - 0.01 + 1e-3)
    assert smaller_shape(shape, 0.2) is None
