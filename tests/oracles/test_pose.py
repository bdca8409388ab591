"""SciPy's rotations, an independent implementation, against armlab.geometry.pose."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from armlab.arrays import Floats
from armlab.geometry import pose
from oracles.arms import rotation_angle

COUNT = 2000
ORIGIN = (0.0, 0.0, 0.0)


def random_rotations(seed: int) -> Rotation:
    return Rotation.random(COUNT, rng=np.random.default_rng(seed))


def poses_of(rotations: Rotation) -> Floats:
    T = np.tile(np.eye(4), (len(rotations), 1, 1))
    T[:, :3, :3] = rotations.as_matrix()
    return T


def near_half_turns(seed: int) -> Rotation:
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(COUNT, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    angles = math.pi - 10.0 ** rng.uniform(-17, 0, COUNT)
    return Rotation.from_rotvec(axes * angles[:, None])


def test_roll_pitch_yaw_is_scipys_zyx_the_other_way_round() -> None:
    rpy = np.random.default_rng(1).uniform(-math.pi, math.pi, (COUNT, 3))
    expected = Rotation.from_euler("ZYX", rpy[:, ::-1]).as_matrix()
    np.testing.assert_allclose(pose.from_xyz_rpy(ORIGIN, rpy)[:, :3, :3], expected, atol=1e-15)
    fixed_axes = Rotation.from_euler("xyz", rpy).as_matrix()
    np.testing.assert_allclose(pose.from_xyz_rpy(ORIGIN, rpy)[:, :3, :3], fixed_axes, atol=1e-15)


def test_kukas_abc_is_scipys_zyx() -> None:
    abc = np.random.default_rng(2).uniform(-math.pi, math.pi, (COUNT, 3))
    expected = Rotation.from_euler("ZYX", abc).as_matrix()
    np.testing.assert_allclose(pose.from_xyz_abc(ORIGIN, abc)[:, :3, :3], expected, atol=1e-15)


def test_the_angles_read_from_a_pose_are_scipys() -> None:
    rotations = random_rotations(3)
    angles = pose.as_abc(poses_of(rotations))
    expected = rotations.as_euler("ZYX")
    well_known = np.abs(np.cos(expected[:, 1])) > 1e-3
    np.testing.assert_allclose(angles[well_known], expected[well_known], atol=1e-12)
    for R, R_again in zip(rotations.as_matrix(), pose.from_xyz_abc(ORIGIN, angles)[:, :3, :3], strict=True):
        assert rotation_angle(R, R_again) < 1e-12


@pytest.mark.parametrize("off", [0.0, 1e-13, 1e-11, 1e-9, 1e-8, 1e-6, 1e-3])
def test_angles_read_next_to_pitch_90_give_scipys_rotation_back(off: float) -> None:
    rng = np.random.default_rng(12)
    sides = np.sign(rng.normal(size=COUNT)) * (math.pi / 2 - off)
    turns = rng.uniform(-math.pi, math.pi, (COUNT, 2))
    rotations = Rotation.from_euler("ZYX", np.column_stack([turns[:, 0], sides, turns[:, 1]]))
    again = pose.from_xyz_rpy(ORIGIN, pose.as_rpy(poses_of(rotations)))[:, :3, :3]
    np.testing.assert_allclose(again, rotations.as_matrix(), atol=2e-12)


def test_quaternions_are_scipys_with_w_first() -> None:
    rotations = random_rotations(4)
    xyzw = rotations.as_quat(canonical=True)
    T = poses_of(rotations)
    np.testing.assert_allclose(pose.as_quaternion(T), xyzw[:, [3, 0, 1, 2]], atol=1e-15)
    np.testing.assert_allclose(pose.from_xyz_quaternion(ORIGIN, xyzw[:, [3, 0, 1, 2]]), T, atol=1e-15)


def test_a_quaternion_of_any_length_is_the_same_rotation_as_scipys() -> None:
    rng = np.random.default_rng(5)
    wxyz = rng.normal(size=(COUNT, 4)) * 10.0 ** rng.uniform(-6, 6, (COUNT, 1))
    expected = Rotation.from_quat(wxyz[:, [1, 2, 3, 0]]).as_matrix()
    np.testing.assert_allclose(pose.from_xyz_quaternion(ORIGIN, wxyz)[:, :3, :3], expected, atol=1e-15)


@pytest.mark.parametrize("rotations", [random_rotations(6), near_half_turns(7)], ids=["any", "half turns"])
def test_rotation_vectors_are_scipys(rotations: Rotation) -> None:
    vectors = pose.rotation_vector(np.ascontiguousarray(rotations.as_matrix()))
    again = Rotation.from_rotvec(vectors)
    assert (again * rotations.inv()).magnitude().max() < 5e-15
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), rotations.magnitude(), atol=5e-15)


def test_tiny_rotation_vectors_keep_all_their_digits() -> None:
    rng = np.random.default_rng(8)
    vectors = rng.normal(size=(COUNT, 3)) * 10.0 ** rng.uniform(-12, -3, (COUNT, 1))
    R = Rotation.from_rotvec(vectors).as_matrix()
    np.testing.assert_allclose(pose.rotation_vector(R), vectors, rtol=1e-9, atol=1e-20)


def test_axis_and_angle_are_scipys_rotation_vector() -> None:
    rng = np.random.default_rng(9)
    axes, angles = rng.normal(size=(COUNT, 3)), rng.uniform(-7.0, 7.0, COUNT)
    unit = axes / np.linalg.norm(axes, axis=1, keepdims=True)
    expected = Rotation.from_rotvec(unit * angles[:, None]).as_matrix()
    np.testing.assert_allclose(pose.from_xyz_axis_angle(ORIGIN, axes, angles)[:, :3, :3], expected, atol=3e-15)


def test_inverse_and_transform_are_scipys() -> None:
    rng = np.random.default_rng(10)
    rotations, points, shifts = random_rotations(11), rng.normal(size=(COUNT, 3)), rng.normal(size=(COUNT, 3))
    T = poses_of(rotations)
    T[:, :3, 3] = shifts
    moved = np.array([pose.transform(one, point) for one, point in zip(T, points, strict=True)])
    np.testing.assert_allclose(moved, rotations.apply(points) + shifts, atol=5e-15)
    np.testing.assert_allclose(pose.inverse(T)[:, :3, 3], -rotations.inv().apply(shifts), atol=5e-15)
