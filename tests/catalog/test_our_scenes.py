"""The scenes that come with armlab: nothing overlaps or floats, and what they are for can be done in them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

import armlab
from armlab.arrays import Floats
from armlab.catalog.scenes import load_scene, scene_names
from armlab.geometry import pose, solid
from armlab.model.scene import GRAVITY, Body, PlacedRobot, Scene


def _solids(scene: Scene) -> list[tuple[str, Floats]]:
    """Return the corners in the world of every shape, with the name of its owner."""
    found = [
        (body.name, pose.transform(body.T_world_body, solid.hull_points(shape)))
        for body in scene.bodies
        for shape in body.shapes
    ]
    for placed in scene.robots:
        robot, frames = placed.robot, placed.robot.frames(placed.q)
        parts = [(T, shape) for T, link in zip(frames[:-1], robot.links, strict=True) for shape in link.shapes]
        T_world_flange = frames[-1] @ pose.inverse(robot.tool.T_flange_tool)
        parts += [(T_world_flange, shape) for shape in robot.tool.shapes]
        found += [(placed.name, pose.transform(T, solid.hull_points(shape))) for T, shape in parts]
    return found


def _gap(one: Floats, two: Floats) -> float:
    """Return the widest gap between two sets of points that a plane can have; zero where they overlap."""
    boxes = float(np.maximum(one.min(axis=0) - two.max(axis=0), two.min(axis=0) - one.max(axis=0)).max())
    if boxes > 0.002:
        return boxes
    rows = np.concatenate(
        [
            np.column_stack([-one, np.ones(len(one)), np.full(len(one), 0.5)]),
            np.column_stack([two, -np.ones(len(two)), np.full(len(two), 0.5)]),
        ]
    )
    bounds = [(-1, 1)] * 3 + [(None, None), (None, 1)]
    return float(linprog([0, 0, 0, 0, -1], A_ub=rows, b_ub=np.zeros(len(rows)), bounds=bounds).x[4])


@pytest.mark.parametrize("name", scene_names())
def test_nothing_in_our_scenes_overlaps_at_the_start(name: str) -> None:
    solids = _solids(load_scene(name))
    near = [
        (first, second, _gap(a, b))
        for (first, a), (second, b) in combinations(solids, 2)
        if first != second and np.maximum(a.min(0) - b.max(0), b.min(0) - a.max(0)).max() < 0.002
    ]
    assert min(gap for *_, gap in near) > 5e-5


@pytest.mark.parametrize("name", scene_names())
def test_every_loose_body_of_our_scenes_rests_on_something(name: str) -> None:
    scene = load_scene(name)
    assert len(scene.source) > 20
    assert scene.title
    solids = _solids(scene)
    for body in scene.bodies:
        if not body.is_fixed and not _is_carried(body):
            mine = [points - [0, 0, 0.001] for owner, points in solids if owner == body.name]
            others = [points for owner, points in solids if owner != body.name]
            assert any(_gap(a, b) < 1e-6 for a in mine for b in others), f"{body.name} hangs in the air"


def _is_carried(body: Body) -> bool:
    """Whether what pushes it from the start on holds its weight."""
    up = sum(push.force[2] for push in body.pushes if push.start == 0.0)
    return body.mass is not None and abs(up - body.mass * GRAVITY) < 1e-9


def _reaches(placed: PlacedRobot, *frames: tuple[float, ...]) -> bool:
    """Whether the arm reaches all of x y z (mm) A B C (degrees)."""
    rows = np.array(frames)
    targets = pose.from_xyz_abc(rows[:, :3] / 1000.0, np.radians(rows[:, 3:]))
    return all(len(armlab.all_ik(placed.robot, T)) > 0 for T in targets)


def test_the_windscreen_can_be_picked_and_set_into_the_car() -> None:
    scene = load_scene("windscreen")
    glass, opening = scene.body("windscreen"), scene.body("opening")
    assert _reaches(
        scene.robot(),
        (-150, -1750, 1150, 180, 0, 180),
        (-150, -1750, 901, 180, 0, 180),
        (-150, -1750, 1250, 180, 0, 180),
        (1846, 0, 1409.8, -90, 0, -150),
        (1995.4, 0, 1151.04, -90, 0, -150),
    )
    around = [points for owner, points in _solids(scene) if owner in {"opening", "car"}]
    for out in (0.0, 0.05):
        T = opening.T_world_body @ pose.from_xyz([0, 0, out])
        panes = [pose.transform(T, solid.hull_points(shape)) for shape in glass.shapes]
        assert min(_gap(pane, other) for pane in panes for other in around) > 1e-3


def test_the_cubes_can_be_sorted() -> None:
    scene = load_scene("sorting-table")
    places = {body.name: body.T_world_body[:3, 3] * 1000 for body in scene.bodies}
    cubes = [places[f"cube-{colour}"] for colour in ("red", "green", "blue")]
    bins = [places[f"bin-{colour}"] for colour in ("red", "green", "blue")]
    frames = [(x, y, z, -90, 0, 180) for x, y, _ in cubes for z in (950, 780)]
    frames += [(x, y, z, -90, 0, 180) for x, y, _ in bins for z in (1000, 815)]
    assert _reaches(scene.robot(), *frames, (600, 355, 780, 0, 0, 180), (600, 355, 950, 0, 0, 180))


def test_both_arms_reach_the_boxes_and_their_pallets() -> None:
    scene = load_scene("palletising")
    for name, side, a in (("left", -1, 0), ("right", 1, 180)):
        corners = [(side * x, y, 346, a, 0, 180) for x in (800, 1200) for y in (-860, -1500)]
        belt = [(0, y, z, a, 0, 180) for y in (200, -130) for z in (901, 1250)]
        assert _reaches(scene.robot(name), *corners, *belt)


def test_the_rig_and_its_bodies_are_those_of_the_experiments() -> None:
    scene = load_scene("s5-rig")
    assert scene.body("cube").mass == 5.0
    bar = scene.body("bar")
    np.testing.assert_allclose(np.sort(bar.shapes[0].size[:3]), [0.05, 0.05, 1.5])
    assert bar.inertia.matrix[2, 2] == pytest.approx((1.5**2 + 0.05**2) / 12 * 10)


def test_there_are_seven_scenes() -> None:
    assert scene_names() == ("palletising", "s5-bar", "s5-cube", "s5-rig", "sorting-table", "two-arms", "windscreen")


def test_both_arms_reach_the_mat_between_them() -> None:
    scene = load_scene("two-arms")
    assert _reaches(
        scene.robot("kuka"),
        (400, -350, 950, 90, 0, 180),
        (400, -350, 785, 90, 0, 180),
        (250, 0, 950, 0, 0, 180),
        (250, 0, 800, 0, 0, 180),
    )
    assert _reaches(scene.robot("scara"), (250, 0, 950, 0, 0, 180), (250, 0, 810, 0, 0, 180))
