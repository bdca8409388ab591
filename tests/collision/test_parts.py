"""The kernels' form of a solid is the solid itself."""

from __future__ import annotations

import numpy as np
import pytest
from collision.obstacles import random_shape

from armlab.arrays import Floats
from armlab.collision.parts import ConvexPart, ball_round, part_of
from armlab.geometry import pose, solid


def _support(part: ConvexPart, directions: Floats) -> Floats:
    """Return how far a part reaches along unit vectors (k, 3) of the link's frame."""
    x, y, z = (directions @ part.T_object_part[:3, :3]).T[:, :, None]
    rz, rx, ry, r, ox, oy = part.rows.T
    reach = x * ox + y * oy + z * rz + abs(x) * rx + abs(y) * ry + np.hypot(x, y) * r
    return np.asarray(reach.max(axis=1) + part.radius + directions @ part.T_object_part[:3, 3])


@pytest.mark.parametrize("seed", range(40))
def test_a_part_reaches_as_far_as_the_solid_in_every_direction(seed: int) -> None:
    rng = np.random.default_rng(seed)
    T = pose.from_xyz_axis_angle(rng.uniform(-1, 1, 3), rng.normal(size=3), 1.0)
    shape = random_shape(rng, T)
    part = part_of(shape)
    directions = rng.normal(size=(300, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    outside = (directions @ solid.mesh(shape, 60).vertices.T).max(axis=1)
    exact = _support(part, directions)
    assert (exact <= outside + 1e-12).all()
    assert (outside - exact).max() < 1e-4


@pytest.mark.parametrize("seed", range(40))
def test_the_box_of_a_part_is_as_large_as_the_solid_and_no_larger(seed: int) -> None:
    part = part_of(random_shape(np.random.default_rng(seed), np.eye(4)))
    sides = np.concatenate([np.eye(3), -np.eye(3)]) @ part.T_object_part[:3, :3].T
    reach = _support(part, sides) - sides @ part.T_object_part[:3, 3]
    np.testing.assert_allclose(reach, np.tile(part.half_widths, 2), atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_box_and_balls_hold_the_solid(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shapes = tuple(random_shape(rng, pose.from_xyz(rng.uniform(-0.3, 0.3, 3))) for _ in range(3))
    ball = ball_round(shapes)
    for shape in shapes:
        part = part_of(shape)
        inside = rng.uniform(-0.9, 0.9, (20000, 3))
        points = inside[solid.contains(shape, inside)]
        own = pose.transform(pose.inverse(part.T_object_part), points)
        assert (np.abs(own) <= part.half_widths + 1e-12).all()
        assert (np.linalg.norm(own, axis=1) <= part.reach + 1e-12).all()
        assert (np.linalg.norm(points - ball[:3], axis=1) <= ball[3] + 1e-12).all()
