"""Scene files that are read: what they mean, and how wrong ones name the file and the key."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import trimesh
from catalog.scene_files import GOOD, assert_same, written
from refusals import refused

import armlab
from armlab.catalog.scenes import load_scene, write_scene
from armlab.errors import CatalogError, InvalidInput, NotSupported, UnknownName
from armlab.geometry import pose, solid


def test_millimetres_and_degrees_become_metres_and_radians(tmp_path: Path) -> None:
    scene = load_scene(written(tmp_path, GOOD))
    placed, cube = scene.robot("arm"), scene.body("cube")
    np.testing.assert_allclose(placed.robot.base, pose.from_xyz_rpy([0.1, 0.2, 0.3], [0, 0, np.pi / 2]), atol=1e-15)
    np.testing.assert_allclose(placed.q[:3], [0, -np.pi / 2, np.pi / 2])
    assert placed.robot.tool.name == "gripper"
    assert cube.shapes[0].size == pytest.approx((0.04, 0.05, 0.06, 0.0))
    np.testing.assert_allclose(cube.T_world_body, pose.from_xyz_rpy([0.5, 0, 0.03], [0, 0, np.pi / 4]), atol=1e-15)
    assert (cube.mass, cube.friction, cube.colour) == (2.0, 0.5, "#ff0000")
    assert scene.gravity.tolist() == [0.0, 0.0, -1.62]
    belt = scene.body("belt").belt
    assert belt is not None
    np.testing.assert_allclose(belt, [0.25, 0, 0])


@pytest.mark.parametrize(("name", "height"), [("bench", 0.7), ("belt", 0.5), ("tray", 0.1)])
def test_tables_conveyors_and_bins_stand_on_their_origin(name: str, height: float, tmp_path: Path) -> None:
    body = load_scene(written(tmp_path, GOOD)).body(name)
    corners = np.concatenate([solid.hull_points(shape) for shape in body.shapes])
    assert corners[:, 2].min() == pytest.approx(0.0, abs=1e-12)
    assert corners[:, 2].max() == pytest.approx(height)
    np.testing.assert_allclose((corners.min(axis=0) + corners.max(axis=0))[:2], 0.0, atol=1e-12)
    middle = np.array([[0.0, 0.0, height / 2]])
    assert not any(solid.contains(shape, middle)[0] for shape in body.shapes) or name == "belt"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("schema = 1", "schema = 2", "schema: must be one of 1, got 2"),
        ('name = "cell"', 'name = "My Cell"', "name: must match"),
        ("gravity = [0, 0, -1.62]", "gravity = [0, 0, nan]", "gravity[3]"),
        ("gravity = [0, 0, -1.62]", "wind = 3", "wind: unknown key"),
        ('arm = "ur5e"', 'arm = "ur55"', "robot[1]: no robot named 'ur55'; did you mean ur5e"),
        ('arm = "ur5e"', 'arm = "mine.toml"', "no such file"),
        ('arm = "ur5e"', 'arm = "../mine.toml"', "robot[1]: file '../mine.toml': is outside the scene file's folder"),
        ('arm = "ur5e"', 'arm = "/etc/passwd.toml"', "give a path relative to the scene file"),
        ('tool = "gripper"', 'tool = "hand"', "robot[1]: no tool named 'hand'"),
        ("q = [0, -90, 90, 0, 90, 0]", "q = [0, -90]", "robot[1]: q: joint values needed: 6; given: 2"),
        ("q = [0, -90, 90, 0, 90, 0]", "q = [0, -90, 990, 0, 90, 0]", "start: joint 'elbow'"),
        (
            "q = [0, -90, 90, 0, 90, 0]",
            'configuration = "sleeping"',
            "robot[1]: ur5e: no configuration named 'sleeping'",
        ),
        (
            "q = [0, -90, 90, 0, 90, 0]",
            'q = [0]\nconfiguration = "home"',
            "robot[1]: give either q or configuration, not both",
        ),
        ("mass = 2.0", "mass = -2.0", "body[1].mass: must be > 0, got -2.0"),
        ("mass = 2.0", "mass = nan", "body[1].mass"),
        ("mass = 2.0", "inertia = [1, 1, 1, 0, 0, 0]", "body[1]: com and inertia need a mass"),
        (
            "mass = 2.0",
            "mass = 2.0\ninertia = [1, 1, 9, 0, 0, 0]",
            "body[1]: inertia: no body has the principal moments",
        ),
        ("mass = 2.0", "mass = 2.0\ncom = [1, 0, 0]", "body[1]: com: a centre of mass needs an inertia about it"),
        ("mass = 2.0", "mass = 2.0\nbelt = [1, 0, 0]", "body[1]: a loose body has no belt"),
        ("size = [40, 50, 60]", "size = [40, 0, 60]", "body[1]: size must be > 0, got [40, 0, 60]"),
        ("size = [40, 50, 60]", "size = [40, 50]", "body[1]: kind 'box': size must have 3 to 4 numbers, got 2"),
        ("size = [40, 50, 60]", "", "body[1]: kind 'box' needs size"),
        ("size = [40, 50, 60]", "size = [40, 50, 60]\nspeed = 3", "body[1]: kind 'box' has no speed"),
        ("friction = 0.5", "friction = -1", "body[1].friction: must be ≥ 0"),
        ('colour = "#ff0000"', 'colour = "red"', "body[1].colour: must match"),
        ('kind = "box"', 'kind = "egg"', "body[1].kind"),
        ('kind = "box"', 'kind = "mesh"', "body[1]: kind 'mesh' needs file; kind 'mesh' has no size"),
        ('name = "cube"', 'name = "arm"', "two robots or bodies have the same name: arm"),
        ('name = "tray"', 'name = "cube"', "two robots or bodies have the same name: cube"),
        (
            "size = [800, 600, 700]",
            "size = [800, 600, 700]\nmass = 3.0",
            "body[2]: a body of kind 'table' is fixed and has no mass",
        ),
        (
            "size = [800, 600, 700]",
            "size = [800, 600, 20]",
            "body[2]: size: a top of 30 mm and legs of 60 mm do not fit",
        ),
        ("size = [300, 200, 100]", "size = [300, 200, 100, 100]", "body[4]: size: walls of 100 mm do not fit"),
        ("speed = 250", "speed = 250\nbelt = [1, 0, 0]", "body[3]: give either speed or belt, not both"),
        ("[0, 0, 100]]", "[100, 100, 0]]", "body[5]: shape: hull: needs at least 4 points that are not in one plane"),
    ],
)
def test_each_mistake_names_the_file_and_the_key(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in GOOD
    path = written(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(CatalogError, match=re.escape(sentence)) as caught:
        load_scene(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD.replace("ur5e", "ur55").replace("[0, 0, 100]]", "[100, 100, 0]]"))
    with pytest.raises(CatalogError) as caught:
        load_scene(path)
    for words in ("robot[1]: no robot named", "body[5]: shape: hull: needs at least 4 points"):
        assert words in str(caught.value)


@pytest.mark.parametrize("odd", [None, 5, "no-such-scene", "a\0.toml", "cell.json", Path("windscreen")])
def test_what_is_not_a_scene_is_refused_with_the_reason(odd: str) -> None:
    with pytest.raises((InvalidInput, UnknownName)):
        load_scene(odd)


def test_a_mesh_beside_the_file_becomes_convex_parts(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    torus = trimesh.creation.torus(50.0, 15.0, major_sections=16, minor_sections=8)
    (tmp_path / "meshes" / "ring.stl").write_bytes(torus.export(file_type="stl"))
    text = 'schema = 1\nname = "m"\n[[body]]\nname = "ring"\nkind = "mesh"\nfile = "meshes/ring.stl"\nparts = 8\n'
    body = load_scene(written(tmp_path, text)).body("ring")
    assert 2 < len(body.shapes) <= 8
    as_written = torus.vertices.astype(np.float32).astype(np.float64) * 1e-3
    assert np.any([solid.contains(shape, as_written) for shape in body.shapes], axis=0).all()
    smaller = load_scene(written(tmp_path, text + "scale = 0.5\n")).body("ring")
    assert solid.inertia(smaller.shapes).mass == pytest.approx(solid.inertia(body.shapes).mass / 8, rel=1e-2)
    for name, sentence in (
        ("../ring.stl", "is outside the scene file's folder"),
        ("meshes/none.stl", "no such file"),
        ("meshes", "must end in .stl, .obj"),
    ):
        with pytest.raises(CatalogError, match=sentence):
            load_scene(written(tmp_path, text.replace("meshes/ring.stl", name)))


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.stl").write_bytes(trimesh.creation.box().export(file_type="stl"))
    folder = tmp_path / "scenes"
    folder.mkdir()
    (folder / "way.stl").symlink_to(tmp_path / "secret.stl")
    text = 'schema = 1\nname = "m"\n[[body]]\nname = "x"\nkind = "mesh"\nfile = "way.stl"\n'
    with refused("file_outside", CatalogError):
        load_scene(written(folder, text))


def test_an_arm_and_a_tool_may_be_files_beside_the_scene(tmp_path: Path) -> None:
    catalog = Path(armlab.catalog.__file__).parent
    for kind, name in (("arms", "planar3"), ("tools", "pen")):
        text = (catalog / kind / f"{name}.toml").read_text(encoding="utf-8")
        (tmp_path / f"my-{name}.toml").write_text(
            text.replace(f'name = "{name}"', f'name = "my-{name}"', 1), encoding="utf-8"
        )
    text = 'schema = 1\nname = "m"\n[[robot]]\narm = "my-planar3.toml"\ntool = "my-pen.toml"\n'
    scene = load_scene(written(tmp_path, text))
    assert scene.robot().name == "my-planar3"
    write_scene(scene, tmp_path / "again.toml")
    assert_same(scene, load_scene(tmp_path / "again.toml"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with refused("robot_not_in_catalog", NotSupported):
        write_scene(scene, elsewhere / "again.toml")
