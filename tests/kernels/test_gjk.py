"""Distances of convex solids: closed forms, and the laws that every distance keeps."""

from __future__ import annotations

import numpy as np
import pytest
from collision.obstacles import distance_of, random_shape
from hypothesis import given
from hypothesis import strategies as st

from armlab.arrays import Floats
from armlab.geometry import pose, solid
from armlab.geometry.shape import Shape
from strategies import poses

SEEDS = st.integers(0, 2**31)
BETWEEN = 1e-7


def _pair(seed: int) -> tuple[Shape, Shape]:
    """Return two random solids, apart or not."""
    rng = np.random.default_rng(seed)
    T = pose.from_xyz_axis_angle(rng.uniform(-0.6, 0.6, 3), rng.normal(size=3), rng.uniform(-3.0, 3.0))
    return random_shape(rng), random_shape(rng, T)


def _moved(shape: Shape, T: Floats) -> Shape:
    return Shape(shape.kind, shape.size, T @ shape.T_link_shape, points=shape.points)


@given(SEEDS)
def test_the_distance_is_the_same_both_ways(seed: int) -> None:
    one, other = _pair(seed)
    there, back = distance_of(one, other)[1], distance_of(other, one)[1]
    assert there == pytest.approx(back, abs=BETWEEN)


@given(SEEDS, poses())
def test_moving_both_solids_together_changes_nothing(seed: int, T: Floats) -> None:
    one, other = _pair(seed)
    before, after = distance_of(one, other)[1], distance_of(_moved(one, T), _moved(other, T))[1]
    assert before == pytest.approx(after, abs=BETWEEN)


@given(SEEDS, st.lists(st.floats(-0.3, 0.3), min_size=3, max_size=3))
def test_the_distance_changes_by_no_more_than_a_shift(seed: int, shift: list[float]) -> None:
    one, other = _pair(seed)
    before = max(distance_of(one, other)[1], 0.0)
    after = max(distance_of(one, _moved(other, pose.from_xyz(shift)))[1], 0.0)
    assert abs(after - before) <= float(np.linalg.norm(shift)) + BETWEEN


@given(SEEDS)
def test_the_bounds_meet_and_the_nearest_points_are_points_of_the_solids(seed: int) -> None:
    one, other = _pair(seed)
    lower, upper, (p, q) = distance_of(one, other)
    overlap = upper <= 0.0
    assert overlap or -1e-12 <= upper - lower < BETWEEN
    thick = sum(shape.size[0] for shape in (one, other) if shape.kind == "sphere")
    assert np.linalg.norm(q - p) == pytest.approx(upper + thick, abs=1e-9)
    for shape, point in ((one, p), (other, q)):
        middle = shape.T_link_shape[:3, 3] if shape.kind != "hull" else solid.hull_points(shape).mean(axis=0)
        assert solid.contains(shape, middle + (1.0 - 1e-6) * (point - middle))[0]


@given(SEEDS)
def test_solids_are_apart_just_where_no_point_is_in_both(seed: int) -> None:
    one, other = _pair(seed)
    grid = np.random.default_rng(seed).uniform(-0.7, 0.7, (4000, 3))
    if (solid.contains(one, grid) & solid.contains(other, grid)).any():
        assert distance_of(one, other)[1] <= 0.0


@given(st.floats(0.01, 0.5), st.floats(0.01, 0.5), st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3))
def test_spheres_are_their_centres_apart_less_their_radii(one: float, other: float, xyz: list[float]) -> None:
    a, b = Shape("sphere", (one,), np.eye(4)), Shape("sphere", (other,), pose.from_xyz(xyz))
    assert distance_of(a, b)[1] == pytest.approx(float(np.linalg.norm(xyz)) - one - other, abs=1e-12)


@given(st.lists(st.floats(-2.0, 2.0), min_size=3, max_size=3))
def test_upright_boxes_are_as_far_apart_as_their_gaps_along_the_axes(xyz: list[float]) -> None:
    a = Shape("box", (0.4, 0.6, 0.8), np.eye(4))
    b = Shape("box", (0.2, 0.3, 0.5), pose.from_xyz(xyz))
    gaps = np.maximum(np.abs(xyz) - np.array([0.3, 0.45, 0.65]), 0.0)
    assert distance_of(a, b)[1] == pytest.approx(float(np.linalg.norm(gaps)), abs=1e-9)


@pytest.mark.parametrize("away", [0.0, 1e-9, 1e-6, 1e-3])
def test_a_cylinder_on_a_table_is_as_high_above_it_as_it_was_put(away: float) -> None:
    table = Shape("box", (1.0, 1.0, 0.1), pose.from_xyz([0, 0, -0.05]))
    standing = Shape("cylinder", (0.1, 0.3), pose.from_xyz([0.2, 0.1, 0.15 + away]))
    lying = Shape("cylinder", (0.1, 0.3), pose.from_xyz_rpy([0.2, 0.1, 0.1 + away], [np.pi / 2, 0.0, 0.4]))
    for shape in (standing, lying):
        assert distance_of(table, shape)[1] == pytest.approx(away, abs=1e-9)


def test_solids_with_the_same_middle_overlap() -> None:
    for one in (Shape("box", (0.1, 0.2, 0.3), np.eye(4)), Shape("cylinder", (0.1, 0.2), np.eye(4))):
        assert distance_of(one, one)[1] == 0.0
