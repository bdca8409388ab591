"""Scene files that are written: they come back as they were, and other readers understand them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from catalog.scene_files import GOOD, assert_same, written
from refusals import refused

from armlab.catalog.scene_text import scene_text
from armlab.catalog.scenes import load_scene, scene_names, write_scene
from armlab.errors import InvalidInput, NotSupported
from armlab.formats.glb import scene_glb
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.model.scene import Body, Scene


def test_what_is_written_loads_to_the_same_scene(tmp_path: Path) -> None:
    scene = load_scene(written(tmp_path, GOOD))
    write_scene(scene, tmp_path / "again.toml")
    again = load_scene(tmp_path / "again.toml")
    assert_same(scene, again)
    assert scene_text(again) == scene_text(scene)


@pytest.mark.parametrize("name", scene_names())
def test_our_scenes_can_be_written_and_read_again(name: str, tmp_path: Path) -> None:
    scene = load_scene(name)
    write_scene(scene, tmp_path / "again.toml")
    assert_same(scene, load_scene(tmp_path / "again.toml"))


def test_what_cannot_be_written_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    scene = load_scene(written(tmp_path, GOOD))
    path = tmp_path / "again.toml"
    cube = scene.body("cube")
    placed = scene.robot()
    other = replace(placed, robot=replace(placed.robot, flange=pose.from_xyz([0, 0, 1]), configurations={}))
    rng = np.random.default_rng(1)
    ball = rng.normal(size=(3000, 3))
    heavy = Body("ball", (Shape("hull", (), np.eye(4), points=ball / np.linalg.norm(ball, axis=1, keepdims=True)),))
    unwritable: list[tuple[Scene, type[Exception], str]] = [
        (replace(scene, notes="two\nlines"), InvalidInput, "cannot be printed"),
        (replace(scene, name="My Cell"), InvalidInput, "must match"),
        (replace(scene, bodies=(replace(cube, mass=1e9),)), InvalidInput, "mass"),
        (replace(scene, robots=(other,)), NotSupported, "it differs from the 'ur5e' with tool"),
        (replace(scene, bodies=(heavy, replace(heavy, name="b"))), InvalidInput, "at most 0.2 MB are allowed"),
    ]
    for wrong, error, sentence in unwritable:
        with pytest.raises(error, match=sentence):
            write_scene(wrong, path)
    with refused("file_suffix", InvalidInput):
        write_scene(scene, tmp_path / "again.json")
    assert not path.exists()


def test_a_bodys_own_inertia_is_kept(tmp_path: Path) -> None:
    text = GOOD.replace("mass = 2.0", "mass = 2.0\ncom = [1, 2, 3]\ninertia = [0.1, 0.2, 0.25, 0.01, 0, 0]")
    scene = load_scene(written(tmp_path, text))
    np.testing.assert_allclose(scene.body("cube").inertia.com, [0.001, 0.002, 0.003])
    write_scene(scene, tmp_path / "again.toml")
    assert_same(scene, load_scene(tmp_path / "again.toml"))


def test_another_reader_finds_a_node_for_every_body(tmp_path: Path) -> None:
    scene = load_scene(written(tmp_path, GOOD))
    found = trimesh.load_scene(trimesh.util.wrap_as_stream(scene_glb(scene)), file_type="glb")
    assert {body.name for body in scene.bodies} <= set(found.graph.nodes)


def test_the_scene_file_of_the_docs_loads(tmp_path: Path) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "scenes.md"
    found = re.search(r"^```toml\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert found is not None
    scene = load_scene(written(tmp_path, found[1]))
    assert [body.name for body in scene.bodies if not body.is_fixed] == ["cube", "bracket"]
