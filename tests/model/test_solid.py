"""Solids against geometry: closed surfaces, exact volumes and inertias, the inside and the outside."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose, solid
from armlab.geometry.shape import LinkSkin, Shape
from strategies import poses

lengths = st.floats(0.01, 2.0)
edges = st.one_of(st.just(0.0), st.floats(0.001, 0.5))
shifts = st.floats(-1.0, 1.0)


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    kind = draw(st.sampled_from(("box", "cylinder", "sphere", "loft", "hull")))
    T = draw(poses())
    if kind == "hull":
        rng = np.random.default_rng(draw(st.integers(0, 2**31)))
        return Shape("hull", (), T, points=rng.normal(size=(draw(st.integers(4, 40)), 3)) * rng.uniform(0.2, 1.0, 3))
    if kind == "box":
        return Shape("box", (draw(lengths), draw(lengths), draw(lengths), draw(edges)), T)
    if kind == "cylinder":
        return Shape("cylinder", (draw(lengths), draw(lengths), draw(edges)), T)
    if kind == "sphere":
        return Shape("sphere", (draw(lengths),), T)
    size = (*(draw(lengths) for _ in range(5)), draw(edges), draw(edges), draw(edges), draw(shifts), draw(shifts))
    return Shape("loft", size, T)


def face_normals(mesh: solid.Mesh) -> Floats:
    """Return the normals of the triangles, as long as twice their areas."""
    a, b, c = (mesh.vertices[mesh.faces[:, i]] for i in range(3))
    return np.asarray(np.cross(b - a, c - a))


def mesh_volume(mesh: solid.Mesh) -> float:
    return float(np.einsum("ij,ij->", mesh.vertices[mesh.faces[:, 0]], face_normals(mesh)) / 6.0)


def merged_edges(mesh: solid.Mesh) -> Counter[tuple[int, int]]:
    """Return how often each directed edge occurs once vertices at the same place are one."""
    _, index = np.unique(mesh.vertices.round(9), axis=0, return_inverse=True)
    faces = index.reshape(-1)[mesh.faces]
    return Counter((int(f[i]), int(f[(i + 1) % 3])) for f in faces for i in range(3))


@given(shape=shapes())
def test_every_edge_of_a_mesh_is_shared_by_two_faces_that_run_along_it_in_opposite_directions(shape: Shape) -> None:
    edges_of_mesh = merged_edges(solid.mesh(shape))
    assert all(count == 1 for count in edges_of_mesh.values())
    assert all((b, a) in edges_of_mesh for a, b in edges_of_mesh)


@given(shape=shapes())
def test_a_mesh_is_convex_and_looks_outwards(shape: Shape) -> None:
    mesh = solid.mesh(shape, 4)
    normals = face_normals(mesh)
    areas = np.linalg.norm(normals, axis=1)
    large = areas > 1e-8 * areas.max()
    unit = normals[large] / areas[large, None]
    offsets = np.einsum("ij,ij->i", unit, mesh.vertices[mesh.faces[large, 0]])
    assert (mesh.vertices @ unit.T - offsets).max() < 1e-9
    centre = mesh.vertices.mean(axis=0)
    assert (unit @ centre < offsets).all()


@given(shape=shapes())
def test_the_mesh_holds_a_little_more_than_the_solid_and_less_so_the_finer_it_is(shape: Shape) -> None:
    exact = solid.volume(shape)
    coarse, fine = mesh_volume(solid.mesh(shape, 4)), mesh_volume(solid.mesh(shape, 24))
    assert exact - 1e-12 <= fine <= coarse + 1e-12
    assert fine <= exact * (1.0 + 3e-3)


@given(shape=shapes())
def test_normals_are_unit_vectors_on_the_outside_of_their_faces(shape: Shape) -> None:
    mesh = solid.mesh(shape)
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-12)
    faces = face_normals(mesh)
    large = np.linalg.norm(faces, axis=1) > 1e-8 * np.linalg.norm(faces, axis=1).max()
    for corner in range(3):
        assert (np.einsum("ij,ij->i", faces[large], mesh.normals[mesh.faces[large, corner]]) > -1e-12).all()


def test_volumes_are_those_of_the_formulas() -> None:
    T = pose.from_xyz([1.0, 2.0, 3.0])
    assert solid.volume(Shape("box", (0.1, 0.2, 0.3), T)) == pytest.approx(0.006, rel=1e-12)
    assert solid.volume(Shape("cylinder", (0.1, 0.3), T)) == pytest.approx(math.pi * 0.003, rel=1e-12)
    assert solid.volume(Shape("sphere", (0.2,), T)) == pytest.approx(4 / 3 * math.pi * 0.008, rel=1e-12)
    cone = math.pi * 0.4 / 3 * (0.2**2 + 0.2 * 0.1 + 0.1**2)
    assert solid.volume(Shape("loft", (0.2, 0.2, 0.1, 0.1, 0.4), T)) == pytest.approx(cone, rel=1e-12)
    sheared = Shape("loft", (0.2, 0.2, 0.1, 0.1, 0.4, 0.2, 0.1, 0.0, 0.7, -0.3), T)
    assert solid.volume(sheared) == pytest.approx(cone, rel=1e-12)


def test_inertias_are_those_of_the_formulas() -> None:
    T = np.eye(4)
    box = solid.inertia([Shape("box", (0.1, 0.2, 0.3), T)], mass=12.0)
    np.testing.assert_allclose(box.matrix, np.diag([0.04 + 0.09, 0.01 + 0.09, 0.01 + 0.04]), rtol=1e-12, atol=1e-15)
    cylinder = solid.inertia([Shape("cylinder", (0.1, 0.3), T)], mass=12.0)
    across = 12.0 * (3 * 0.01 + 0.09) / 12
    np.testing.assert_allclose(cylinder.matrix, np.diag([across, across, 0.06]), rtol=1e-12, atol=1e-15)
    sphere = solid.inertia([Shape("sphere", (0.1,), T)], mass=10.0)
    np.testing.assert_allclose(sphere.matrix, np.eye(3) * 0.04, rtol=1e-12)


@given(shape=shapes())
def test_the_inertia_is_that_of_the_fine_mesh(shape: Shape) -> None:
    """The tetrahedra from the origin to each triangle add up to the solid (divergence theorem)."""
    mesh = solid.mesh(shape, 40)
    corners = mesh.vertices[mesh.faces]
    six_volumes = np.linalg.det(corners)
    total = corners.sum(axis=1)
    second = np.einsum("i,ij,ik->jk", six_volumes, total, total) + np.einsum(
        "i,icj,ick->jk", six_volumes, corners, corners
    )
    second /= 120.0
    com = six_volumes @ total / 4.0 / six_volumes.sum()
    second -= six_volumes.sum() / 6.0 * np.outer(com, com)
    expected = np.trace(second) * np.eye(3) - second
    found = solid.inertia([shape], density=1.0)
    scale = float(np.abs(expected).max())
    np.testing.assert_allclose(found.com, com, atol=2e-3)
    np.testing.assert_allclose(found.matrix, expected, atol=4e-3 * scale)


@given(shape=shapes(), T_world_link=poses())
def test_mass_properties_move_with_the_solid(shape: Shape, T_world_link: Floats) -> None:
    here = solid.inertia([shape])
    moved = solid.inertia([replace(shape, T_link_shape=T_world_link @ shape.T_link_shape)])
    R = T_world_link[:3, :3]
    assert moved.mass == pytest.approx(here.mass, rel=1e-9)
    np.testing.assert_allclose(moved.com, pose.transform(T_world_link, here.com), atol=1e-9)
    scale = float(np.abs(here.matrix).max()) + here.mass * 10.0
    np.testing.assert_allclose(moved.matrix, R @ here.matrix @ R.T, atol=1e-9 * scale)


def test_two_halves_are_as_heavy_as_the_whole_and_turn_as_hard() -> None:
    whole = solid.inertia([Shape("box", (0.4, 0.1, 0.2), np.eye(4))])
    halves = solid.inertia([Shape("box", (0.2, 0.1, 0.2), pose.from_xyz([x, 0, 0])) for x in (-0.1, 0.1)])
    assert halves.mass == pytest.approx(whole.mass, rel=1e-12)
    np.testing.assert_allclose(halves.com, 0.0, atol=1e-15)
    np.testing.assert_allclose(halves.matrix, whole.matrix, rtol=1e-12, atol=1e-15)


def test_a_given_mass_without_shapes_is_a_point() -> None:
    point = solid.inertia([], mass=2.0)
    assert point.mass == 2.0
    assert not point.matrix.any()
    assert solid.inertia([]).mass == 0.0


@given(shape=shapes(), seed=st.integers(0, 2**31))
def test_mixtures_of_hull_points_are_inside_the_grown_solid_and_corners_of_the_mesh_are_not_inside_it(
    shape: Shape, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    points = solid.mesh(shape, 8).vertices
    centre = points.mean(axis=0)
    inner = centre + 0.9 * (points - centre)
    outer = centre + 1.02 * (points - centre)
    weights = rng.dirichlet(np.ones(len(inner)), 20)
    assert solid.contains(shape, weights @ inner).all()
    assert not solid.contains(shape, outer).any()


@given(shape=shapes(), seed=st.integers(0, 2**31))
def test_the_share_of_random_points_inside_is_the_share_of_the_volume(shape: Shape, seed: int) -> None:
    rng = np.random.default_rng(seed)
    corners = solid.hull_points(shape)
    low, high = corners.min(axis=0), corners.max(axis=0)
    share = solid.contains(shape, rng.uniform(low, high, (4000, 3))).mean()
    assert share == pytest.approx(solid.volume(shape) / np.prod(high - low), abs=0.05)


@given(shape=shapes())
def test_hull_points_reach_as_far_as_the_solid_in_every_direction(shape: Shape) -> None:
    hull, surface = solid.hull_points(shape), solid.mesh(shape, 24).vertices
    directions = np.random.default_rng(3).normal(size=(50, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    surplus = (hull @ directions.T).max(axis=0) - (surface @ directions.T).max(axis=0)
    assert surplus.min() > -2e-3 * float(np.ptp(hull, axis=0).max())
    assert len(hull) <= 200


@pytest.mark.parametrize(
    ("kind", "size", "sentence"),
    [
        ("box", (0.1, 0.2), "shape 'box': expected 3 to 4 sizes, got 2"),
        ("sphere", (0.1, 0.2), "shape 'sphere': expected 1 sizes, got 2"),
        ("cylinder", (0.1, 0.0), "sizes must be > 0"),
        ("loft", (0.1, 0.1, 0.1, 0.1, -1.0), "sizes must be > 0"),
        ("sphere", (math.nan,), "are not finite numbers"),
    ],
)
def test_a_shape_that_cannot_be_is_refused_in_a_sentence(kind: str, size: tuple[float, ...], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        Shape(kind, size, np.eye(4))  # type: ignore[arg-type]


def test_the_hull_of_a_box_weighs_and_turns_like_the_box() -> None:
    box = Shape("box", (0.1, 0.2, 0.3), pose.from_xyz_rpy([1, 2, 3], [0.1, 0.2, 0.3]))
    hull = Shape("hull", (), np.eye(4), points=solid.hull_points(box))
    one, other = solid.inertia([box], mass=3.0), solid.inertia([hull], mass=3.0)
    assert solid.volume(hull) == pytest.approx(solid.volume(box), rel=1e-9)
    np.testing.assert_allclose(other.com, one.com, atol=1e-9)
    np.testing.assert_allclose(other.matrix, one.matrix, atol=1e-9)


def test_a_hull_keeps_its_corners_only_and_nobody_can_change_them() -> None:
    points = np.concatenate([np.eye(3), np.zeros((1, 3)), np.full((1, 3), 0.1)])
    shape = Shape("hull", (), np.eye(4), points=points)
    assert len(shape.hull.points) == 4
    assert not shape.hull.points.flags.writeable
    assert not shape.hull.faces.flags.writeable


@pytest.mark.parametrize(
    ("kind", "size", "points", "sentence"),
    [
        ("hull", (), None, "shape 'hull' needs points"),
        ("hull", (), [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], "not in one plane"),
        ("hull", (1.0,), np.eye(3), "shape 'hull': expected 0 sizes, got 1"),
        ("box", (1.0, 1.0, 1.0), np.eye(3), "shape 'box' has sizes, not points"),
        ("egg", (1.0,), None, "kind 'egg' is not one of box"),
    ],
)
def test_a_hull_that_cannot_be_is_refused_in_a_sentence(
    kind: str, size: tuple[float, ...], points: object, sentence: str
) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        Shape(kind, size, np.eye(4), points=points)  # type: ignore[arg-type]


def test_only_a_hull_is_kept_as_a_hull() -> None:
    with refused("shape_not_a_hull", InvalidInput, kind="sphere"):
        _ = Shape("sphere", (1.0,), np.eye(4)).hull


def test_a_loft_without_corner_radii_is_as_round_as_can_be() -> None:
    assert Shape("loft", (0.1, 0.2, 0.3, 0.2, 1.0), np.eye(4)).size[5:] == (0.1, 0.2, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("wishes", "sentence"),
    [
        ({"radius": 0.0}, "radius must be > 0, got 0 m"),
        ({"depth": math.inf}, "depth must be > 0, got inf m"),
        ({"shift": math.nan}, "shift nan is not a finite number"),
        ({"body": "round"}, "body 'round' is not one of tapered, box, none"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_with_the_reason(wishes: dict[str, float], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        LinkSkin(**wishes)  # type: ignore[arg-type]
