"""Joint values as people type them, and inertias and frames that are built once."""

from __future__ import annotations

import numpy as np
import pytest

from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia, combined, from_six, of_point
from armlab.model.joint_units import from_joint_units, in_joint_units, joint_scales
from armlab.model.robot import Robot


def test_values_go_to_si_and_back(robot: Robot) -> None:
    typed = [10.0, 100.0, -20.0]
    q = from_joint_units(robot, typed)
    np.testing.assert_allclose(q, np.array(typed) * joint_scales(robot.joints))
    np.testing.assert_allclose(in_joint_units(robot, q), typed)
    np.testing.assert_allclose(in_joint_units(robot, np.stack([q, 2 * q])), [typed, [20.0, 200.0, -40.0]])


def test_a_wrong_number_of_values_is_refused_with_both_counts(robot: Robot) -> None:
    with pytest.raises(InvalidInput) as caught:
        from_joint_units(robot, [1.0, 2.0])
    assert caught.value.code == "joint_count"
    assert (caught.value.parameters["expected"], caught.value.parameters["count"]) == (3, 2)


def test_a_typed_frame_is_the_pose_in_si() -> None:
    T = pose.from_mm_deg((100.0, -200.0, 300.0, 30.0, -40.0, 50.0))
    np.testing.assert_allclose(T, pose.from_xyz_abc([0.1, -0.2, 0.3], np.radians([30.0, -40.0, 50.0])), atol=1e-15)
    np.testing.assert_allclose(T, pose.from_xyz_rpy_mm_deg((100, -200, 300), (50.0, -40.0, 30.0)), atol=1e-15)


def test_the_inertia_of_two_bodies_is_that_of_all_their_points() -> None:
    rng = np.random.default_rng(3)
    groups = [rng.normal(size=(5, 3)), rng.normal(size=(4, 3))]
    frames = [pose.from_mm_deg(rng.uniform(-180, 180, 6).tolist()) for _group in groups]

    def of_points(points: np.ndarray) -> Inertia:
        com = points.mean(axis=0)
        return Inertia(float(len(points)), com, sum((of_point(p - com) for p in points), np.zeros((3, 3))))

    whole = combined([(of_points(points), T) for points, T in zip(groups, frames, strict=True)])
    moved = np.concatenate([pose.transform(T, points) for points, T in zip(groups, frames, strict=True)])
    expected = of_points(moved)
    assert whole.mass == pytest.approx(9.0)
    np.testing.assert_allclose(whole.com, expected.com, atol=1e-12)
    np.testing.assert_allclose(whole.matrix, expected.matrix, atol=1e-12)


def test_six_numbers_are_the_moments_and_the_products() -> None:
    inertia = from_six(2.0, np.zeros(3), (1.0, 1.1, 1.2, 0.01, 0.02, 0.03))
    assert inertia.matrix[0].tolist() == [1.0, 0.01, 0.02]
    assert inertia.matrix[1].tolist() == [0.01, 1.1, 0.03]
    assert inertia.matrix[2].tolist() == [0.02, 0.03, 1.2]
