"""Cuts of meshes by planes: areas are kept, sides are right, convex bodies waste nothing, the right plane is found."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from armlab.arrays import Floats
from armlab.geometry import hull
from armlab.kernels.collision.cuts import best_plane, bounding_planes, clip_into, empty_space_into

SPOTS = np.ascontiguousarray(np.outer(1.2207440846057596 ** -np.arange(1.0, 4.0), np.arange(1, 2001)) % 1.0)


def triangles_of(mesh: trimesh.Trimesh) -> Floats:
    return np.ascontiguousarray(mesh.vertices[mesh.faces], dtype=np.float64)


def area(triangles: Floats) -> float:
    crosses = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    return float(np.linalg.norm(crosses, axis=1).sum() / 2.0)


def waste(triangles: Floats) -> float:
    found = hull.convex_hull(triangles.reshape(-1, 3))
    planes = bounding_planes(found.points, found.faces.astype(np.int64))
    count = SPOTS.shape[1]
    return empty_space_into(triangles, planes, SPOTS, np.empty(count, dtype=np.int64), np.empty(count))


@given(seed=st.integers(0, 2**31))
def test_both_sides_of_a_plane_have_all_of_the_surface_and_nothing_of_the_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    triangles = rng.integers(-2, 3, (30, 3, 3)).astype(
        np.float64
    )  # corners in the plane, and whole triangles, are many
    normal = rng.choice([-1.0, 0.0, 1.0], 3)
    normal = normal / np.linalg.norm(normal) if normal.any() else np.array([0.0, 0.0, 1.0])
    offset = float(rng.integers(-1, 2))
    above, below = np.empty((60, 3, 3)), np.empty((60, 3, 3))
    ups, downs = clip_into(triangles, normal, offset, 1e-9, above, below)
    assert area(above[:ups]) + area(below[:downs]) == pytest.approx(area(triangles), abs=1e-9)
    assert (above[:ups] @ normal >= offset - 1e-9).all()
    assert (below[:downs] @ normal <= offset + 1e-9).all()


@pytest.mark.parametrize(
    "body", [trimesh.creation.box((1, 2, 3)), trimesh.creation.icosphere(3), trimesh.creation.cylinder(0.3, 1.0)]
)
def test_a_convex_body_wastes_nothing(body: trimesh.Trimesh) -> None:
    assert waste(triangles_of(body)) < 1e-6 * body.volume


def test_the_empty_space_in_an_annulus_is_seen_from_its_inner_side() -> None:
    # from each place on the inner wall the ray goes through the axis, and ends at the wall's other side or beyond
    inner, outer, height, sections = 0.5, 1.0, 0.4, 96
    ring = trimesh.creation.annulus(inner, outer, height, sections=sections)
    expected = 2.0 * math.pi * inner * height * (inner + outer)
    assert waste(triangles_of(ring)) == pytest.approx(expected, rel=0.05)


@given(seed=st.integers(0, 2**31))
def test_two_boxes_are_parted_between_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn = trimesh.transformations.random_rotation_matrix(rng.uniform(size=3))
    boxes = [trimesh.creation.box((1, 1, 1)).apply_translation([x, 0, 0]).apply_transform(turn) for x in (0.0, 3.0)]
    triangles = triangles_of(trimesh.util.concatenate(boxes))
    normal = turn[:3, 0]
    planes = [[*normal, share] for share in (0.2, 1.5, 2.8)] + [[*turn[:3, 1], 0.1]]
    best, least = best_plane(triangles, np.array(planes), 1e-9, SPOTS, 3e-7)
    assert best == 1
    assert least < 1e-3


def test_planes_that_have_all_on_one_side_are_none() -> None:
    triangles = triangles_of(trimesh.creation.box((1, 1, 1)))
    best, least = best_plane(triangles, np.array([[0.0, 0.0, 1.0, 5.0], [1.0, 0.0, 0.0, -5.0]]), 1e-9, SPOTS, 3e-7)
    assert (best, least) == (-1, np.inf)
