"""Planned paths against coal: dense samples of the path, the solids as polyhedra that hold them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from planning.scenes import crowded, free_places

import armlab
from armlab.collision import Checker, allowed_pairs
from armlab.geometry import solid
from oracles.polyhedra import QUALITY, coal, polyhedron


@pytest.mark.parametrize("name", ["ur5e", "franka-panda"])
def test_coal_finds_no_contact_on_a_path_that_is_called_free(name: str) -> None:
    robot = armlab.load(name)
    scene = crowded(robot)
    shapes = {link.name: link.shapes for link in robot.links} | {body.name: body.shapes for body in scene.bodies}
    solids = {k: [polyhedron(solid.mesh(s, QUALITY).vertices) for s in v] for k, v in shapes.items()}
    skipped = {frozenset(pair[:2]) for pair in allowed_pairs(robot)}
    skipped |= {frozenset(pair) for pair in combinations([body.name for body in scene.bodies], 2)}
    skipped |= {frozenset((robot.links[0].name, body.name)) for body in scene.bodies}
    pairs = [(a, b) for a, b in combinations(solids, 2) if frozenset((a, b)) not in skipped]
    checker, q = Checker(scene), free_places(scene, 6, seed=21)
    looked = 0
    for start, goal in zip(q[:3], q[3:], strict=True):
        path = armlab.plan_free(checker, start, goal)
        for a, b in zip(path.points[:-1], path.points[1:], strict=True):
            count = int(np.abs(b - a).max() / 0.03) + 2
            for row in a + np.linspace(0.0, 1.0, count)[:, None] * (b - a):
                places = dict(zip(robot.frame_names, robot.frames(row), strict=True))
                places |= {body.name: body.T_world_body for body in scene.bodies}
                at = {k: coal.Transform3s(T[:3, :3].copy(), T[:3, 3].copy()) for k, T in places.items() if k in solids}
                for first, second in pairs:
                    assert not _touch(solids[first], at[first], solids[second], at[second]), (first, second, row)
                looked += 1
    assert looked > 100


def _touch(one: list[Any], T_one: Any, other: list[Any], T_other: Any) -> bool:
    request = coal.CollisionRequest()
    return any(coal.collide(a, T_one, b, T_other, request, coal.CollisionResult()) > 0 for a in one for b in other)
