"""Mesh files against another reader, and meshes cut into convex parts that leave nothing outside."""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from refusals import refused

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.formats import mesh_parts, meshes
from armlab.formats.decompose import decompose
from armlab.formats.meshes import TriangleMesh, as_mesh, read_mesh
from armlab.formats.urdf import urdf_text
from armlab.geometry import pose, solid
from armlab.geometry.shape import Shape
from armlab.model.robot import Robot

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "urdf"
L_OUTLINE = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)]
U_OUTLINE = [(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)]
L_TRIANGLES = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
U_TRIANGLES = [(0, 1, 4), (1, 2, 4), (2, 3, 4), (0, 4, 5), (0, 5, 7), (5, 6, 7)]


def prism(outline: list[tuple[int, int]], triangles: list[tuple[int, int, int]], T: Floats) -> TriangleMesh:
    """Return an outline pulled up by 0.5, turned and shifted by T."""
    n, flat = len(outline), np.array(outline, dtype=np.float64)
    points = np.concatenate([np.column_stack([flat, np.full(n, z)]) for z in (0.0, 0.5)])
    faces = [(a, c, b) for a, b, c in triangles] + [(a + n, b + n, c + n) for a, b, c in triangles]
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, j, j + n), (i, j + n, i + n)]
    return as_mesh(pose.transform(T, points), np.array(faces))


def share_inside(shapes: tuple[Shape, ...], mesh: TriangleMesh, seed: int = 1) -> float:
    """Return the share of vertices and random surface points that are in any of the shapes."""
    rng = np.random.default_rng(seed)
    chosen = mesh.vertices[mesh.faces[rng.integers(0, len(mesh.faces), 3000)]]
    on_surface = np.einsum("ic,icj->ij", rng.dirichlet(np.ones(3), 3000), chosen)
    points = np.concatenate([mesh.vertices, on_surface])
    return float(np.any([solid.contains(shape, points) for shape in shapes], axis=0).mean())


def total_volume(shapes: tuple[Shape, ...]) -> float:
    return sum(solid.volume(shape) for shape in shapes)


PLACES = (np.eye(4), pose.from_xyz_rpy([5, -2, 1], [0.3, -0.8, 1.9]))


@pytest.mark.parametrize("T", PLACES)
def test_an_l_becomes_two_parts_that_are_it(T: Floats) -> None:
    mesh = prism(L_OUTLINE, L_TRIANGLES, T)
    shapes = decompose(mesh.vertices, mesh.faces, parts=2)
    assert len(shapes) == 2
    assert total_volume(shapes) == pytest.approx(2.5, rel=1e-6)
    assert share_inside(shapes, mesh) == 1.0


@pytest.mark.parametrize("T", PLACES)
def test_a_u_becomes_three_parts_that_are_it_even_where_sixteen_are_allowed(T: Floats) -> None:
    mesh = prism(U_OUTLINE, U_TRIANGLES, T)
    for parts in (3, 16):
        shapes = decompose(mesh.vertices, mesh.faces, parts=parts)
        assert len(shapes) == 3
        assert total_volume(shapes) == pytest.approx(3.5, rel=1e-6)
        assert share_inside(shapes, mesh) == 1.0


@pytest.mark.parametrize("kind", ["torus", "ring", "two balls"])
def test_parts_contain_the_whole_mesh_and_waste_little(kind: str) -> None:
    if kind == "torus":
        made, waste = trimesh.creation.torus(1.0, 0.25, major_sections=24, minor_sections=12), 1.25
    elif kind == "ring":
        made, waste = trimesh.creation.annulus(0.5, 1.0, 0.2, sections=32), 1.15
    else:
        balls = [trimesh.creation.icosphere(2).apply_translation([x, 0, 0]) for x in (0.0, 3.0)]
        made, waste = trimesh.util.concatenate(balls), 1.08
    mesh = as_mesh(made.vertices, made.faces)
    shapes = decompose(mesh.vertices, mesh.faces)
    assert share_inside(shapes, mesh) == 1.0
    assert made.volume <= total_volume(shapes) <= waste * made.volume
    assert total_volume(shapes) < made.convex_hull.volume


