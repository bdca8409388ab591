"""Scene files: wrong ones name file and key, right ones come back as they were written, ours can be worked in."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import trimesh
from scipy.optimize import linprog

import armlab
from armlab.arrays import Floats
from armlab.catalog.scene_text import scene_text
from armlab.catalog.scenes import load_scene, scene_names, write_scene
from armlab.errors import CatalogError, InvalidInput, NotSupported, UnknownName
from armlab.importing.glb import scene_glb
from armlab.model import pose, solid
from armlab.model.scene import Body, PlacedRobot, Scene
from armlab.model.shape import Shape

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


def _write(folder: Path, text: str) -> Path:
    path = folder / "cell.toml"
    path.write_text(text, encoding="utf-8")
    return path


def _same(one: Scene, other: Scene) -> None:
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


def test_millimetres_and_degrees_become_metres_and_radians(tmp_path: Path) -> None:
    scene = load_scene(_write(tmp_path, GOOD))
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
    body = load_scene(_write(tmp_path, GOOD)).body(name)
    corners = np.concatenate([solid.hull_points(shape) for shape in body.shapes])
    assert corners[:, 2].min() == pytest.approx(0.0, abs=1e-12)
    assert corners[:, 2].max() == pytest.approx(height)
    np.testing.assert_allclose((corners.min(axis=0) + corners.max(axis=0))[:2], 0.0, atol=1e-12)
    middle = np.array([[0.0, 0.0, height / 2]])
    assert not any(solid.contains(shape, middle)[0] for shape in body.shapes) or name == "belt"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("schema = 1", "schema = 2", "schema: input should be 1, got 2"),
        ('name = "cell"', 'name = "My Cell"', "name: 'My Cell' does not match"),
        ("gravity = [0, 0, -1.62]", "gravity = [0, 0, nan]", "gravity[3]"),
        ("gravity = [0, 0, -1.62]", "wind = 3", "wind: unknown key"),
        ('arm = "ur5e"', 'arm = "ur55"', "robot[1]: no robot named 'ur55'; near: ur5e"),
        ('arm = "ur5e"', 'arm = "mine.toml"', "there is no such file"),
        ('arm = "ur5e"', 'arm = "../mine.toml"', "robot[1]: file '../mine.toml': is outside the scene file's folder"),
        ('arm = "ur5e"', 'arm = "/etc/passwd.toml"', "give a path from the scene file's folder"),
        ('tool = "gripper"', 'tool = "hand"', "robot[1]: no tool named 'hand'"),
        ("q = [0, -90, 90, 0, 90, 0]", "q = [0, -90]", "robot[1]: q has 2 values, but 'ur5e' has 6 joints"),
        ("q = [0, -90, 90, 0, 90, 0]", "q = [0, -90, 990, 0, 90, 0]", "joint 'elbow' starts at"),
        ("q = [0, -90, 90, 0, 90, 0]", 'pose = "sleeping"', "robot[1]: no pose of ur5e named 'sleeping'"),
        ("q = [0, -90, 90, 0, 90, 0]", 'q = [0]\npose = "home"', "robot[1]: give either q or pose, not both"),
        ("mass = 2.0", "mass = -2.0", "body[1].mass: input should be greater than 0, got -2.0"),
        ("mass = 2.0", "mass = nan", "body[1].mass"),
        ("mass = 2.0", "inertia = [1, 1, 1, 0, 0, 0]", "body[1]: com and inertia need a mass"),
        (
            "mass = 2.0",
            "mass = 2.0\ninertia = [1, 1, 9, 0, 0, 0]",
            "body[1]: inertia: no body has the principal moments",
        ),
        ("mass = 2.0", "mass = 2.0\ncom = [1, 0, 0]", "body[1]: com: a centre of mass needs an inertia about it"),
        ("mass = 2.0", "mass = 2.0\nbelt = [1, 0, 0]", "body[1]: a loose body has no belt"),
        ("size = [40, 50, 60]", "size = [40, 0, 60]", "body[1]: size [40, 0, 60] is not above zero"),
        ("size = [40, 50, 60]", "size = [40, 50]", "body[1]: size of a box has 3 to 4 numbers, got 2"),
        ("size = [40, 50, 60]", "", "body[1]: a box needs size"),
        ("size = [40, 50, 60]", "size = [40, 50, 60]\nspeed = 3", "body[1]: a box has no speed"),
        ("friction = 0.5", "friction = -1", "body[1].friction: input should be greater than or equal to 0"),
        ('colour = "#ff0000"', 'colour = "red"', "body[1].colour: 'red' does not match"),
        ('kind = "box"', 'kind = "egg"', "body[1].kind"),
        ('kind = "box"', 'kind = "mesh"', "body[1]: a mesh needs file; a mesh has no size"),
        ('name = "cube"', 'name = "arm"', "two things are named 'arm'"),
        ('name = "tray"', 'name = "cube"', "two things are named 'cube'"),
        ("size = [800, 600, 700]", "size = [800, 600, 700]\nmass = 3.0", "body[2]: a table is fixed and has no mass"),
        (
            "size = [800, 600, 700]",
            "size = [800, 600, 20]",
            "body[2]: size: a top of 30 mm and legs of 60 mm do not fit",
        ),
        ("size = [300, 200, 100]", "size = [300, 200, 100, 100]", "body[4]: size: walls of 100 mm do not fit"),
        ("speed = 250", "speed = 250\nbelt = [1, 0, 0]", "body[3]: give either speed or belt, not both"),
        ("[0, 0, 100]]", "[100, 100, 0]]", "body[5]: shape: hull: 4 points that lie in one plane"),
    ],
)
def test_each_mistake_names_the_file_and_the_key(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in GOOD
    path = _write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(CatalogError, match=re.escape(sentence)) as caught:
        load_scene(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    path = _write(tmp_path, GOOD.replace("ur5e", "ur55").replace("[0, 0, 100]]", "[100, 100, 0]]"))
    with pytest.raises(CatalogError) as caught:
        load_scene(path)
    for words in ("robot[1]: no robot named", "body[5]: shape: hull: 4 points"):
        assert words in str(caught.value)


@pytest.mark.parametrize("odd", [None, 5, "no-such-scene", "a\0.toml", "cell.json", Path("windscreen")])
def test_what_is_no_scene_is_refused_with_a_sentence(odd: str) -> None:
    with pytest.raises((InvalidInput, UnknownName)):
        load_scene(odd)


def test_a_mesh_beside_the_file_becomes_convex_parts(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    torus = trimesh.creation.torus(50.0, 15.0, major_sections=16, minor_sections=8)
    (tmp_path / "meshes" / "ring.stl").write_bytes(torus.export(file_type="stl"))
    text = 'schema = 1\nname = "m"\n[[body]]\nname = "ring"\nkind = "mesh"\nfile = "meshes/ring.stl"\nparts = 8\n'
    body = load_scene(_write(tmp_path, text)).body("ring")
    assert 2 < len(body.shapes) <= 8
    assert np.any([solid.contains(shape, torus.vertices * 1e-3) for shape in body.shapes], axis=0).all()
    smaller = load_scene(_write(tmp_path, text + "scale = 0.5\n")).body("ring")
    assert solid.inertia(smaller.shapes).mass == pytest.approx(solid.inertia(body.shapes).mass / 8, rel=1e-2)
    for name, sentence in (
        ("../ring.stl", "is outside the scene file's folder"),
        ("meshes/none.stl", "there is no such file"),
        ("meshes", "is no mesh file"),
    ):
        with pytest.raises(CatalogError, match=sentence):
            load_scene(_write(tmp_path, text.replace("meshes/ring.stl", name)))


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.stl").write_bytes(trimesh.creation.box().export(file_type="stl"))
    folder = tmp_path / "scenes"
    folder.mkdir()
    (folder / "way.stl").symlink_to(tmp_path / "secret.stl")
    text = 'schema = 1\nname = "m"\n[[body]]\nname = "x"\nkind = "mesh"\nfile = "way.stl"\n'
    with pytest.raises(CatalogError, match="is outside the scene file's folder"):
        load_scene(_write(folder, text))


def test_an_arm_and_a_tool_may_be_files_beside_the_scene(tmp_path: Path) -> None:
    catalog = Path(armlab.catalog.__file__).parent
    for kind, name in (("arms", "planar3"), ("tools", "pen")):
        text = (catalog / kind / f"{name}.toml").read_text(encoding="utf-8")
        (tmp_path / f"my-{name}.toml").write_text(
            text.replace(f'name = "{name}"', f'name = "my-{name}"', 1), encoding="utf-8"
        )
    text = 'schema = 1\nname = "m"\n[[robot]]\narm = "my-planar3.toml"\ntool = "my-pen.toml"\n'
    scene = load_scene(_write(tmp_path, text))
    assert scene.robot().name == "my-planar3"
    write_scene(scene, tmp_path / "again.toml")
    _same(scene, load_scene(tmp_path / "again.toml"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with pytest.raises(NotSupported, match=r"a scene file names its arms and tools, but .* there is no such file"):
        write_scene(scene, elsewhere / "again.toml")


def test_what_is_written_loads_to_the_same_scene(tmp_path: Path) -> None:
    scene = load_scene(_write(tmp_path, GOOD))
    write_scene(scene, tmp_path / "again.toml")
    again = load_scene(tmp_path / "again.toml")
    _same(scene, again)
    assert scene_text(again) == scene_text(scene)


@pytest.mark.parametrize("name", scene_names())
def test_our_scenes_can_be_written_and_read_again(name: str, tmp_path: Path) -> None:
    scene = load_scene(name)
    write_scene(scene, tmp_path / "again.toml")
    _same(scene, load_scene(tmp_path / "again.toml"))


def test_what_cannot_be_written_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    scene = load_scene(_write(tmp_path, GOOD))
    path = tmp_path / "again.toml"
    cube = scene.body("cube")
    placed = scene.robot()
    other = replace(placed, robot=replace(placed.robot, flange=pose.from_xyz([0, 0, 1]), poses={}))
    rng = np.random.default_rng(1)
    ball = rng.normal(size=(3000, 3))
    heavy = Body("ball", (Shape("hull", (), np.eye(4), points=ball / np.linalg.norm(ball, axis=1, keepdims=True)),))
    refused: list[tuple[Scene, type[Exception], str]] = [
        (replace(scene, notes="two\nlines"), InvalidInput, "cannot be printed"),
        (replace(scene, name="My Cell"), InvalidInput, "does not match"),
        (replace(scene, bodies=(replace(cube, mass=1e9),)), InvalidInput, "mass"),
        (replace(scene, robots=(other,)), NotSupported, "it is not the arm that a file finds as 'ur5e'"),
        (replace(scene, bodies=(heavy, replace(heavy, name="b"))), InvalidInput, "is above the"),
    ]
    for wrong, error, sentence in refused:
        with pytest.raises(error, match=sentence):
            write_scene(wrong, path)
    with pytest.raises(InvalidInput, match=r"the name of a scene file ends in \.toml"):
        write_scene(scene, tmp_path / "again.json")
    assert not path.exists()


def test_a_bodys_own_inertia_is_kept(tmp_path: Path) -> None:
    text = GOOD.replace("mass = 2.0", "mass = 2.0\ncom = [1, 2, 3]\ninertia = [0.1, 0.2, 0.25, 0.01, 0, 0]")
    scene = load_scene(_write(tmp_path, text))
    np.testing.assert_allclose(scene.body("cube").inertia.com, [0.001, 0.002, 0.003])
    write_scene(scene, tmp_path / "again.toml")
    _same(scene, load_scene(tmp_path / "again.toml"))


def test_another_reader_finds_a_node_for_every_body(tmp_path: Path) -> None:
    scene = load_scene(_write(tmp_path, GOOD))
    found = trimesh.load_scene(trimesh.util.wrap_as_stream(scene_glb(scene)), file_type="glb")
    assert {body.name for body in scene.bodies} <= set(found.graph.nodes)


def test_the_scene_file_of_the_docs_loads(tmp_path: Path) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "scenes.md"
    found = re.search(r"^```toml\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert found is not None
    scene = load_scene(_write(tmp_path, found[1]))
    assert [body.name for body in scene.bodies if not body.is_fixed] == ["cube", "bracket"]


# the scenes that come with armlab


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
        if not body.is_fixed:
            mine = [points - [0, 0, 0.001] for owner, points in solids if owner == body.name]
            others = [points for owner, points in solids if owner != body.name]
            assert any(_gap(a, b) < 1e-6 for a in mine for b in others), f"{body.name} hangs in the air"


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


def test_there_are_four_scenes() -> None:
    assert scene_names() == ("palletising", "s5-rig", "sorting-table", "windscreen")
