"""Several inertias as that of one body."""

from __future__ import annotations

import numpy as np

from armlab.geometry import pose, solid
from armlab.geometry.inertia import Inertia, combined
from armlab.geometry.shape import Shape


def test_two_points_are_a_dumbbell() -> None:
    point = Inertia(1.0)
    both = combined([(point, pose.from_xyz([x, 0.0, 0.0])) for x in (-1.0, 1.0)])
    assert both.mass == 2.0
    np.testing.assert_allclose(both.com, 0.0)
    np.testing.assert_allclose(both.matrix, np.diag([0.0, 2.0, 2.0]))


def test_two_halves_of_a_box_are_the_box() -> None:
    T = pose.from_xyz_rpy([0.3, -0.2, 0.5], [0.4, 0.5, 0.6])
    half = solid.inertia([Shape("box", (0.1, 0.2, 0.3), np.eye(4))], mass=2.0)
    whole = solid.inertia([Shape("box", (0.2, 0.2, 0.3), T)], mass=4.0)
    both = combined([(half, T @ pose.from_xyz([x, 0.0, 0.0])) for x in (-0.05, 0.05)])
    np.testing.assert_allclose(both.com, whole.com)
    np.testing.assert_allclose(both.matrix, whole.matrix, atol=1e-12)