def test_a_convex_mesh_stays_one_part_and_one_part_is_the_hull() -> None:
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    (whole,) = decompose(box.vertices, box.faces)
    assert solid.volume(whole) == pytest.approx(6.0)
    mesh = prism(L_OUTLINE, L_TRIANGLES, np.eye(4))
    (hull,) = decompose(mesh.vertices, mesh.faces, parts=1)
    assert solid.volume(hull) == pytest.approx(3.5)


def test_a_sheet_and_an_open_box_are_contained_too() -> None:
    sheet = as_mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.array([[0, 1, 2], [0, 2, 3]]))
    shapes = decompose(sheet.vertices, sheet.faces)
    assert share_inside(shapes, sheet) == 1.0
    assert total_volume(shapes) < 1e-3
    box = trimesh.creation.box((1.0, 1.0, 1.0))
    open_box = as_mesh(box.vertices, box.faces[box.face_normals[:, 2] < 0.5])
    shapes = decompose(open_box.vertices, open_box.faces)
    assert share_inside(shapes, open_box) == 1.0


def test_a_ball_of_many_triangles_gets_few_corners() -> None:
    ball = trimesh.creation.icosphere(4)
    (shape,) = decompose(ball.vertices, ball.faces)
    assert len(shape.hull.points) <= 160
    assert solid.contains(shape, np.asarray(ball.vertices)).all()
    assert solid.volume(shape) < 1.06 * ball.volume


@pytest.mark.parametrize("parts", [0, -1, 257, 2.5, "many"])
def test_a_number_of_parts_that_cannot_be_is_refused(parts: int) -> None:
    with refused("part_count", InvalidInput, most=256):
        decompose(np.eye(3), np.array([[0, 1, 2]]), parts=parts)


@pytest.fixture
def torus() -> trimesh.Trimesh:
    return trimesh.creation.torus(1.0, 0.25, major_sections=12, minor_sections=8)


@pytest.mark.parametrize("kind", ["binary stl", "text stl", "obj"])
def test_a_file_of_another_program_is_read_as_it_is(torus: trimesh.Trimesh, kind: str, tmp_path: Path) -> None:
    path = tmp_path / ("mesh.obj" if kind == "obj" else "mesh.STL")
    if kind == "text stl":
        path.write_text(trimesh.exchange.stl.export_stl_ascii(torus), encoding="utf-8")
    else:
        path.write_bytes(
            torus.export(file_type=path.suffix[1:].lower()).encode() if kind == "obj" else torus.export(file_type="stl")
        )
    mesh = read_mesh(path, scale=0.001)
    found = trimesh.Trimesh(mesh.vertices, mesh.faces)
    assert len(mesh.faces) == len(torus.faces)
    assert len(mesh.vertices) == len(torus.vertices)
    assert found.is_watertight
    assert found.volume == pytest.approx(torus.volume * 1e-9, rel=1e-5)


def test_an_obj_may_have_polygons_negative_indices_textures_and_comments(tmp_path: Path) -> None:
    path = tmp_path / "square.obj"
    path.write_text(
        "# a square\no s\nv 0 0 0\nv 1 0 0\nv 1 1 0 1.0\nv 0 1 0\nvt 0 0\nf 1/1 2/1/1 3//1 -1\n", encoding="utf-8"
    )
    mesh = read_mesh(path)
    assert len(mesh.faces) == 2
    assert np.ptp(mesh.vertices, axis=0).tolist() == [1.0, 1.0, 0.0]


def test_a_binary_file_that_starts_with_solid_is_binary(tmp_path: Path) -> None:
    path = tmp_path / "a.stl"
    triangle = struct.pack("<12fH", 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0)
    path.write_bytes(b"solid trap".ljust(80) + struct.pack("<I", 1) + triangle)
    assert len(read_mesh(path).faces) == 1


