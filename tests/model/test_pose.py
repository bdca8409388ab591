from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from strategies import angles, axes, poses


@given(poses())
def test_every_way_of_telling_a_rotation_tells_the_same_one(T: Floats) -> None:
    p = T[:3, 3]
    np.testing.assert_allclose(pose.from_xyz_rpy(p, pose.as_rpy(T)), T, atol=1e-9)
    np.testing.assert_allclose(pose.from_xyz_abc(p, pose.as_abc(T)), T, atol=1e-9)
    np.testing.assert_allclose(pose.from_xyz_quaternion(p, pose.as_quaternion(T)), T, atol=1e-14)
    vector = pose.rotation_vector(T[:3, :3])
    angle = float(np.linalg.norm(vector))
    axis = vector if angle > 1e-9 else np.array([1.0, 0, 0])
    np.testing.assert_allclose(pose.from_xyz_axis_angle(p, axis, angle), T, atol=1e-9)


@given(axes(), st.floats(0.0, math.pi))
def test_the_rotation_vector_is_true_up_to_a_half_turn(axis: Floats, angle: float) -> None:
    unit = axis / np.linalg.norm(axis)
    T = pose.from_xyz_axis_angle([0, 0, 0], axis, angle)
    vector = pose.rotation_vector(T[:3, :3])
    assert np.linalg.norm(vector) == pytest.approx(angle, abs=1e-9)
    assert min(np.abs(vector - s * angle * unit).max() for s in (1, -1)) < 1e-7


@pytest.mark.parametrize("pitch", [math.pi / 2, -math.pi / 2])
@given(roll=angles, yaw=angles)
def test_at_an_upright_pitch_the_whole_turn_goes_into_yaw(pitch: float, roll: float, yaw: float) -> None:
    T = pose.from_xyz_rpy([0, 0, 0], [roll, pitch, yaw])
    rpy = pose.as_rpy(T)
    assert rpy[0] == 0.0
    np.testing.assert_allclose(pose.from_xyz_rpy([0, 0, 0], rpy), T, atol=1e-14)


def test_kuka_angles_are_yaw_pitch_roll() -> None:
    T = pose.from_xyz_abc([1, 2, 3], np.radians([90, 0, 0]))
    np.testing.assert_allclose(T[:3, 0], [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(T[:3, 3], [1, 2, 3])


@given(poses(), poses())
def test_the_inverse_undoes_a_pose(T_a_b: Floats, T_b_c: Floats) -> None:
    np.testing.assert_allclose(pose.inverse(T_a_b) @ T_a_b, np.eye(4), atol=1e-14)
    T_a_c = T_a_b @ T_b_c
    np.testing.assert_allclose(
        pose.transform(T_a_c, [1, 2, 3]), pose.transform(T_a_b, pose.transform(T_b_c, [1, 2, 3])), atol=1e-13
    )


def test_batches_keep_their_leading_axes() -> None:
    rng = np.random.default_rng(1)
    xyz, rpy = rng.normal(size=(4, 5, 3)), rng.uniform(-1, 1, (4, 5, 3))
    T = pose.from_xyz_rpy(xyz, rpy)
    assert T.shape == (4, 5, 4, 4)
    np.testing.assert_allclose(T[2, 3], pose.from_xyz_rpy(xyz[2, 3], rpy[2, 3]))
    np.testing.assert_allclose(pose.as_quaternion(T)[1, 4], pose.as_quaternion(T[1, 4]))
    assert pose.transform(T, np.zeros((7, 3))).shape == (4, 5, 7, 3)
    assert pose.from_xyz([0, 0, 0]).shape == (4, 4)


def _reflection() -> Floats:
    return np.diag([1.0, 1.0, -1.0, 1.0])


@pytest.mark.parametrize(
    ("T", "sentence"),
    [
        (np.eye(3), "expected shape"),
        (np.zeros((4, 4)), "last row"),
        (np.diag([2.0, 1, 1, 1]), "is not a rotation"),
        (_reflection(), "reflection"),
        (np.full((4, 4), np.nan), "not a finite number"),
        (5.0, "expected shape"),
    ],
)
def test_what_is_not_a_pose_is_refused_with_the_reason(T: object, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        pose.as_pose(T, "T")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "call",
    [
        lambda: pose.from_xyz([[1, 2], [3]]),
        lambda: pose.from_xyz_rpy(np.zeros((3, 3)), np.zeros((2, 3))),
        lambda: pose.from_xyz_axis_angle([0, 0, 0], [0, 0, 1], "x"),
        lambda: pose.inverse(np.eye(3)),
        lambda: pose.transform(np.eye(4), [1, 2]),
        lambda: pose.rotation_vector([1, 2, 3]),
        lambda: pose.as_quaternion("there"),
    ],
)
def test_every_function_refuses_what_does_not_fit_with_a_sentence(call: Callable[[], object]) -> None:
    with pytest.raises(InvalidInput):
        call()


def test_directions_without_a_length_are_refused() -> None:
    with refused("zero_axis", InvalidInput):
        pose.from_xyz_axis_angle([0, 0, 0], [0, 0, 0], 1.0)
    with refused("zero_quaternion", InvalidInput):
        pose.from_xyz_quaternion([0, 0, 0], [0, 0, 0, 0])


def test_one_point_is_seen_from_each_of_many_frames() -> None:
    rng = np.random.default_rng(5)
    T = pose.from_xyz_rpy(rng.normal(size=(4, 3)), rng.normal(size=(4, 3)))
    point = rng.normal(size=3)
    each = [pose.transform(frame, point) for frame in T]
    np.testing.assert_allclose(pose.transform(T, point), each, atol=1e-15)
