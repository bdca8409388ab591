"""Collisions and distances against coal, on polyhedra that hold the solids and that the solids hold."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from collision.obstacles import configurations, distance_of, obstacles

import armlab
from armlab.arrays import Floats
from armlab.collision import Checker
from armlab.geometry import pose, solid
from armlab.geometry.shape import Shape
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from oracles.polyhedra import QUALITY, coal, polyhedron


def _inner(shape: Shape) -> Floats:
    """Return the corners of the outer polyhedron, each pulled towards the middle until it is in the solid."""
    corners = np.unique(solid.mesh(shape, QUALITY).vertices.round(12), axis=0)
    middle = corners.mean(axis=0)
    low, high = np.zeros(len(corners)), np.ones(len(corners))
    for _ in range(40):
        half = 0.5 * (low + high)
        inside = solid.contains(shape, middle + half[:, None] * (corners - middle))
        low, high = np.where(inside, half, low), np.where(inside, high, half)
    return np.asarray(middle + low[:, None] * (corners - middle))


class _Coal:
    """All parts of a scene with one arm as polyhedra, and what coal says about pairs of them."""

    def __init__(self, robot: Robot, scene: Scene, *, inner: bool) -> None:
        self.robot, self.scene = robot, scene
        corners = _inner if inner else (lambda shape: solid.mesh(shape, QUALITY).vertices)
        self.solids = {
            name: [polyhedron(corners(shape)) for shape in shapes]
            for name, shapes in (
                *((link.name, link.shapes) for link in robot.links),
                *((body.name, body.shapes) for body in scene.bodies),
            )
        }

    def places(self, q: Floats) -> dict[str, Any]:
        frames = dict(zip(self.robot.frame_names, self.robot.frames(q), strict=True))
        frames |= {body.name: body.T_world_body for body in self.scene.bodies}
        return {name: coal.Transform3s(T[:3, :3].copy(), T[:3, 3].copy()) for name, T in frames.items()}

    def collide(self, places: dict[str, Any], first: str, second: str) -> bool:
        request = coal.CollisionRequest()
        for one in self.solids[first]:
            for other in self.solids[second]:
                result = coal.CollisionResult()
                if coal.collide(one, places[first], other, places[second], request, result):
                    return True
        return False


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "kuka-kr16-2", "ur5e", "franka-panda"])
def test_no_configuration_is_called_free_that_coal_finds_in_collision(name: str) -> None:
    robot = armlab.load(name)
    scene = Scene.of(robot, bodies=obstacles())
    checker = Checker(scene)
    adjacent = set(pairwise(robot.frame_names[:-1]))
    own = [pair for pair in combinations(robot.frame_names[:-1], 2) if pair not in adjacent]
    assert set(own) >= {pair[:2] for pair in checker.left_out} - adjacent
    around = [(body.name, link.name) for body in scene.bodies for link in robot.links[1:]]
    inner = _Coal(robot, scene, inner=True)
    rows = configurations(robot, 500, seed=11)
    free = rows[np.asarray(checker.is_free(rows))]
    false_free = 0
    for q in free:
        places = inner.places(q)
        false_free += any(inner.collide(places, *pair) for pair in (*own, *around))
    assert len(free) > 100
    assert false_free == 0


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "ur5e", "franka-panda"])
def test_every_contact_is_one_for_coal_too(name: str) -> None:
    robot = armlab.load(name)
    scene = Scene.of(robot, bodies=obstacles())
    checker, outer = Checker(scene), _Coal(robot, scene, inner=False)
    rows = configurations(robot, 500, seed=12)
    hits = rows[~np.asarray(checker.is_free(rows))]
    contacts = 0
    for q in hits:
        places = outer.places(q)
        for contact in checker.contacts(q):
            contacts += 1
            assert outer.collide(places, contact.first, contact.second), (contact.first, contact.second)
    assert contacts > 100


def _primitive(shape: Shape) -> Any:
    sizes = [float(value) for value in shape.size]
    if shape.kind == "box":
        return coal.Box(*sizes[:3])
    return coal.Cylinder(*sizes[:2]) if shape.kind == "cylinder" else coal.Sphere(sizes[0])


@pytest.mark.parametrize("one", ["box", "cylinder", "sphere"])
@pytest.mark.parametrize("other", ["box", "cylinder", "sphere"])
def test_distances_are_those_of_coal(one: Any, other: Any) -> None:
    rng = np.random.default_rng(len(one) * 7 + len(other))
    counts = {"box": 3, "cylinder": 2, "sphere": 1}
    for _ in range(150):
        T = pose.from_xyz_axis_angle(rng.uniform(-1, 1, 3), rng.normal(size=3), rng.uniform(-3, 3))
        a = Shape(one, tuple(rng.uniform(0.02, 0.4, counts[one])), np.eye(4))
        b = Shape(other, tuple(rng.uniform(0.02, 0.4, counts[other])), T)
        request = coal.DistanceRequest()
        request.gjk_tolerance, request.gjk_max_iterations = 1e-9, 1000
        here, there = coal.Transform3s(), coal.Transform3s(T[:3, :3].copy(), T[:3, 3].copy())
        theirs = coal.distance(_primitive(a), here, _primitive(b), there, request, coal.DistanceResult())
        ours = distance_of(a, b)[1]
        if max(theirs, ours) > 0.0:
            assert ours == pytest.approx(theirs, abs=1e-6)