def _stl(count: int, *numbers: float) -> bytes:
    return bytes(80) + struct.pack("<I", count) + b"".join(struct.pack("<f", n) for n in numbers) + b"\0\0"


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.stl", b"", "not an STL file: too short"),
        ("a.stl", b"\0" * 90, "not a complete STL file: 0 triangles need 84 bytes, got 90"),
        ("a.stl", _stl(2, *[0.0] * 12), "2 triangles need 184 bytes, got 134"),
        ("a.stl", b"\0" * 84, "no triangles"),
        ("a.stl", _stl(1, *[0.0] * 12), "none of its triangles has an area"),
        ("a.stl", _stl(1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, math.nan, 0), "is not a finite number"),
        ("a.stl", _stl(1, 0, 0, 1, 0, 0, 0, 1e9, 0, 0, 0, 1, 0), "is it in another unit"),
        ("a.stl", b"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", "its end is missing"),
        ("a.stl", b"solid x\nvertex 0 0 0\nendsolid x", "1 vertices are not three for each triangle"),
        ("a.stl", b"solid x\nendsolid x", "no triangles"),
        ("a.stl", b"solid x\n" + b"vertex 0 a 0\n" * 3 + b"endsolid x", "a line 'vertex' does not have three numbers"),
        ("a.obj", b"v 0 0 0\n", "no triangles"),
        ("a.obj", b"v 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "a line 'v' does not have three numbers"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nf 1 2\n", "a face has 2 corners; 3 to 1000 are allowed"),
        ("a.obj", b"v 0 0 0\nf 1 2 3\n", "refers to a vertex outside 0 … 0"),
        ("a.obj", b"v 0 0 0\nf 1 1 -2\n", "a face refers to vertex -2 of 1"),
        ("a.obj", b"v 0 0 0\nf 1 1 x/2\n", "a face has the corner 'x/2', which is not a whole number"),
        ("a.obj", b"\xff\xfe" * 100, "no triangles"),
        ("a.fbx", b"", "the file name must end in .stl, .obj"),
        ("a.dae", b"", "the file is empty"),
    ],
)
def test_a_broken_file_gets_one_sentence(name: str, data: bytes, sentence: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InvalidInput) as caught:
        read_mesh(tmp_path / name)
    assert sentence in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / name))
    assert "\n" not in str(caught.value)


def test_a_file_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_parts, "MAX_TRIANGLES", 2)
    path = tmp_path / "a.stl"
    path.write_bytes(_stl(3, *[0.0] * 12).ljust(84 + 150, b"\0"))
    with refused("mesh_too_many_triangles", InvalidInput, most=2):
        read_mesh(path)
    monkeypatch.setattr(meshes, "MAX_BYTES", 100)
    with refused("file_too_large", InvalidInput):
        read_mesh(path)


@pytest.mark.parametrize("scale", [0.0, -1.0, math.nan, math.inf])
def test_a_scale_that_cannot_be_is_refused(scale: float, tmp_path: Path) -> None:
    with refused("mesh_scale", InvalidInput):
        read_mesh(tmp_path / "a.stl", scale=scale)


@pytest.mark.parametrize(
    ("faces", "sentence"),
    [
        (np.array([[0, 1, 3]]), "refers to a vertex outside 0 … 2"),
        (np.array([[0, 1, -1]]), "refers to a vertex outside 0 … 2"),
        (np.zeros((0, 3), dtype=np.int64), "no triangles"),
        (np.array([[0.0, 1.0, 2.0]]), "faces must be rows of three indices"),
        (np.array([0, 1, 2]), "faces must be rows of three indices"),
    ],
)
def test_arrays_that_are_no_mesh_are_refused(faces: Floats, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        as_mesh(np.eye(3), faces)


def test_a_hull_on_a_link_is_written_to_urdf_as_the_box_round_it(robot: Robot) -> None:
    hull = Shape("hull", (), pose.from_xyz([0, 0, 1]), points=[[1, 0, 0], [3, 0, 0], [1, 4, 0], [1, 0, 6]])  # type: ignore[arg-type]
    links = (*robot.links[:-1], replace(robot.links[-1], shapes=(hull,)))
    text = urdf_text(replace(robot, links=links, configurations={}))
    assert '<box size="2.0 4.0 6.0"/>' in text
    assert 'xyz="2.0 2.0 4.0"' in text


@pytest.mark.skipif(not REAL.is_dir(), reason="the real meshes are not there")
def test_a_real_link_is_contained_in_its_parts_and_they_are_smaller_than_its_hull() -> None:
    mesh = read_mesh(REAL / "abb_irb120_3_58/abb_irb120_support/meshes/irb120_3_58/visual/link_2.stl")
    shapes = decompose(mesh.vertices, mesh.faces, parts=6)
    assert share_inside(shapes, mesh) == 1.0
    (hull,) = decompose(mesh.vertices, mesh.faces, parts=1)
    assert total_volume(shapes) < 0.6 * solid.volume(hull)
