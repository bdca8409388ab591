"""Convex hulls against another program's, and against the laws of convex solids."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from scipy.spatial import ConvexHull

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import hull, pose

CLOUDS = ("ball", "sphere", "cube", "grid", "cylinder", "plate", "needle")


def cloud(kind: str, count: int, seed: int) -> Floats:
    """Return points that fill, cover, or lie on a lattice."""
    rng = np.random.default_rng(seed)
    points: Floats = rng.normal(size=(count, 3))
    match kind:
        case "sphere":
            points /= np.linalg.norm(points, axis=1, keepdims=True)
        case "cube":
            points = rng.uniform(-1.0, 1.0, (count, 3))
        case "grid":
            points = rng.integers(0, 5, (count, 3)).astype(np.float64)
        case "cylinder":
            turns = np.arange(count) // 2 * 4.0 * math.pi / count
            points = np.stack([np.cos(turns), np.sin(turns), np.arange(count) % 2.0], axis=1)
        case "plate":
            points *= [1.0, 1.0, 1e-4]
        case "needle":
            points *= [1.0, 1e-4, 1e-4]
    return points


def directed_edges(found: hull.Hull) -> Counter[tuple[int, int]]:
    return Counter((int(face[i]), int(face[(i + 1) % 3])) for face in found.faces for i in range(3))


@pytest.mark.parametrize("kind", CLOUDS)
@pytest.mark.parametrize("count", [12, 120, 1000])
def test_volume_and_corners_are_those_of_another_program(kind: str, count: int) -> None:
    points = cloud(kind, count, seed=count)
    found, other = hull.convex_hull(points), ConvexHull(points)
    assert hull.moments(found)[0] == pytest.approx(other.volume, rel=1e-7)
    mine = {tuple(point) for point in found.points}
    assert {tuple(point) for point in points[other.vertices]} <= mine
    if kind in {"ball", "sphere", "cube", "cylinder"}:
        assert len(found.points) == len(other.vertices)


@given(seed=st.integers(0, 2**31), kind=st.sampled_from(CLOUDS), count=st.integers(5, 80))
def test_the_surface_is_closed_and_has_all_points_on_one_side(seed: int, kind: str, count: int) -> None:
    points = cloud(kind, count, seed)
    found = hull.attempt_hull(points)
    if found is None:
        assert kind == "grid"  # a few points of a lattice can lie in one plane
        return
    edges = directed_edges(found)
    assert all(count == 1 for count in edges.values())
    assert all((b, a) in edges for a, b in edges)
    assert len(found.points) - len(edges) // 2 + len(found.faces) == 2  # Euler
    assert hull.contains(found, points).all()
    normals, offsets = hull.planes(found)
    assert (normals @ points.mean(axis=0) < offsets + 1e-9).all()


@given(seed=st.integers(0, 2**31))
def test_points_that_are_twice_there_in_a_plane_or_inside_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], dtype=np.float64)
    on_faces = rng.uniform(size=(40, 3)) * [1, 2, 3]
    axis = rng.integers(0, 3, 40)
    on_faces[np.arange(40), axis] = np.array([1.0, 2.0, 3.0])[axis] * rng.integers(0, 2, 40)
    inside = rng.uniform(0.1, 0.9, (40, 3)) * [1, 2, 3]
    found = hull.convex_hull(rng.permutation(np.concatenate([corners, corners, on_faces, inside])))
    assert hull.moments(found)[0] == pytest.approx(6.0, rel=1e-9)
    assert {tuple(point) for point in corners} <= {tuple(point) for point in found.points}


@given(seed=st.integers(0, 2**31))
def test_a_hull_moves_with_its_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(30, 3))
    T = pose.from_xyz_rpy(rng.normal(size=3) * 3, rng.uniform(-3, 3, 3))
    here, there = hull.moments(hull.convex_hull(points)), hull.moments(hull.convex_hull(pose.transform(T, points)))
    assert there[0] == pytest.approx(here[0], rel=1e-7)
    np.testing.assert_allclose(there[1] / there[0], pose.transform(T, here[1] / here[0]), atol=1e-6)


def test_the_moments_of_a_tetrahedron_are_those_of_the_formula() -> None:
    volume, first, second = hull.moments(hull.convex_hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]))
    assert volume == pytest.approx(1 / 6)
    np.testing.assert_allclose(first, 1 / 24)
    np.testing.assert_allclose(second, np.full((3, 3), 1 / 120) + np.eye(3) / 120)


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "needs at least 4 points that are not in one plane"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.5, 0.5, 0]], "not in one plane"),
        ([[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 3]], "not in one plane"),
        ([[1, 2, 3]] * 10, "not in one plane"),
        ([], "expected shape"),
        ([[0, 0], [1, 1]], "expected shape"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, math.nan]], "is not a finite number"),
    ],
)
def test_points_without_an_inside_are_refused_in_a_sentence(points: list[list[float]], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        hull.convex_hull(points)


def test_too_many_points_are_refused() -> None:
    with refused("too_many_points", InvalidInput, most=1000000):
        hull.convex_hull(np.zeros((hull.MAX_POINTS + 1, 3)))


@pytest.mark.parametrize("kind", ["sphere", "ball", "cylinder", "plate"])
def test_an_outer_hull_has_fewer_corners_contains_the_hull_and_is_little_larger(kind: str) -> None:
    inner = hull.convex_hull(cloud(kind, 2000, seed=5))
    outer = hull.outer_hull(inner, 100)
    assert len(outer.points) <= 100
    assert hull.contains(outer, inner.points).all()
    share = hull.moments(outer)[0] / hull.moments(inner)[0]
    assert 1.0 - 1e-9 <= share < 1.12


def test_a_hull_with_few_corners_is_its_own_outer_hull() -> None:
    inner = hull.convex_hull(cloud("cube", 30, seed=1))
    assert hull.outer_hull(inner, 100) is inner


@pytest.mark.parametrize("seed", range(64, 134))
def test_an_arc_that_one_point_sees_all_of_has_a_hull(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turns = rng.permutation(np.linspace(0.1, 1.4, 24))
    arc = np.stack([np.zeros(24), 1.38 + 0.05 * np.sin(turns), 0.02 + 0.055 * np.cos(turns)], axis=1)
    far = rng.uniform([0.0, 0.0, 0.0], [2.7, 1.4, 0.1], (4, 3))
    points = np.concatenate([far[:1], arc, far[1:], [[0.0, 1.4318, 0.0]]])
    assert hull.moments(hull.convex_hull(points))[0] == pytest.approx(ConvexHull(points).volume, rel=1e-6)


@pytest.mark.parametrize("thickness", [1e-3, 1e-5, 1e-6])
def test_the_outer_hull_of_a_thin_plate_with_a_round_edge_contains_it(thickness: float) -> None:
    turns = np.linspace(0.0, 2.0 * math.pi, 400, endpoint=False)
    rim = np.stack([np.cos(turns), np.sin(turns), np.zeros(400)], axis=1)
    R = pose.from_xyz_rpy([0, 0, 0], [0.4, 0.7, 0.0])[:3, :3]
    inner = hull.convex_hull(np.concatenate([rim, rim + np.array([0.0, 0.0, thickness])]) @ R.T)
    outer = hull.outer_hull(inner, 100)
    assert hull.contains(outer, inner.points).all()
