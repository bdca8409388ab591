"""A scene file with one of everything, and when two scenes are the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from armlab.geometry import solid
from armlab.model.scene import Scene

GOOD = """
schema = 1
name = "cell"
title = "A cell"
source = "made up for a test"
notes = "what to know"
gravity = [0, 0, -1.62]
[[robot]]
name = "arm"
arm = "ur5e"
tool = "gripper"
xyz = [100, 200, 300]
rpy = [0, 0, 90]
q = [0, -90, 90, 0, 90, 0]
[[body]]
name = "cube"
kind = "box"
size = [40, 50, 60]
xyz = [500, 0, 30]
rpy = [0, 0, 45]
mass = 2.0
friction = 0.5
colour = "#ff0000"
[[body]]
name = "bench"
kind = "table"
size = [800, 600, 700]
[[body]]
name = "belt"
kind = "conveyor"
size = [1000, 300, 500]
speed = 250
[[body]]
name = "tray"
kind = "bin"
size = [300, 200, 100]
[[body]]
name = "frame"
kind = "fixture"
[[body.shape]]
kind = "cylinder"
size = [10, 200]
xyz = [0, 0, 100]
[[body.shape]]
kind = "hull"
points = [[0, 0, 0], [100, 0, 0], [0, 100, 0], [0, 0, 100]]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "cell.toml"
    path.write_text(text, encoding="utf-8")
    return path


def assert_same(one: Scene, other: Scene) -> None:
    """Assert that two scenes are the same to a hundredth of a nanometre."""
    assert [one.name, one.title, one.notes, one.source] == [other.name, other.title, other.notes, other.source]
    np.testing.assert_array_equal(one.gravity, other.gravity)
    assert [placed.name for placed in one.robots] == [placed.name for placed in other.robots]
    for a, b in zip(one.robots, other.robots, strict=True):
        np.testing.assert_allclose(a.q, b.q, atol=1e-11)
        np.testing.assert_allclose(a.robot.fk(a.q), b.robot.fk(b.q), atol=1e-10)
    assert [body.name for body in one.bodies] == [body.name for body in other.bodies]
    for c, d in zip(one.bodies, other.bodies, strict=True):
        assert (c.mass, c.friction, c.colour) == (d.mass, d.friction, d.colour)
        np.testing.assert_allclose(c.T_world_body, d.T_world_body, atol=1e-11)
        np.testing.assert_allclose(c.inertia.matrix, d.inertia.matrix, rtol=1e-9, atol=1e-12)
        assert (c.belt is None) == (d.belt is None)
        if c.belt is not None and d.belt is not None:
            np.testing.assert_allclose(c.belt, d.belt, atol=1e-12)
        for s, t in zip(c.shapes, d.shapes, strict=True):
            assert s.kind == t.kind
            np.testing.assert_allclose(solid.hull_points(s), solid.hull_points(t), atol=1e-11)
