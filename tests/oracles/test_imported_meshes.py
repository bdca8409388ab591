"""An imported arm with meshes: what is called free does not touch triangle by triangle, wrists included."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from armlab.catalog.importing import import_arm
from armlab.collision import Checker, allowed_pairs
from armlab.model.robot import Robot
from armlab.model.scene import Scene

coal: Any = pytest.importorskip("coal", reason="coal has no wheels for this platform")

AXES = ("0 0 1", "0 1 0", "0 1 0", "0 1 0", "0 0 1", "0 1 0")
STEPS = ("0 0 0.1", "0 0.06 0.08", "0 0 0.3", "0 0 0.28", "0 0.09 0", "0 0 0.09")
"""The last three axes meet two by two, as those of a UR do; with its offsets the forearm meets the link after next."""


def _bracket(length: float, reach: float) -> trimesh.Trimesh:
    """Return a post with an arm at its top: a shape that is far from convex."""
    post = trimesh.creation.box((0.05, 0.05, length))
    post.apply_translation((0.0, 0.0, length / 2.0))
    arm = trimesh.creation.box((0.04, max(abs(reach), 0.04), 0.04))
    arm.apply_translation((0.0, reach / 2.0, length))
    return trimesh.util.concatenate([post, arm])


def _meshes() -> dict[str, trimesh.Trimesh]:
    sizes = {"base": (0.08, 0.0), "l1": (0.08, 0.06), "l2": (0.28, 0.0), "l3": (0.26, 0.0), "l4": (0.02, 0.09)}
    sizes |= {"l5": (0.08, -0.12), "l6": (0.05, 0.06)}
    return {name: _bracket(*size) for name, size in sizes.items()}


def _write(folder: Path, meshes: dict[str, trimesh.Trimesh]) -> None:
    links, joints, names = "", "", list(meshes)
    for name, mesh in meshes.items():
        mesh.export(folder / f"{name}.stl")
        links += f'<link name="{name}"><collision><geometry><mesh filename="{name}.stl"/></geometry></collision></link>'
    for i, (axis, step) in enumerate(zip(AXES, STEPS, strict=True)):
        joints += (
            f'<joint name="j{i}" type="revolute"><parent link="{names[i]}"/><child link="{names[i + 1]}"/>'
            f'<origin xyz="{step}"/><axis xyz="{axis}"/><limit lower="-3" upper="3" velocity="1" effort="1"/></joint>'
        )
    (folder / "arm.urdf").write_text(f'<robot name="arm">{links}{joints}</robot>')


def _triangles(mesh: trimesh.Trimesh) -> Any:
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(mesh.faces), len(mesh.vertices))
    model.addVertices(np.asarray(mesh.vertices, dtype=np.float64))
    model.addTriangles(np.asarray(mesh.faces, dtype=np.int64))
    model.endModel()
    return model


def _touching(
    robot: Robot, q: np.ndarray, models: dict[str, Any], pairs: list[tuple[str, str]]
) -> set[tuple[str, str]]:
    frames = dict(zip(robot.frame_names, robot.frames(q), strict=True))
    places = {name: coal.Transform3s(T[:3, :3].copy(), T[:3, 3].copy()) for name, T in frames.items()}
    found = set()
    for one, other in pairs:
        result = coal.CollisionResult()
        if coal.collide(models[one], places[one], models[other], places[other], coal.CollisionRequest(), result):
            found.add((one, other))
    return found


def test_configurations_that_are_free_do_not_touch_in_the_meshes(tmp_path: Path) -> None:
    meshes = _meshes()
    _write(tmp_path, meshes)
    robot = import_arm(tmp_path).robot
    adjacent = {pair[:2] for pair in allowed_pairs(robot) if pair.reason == "adjacent"}
    pairs = [pair for pair in combinations(meshes, 2) if pair not in adjacent]
    assert len(adjacent) == robot.dof
    assert {pair.reason for pair in allowed_pairs(robot)} <= {"adjacent", "never meet"}
    models = {name: _triangles(mesh) for name, mesh in meshes.items()}
    rows = np.random.default_rng(3).uniform(robot.lower, robot.upper, (2500, robot.dof))
    free = np.asarray(Checker(Scene.of(robot)).is_free(rows))
    touching = [_touching(robot, q, models, pairs) for q in rows]
    assert sum(map(bool, touching)) > 200
    assert {("l3", "l5"), ("l4", "l6")} & set().union(*touching)  # the pairs of the wrist that do meet
    assert not any(found for found, is_free in zip(touching, free, strict=True) if is_free)
    assert free.sum() > 300
