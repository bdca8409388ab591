"""Build and read poses: 4×4 float64 arrays that map coordinates of one frame to another.

Every function takes one value or a batch (leading axes are kept). Lengths are metres, angles radians, quaternions
w x y z. Roll, pitch, yaw turn about the fixed x, y, z axes: R = Rz(yaw) Ry(pitch) Rx(roll), as in URDF. KUKA's A, B, C
are the same rotation told in the other order: A = yaw, B = pitch, C = roll.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats, as_stack
from armlab.errors import InvalidInput
from armlab.messages import Message, _
from armlab.units import M_PER_MM, RAD_PER_DEG

ROTATION_TOLERANCE = 1e-6
"""How far R Rᵀ of a rotation from outside may be from the identity; what passes is then made exact."""

EXACT = 1e-13
"""Rotations this close to the identity in R Rᵀ are left as they are."""


def from_xyz(xyz: ArrayLike) -> Floats:
    """Return the pose that only shifts, by `xyz` (…, 3)."""
    p = as_stack(xyz, (3,), "xyz")
    T = np.zeros((*p.shape[:-1], 4, 4))
    T[..., [0, 1, 2, 3], [0, 1, 2, 3]] = 1.0
    T[..., :3, 3] = p
    return T


def from_xyz_rpy(xyz: ArrayLike, rpy: ArrayLike) -> Floats:
    """Return the pose at `xyz` turned by roll, pitch, yaw about the fixed axes."""
    angles = as_stack(rpy, (3,), "rpy")
    return _posed(xyz, _rotation_zyx(angles[..., 2], angles[..., 1], angles[..., 0]))


def from_xyz_abc(xyz: ArrayLike, abc: ArrayLike) -> Floats:
    """Return the pose at `xyz` with KUKA's A, B, C (radians): R = Rz(A) Ry(B) Rx(C)."""
    angles = as_stack(abc, (3,), "abc")
    return _posed(xyz, _rotation_zyx(angles[..., 0], angles[..., 1], angles[..., 2]))


def from_mm_deg(xyzabc: Sequence[float]) -> Floats:
    """Return the pose (4, 4) of a frame as people type it: X Y Z in millimetres, KUKA's A B C in degrees."""
    x, y, z, a, b, c = xyzabc
    return from_xyz_abc(np.array([x, y, z]) * M_PER_MM, np.array([a, b, c]) * RAD_PER_DEG)


def from_xyz_rpy_mm_deg(xyz: Sequence[float], rpy: Sequence[float]) -> Floats:
    """Return the pose (4, 4) of a frame as robot and scene files give it: mm, and roll, pitch, yaw in degrees."""
    return from_xyz_rpy(np.array(xyz) * M_PER_MM, np.array(rpy) * RAD_PER_DEG)


def from_xyz_quaternion(xyz: ArrayLike, wxyz: ArrayLike) -> Floats:
    """Return the pose at `xyz` turned by the quaternion w x y z, which need not be of length one.

    Raises:
        InvalidInput: if the quaternion is zero.
    """
    quaternion = as_stack(wxyz, (4,), "quaternion")
    norm = np.linalg.norm(quaternion, axis=-1, keepdims=True)
    if (norm < 1e-12).any():
        raise InvalidInput("zero_quaternion", _("quaternion: [0, 0, 0, 0] is not a rotation"))
    w, x, y, z = np.moveaxis(quaternion / norm, -1, 0)
    R = np.empty((*w.shape, 3, 3))
    R[..., 0, 0], R[..., 0, 1], R[..., 0, 2] = (
        1 - 2 * (y * y + z * z),
        2 * (x * y - w * z),
        2 * (x * z + w * y),
    )
    R[..., 1, 0], R[..., 1, 1], R[..., 1, 2] = (
        2 * (x * y + w * z),
        1 - 2 * (x * x + z * z),
        2 * (y * z - w * x),
    )
    R[..., 2, 0], R[..., 2, 1], R[..., 2, 2] = (
        2 * (x * z - w * y),
        2 * (y * z + w * x),
        1 - 2 * (x * x + y * y),
    )
    return _posed(xyz, R)


def from_xyz_axis_angle(xyz: ArrayLike, axis: ArrayLike, angle: ArrayLike) -> Floats:
    """Return the pose at `xyz` turned by `angle` about `axis`, which need not be of length one."""
    direction = as_stack(axis, (3,), "axis")
    norm = np.linalg.norm(direction, axis=-1, keepdims=True)
    if (norm < 1e-12).any():
        raise InvalidInput("zero_axis", _("axis: [0, 0, 0] has no direction"))
    half = 0.5 * as_stack(angle, (), "angle")[..., None]
    w, v = np.broadcast_arrays(np.cos(half), np.sin(half) * direction / norm)
    return from_xyz_quaternion(xyz, np.concatenate([w[..., :1], v], axis=-1))


def as_rpy(T: ArrayLike) -> Floats:
    """Return roll, pitch, yaw (…, 3) of `T`; at pitch = ±90° roll is 0 and yaw takes the whole turn.

    Next to ±90° yaw alone is badly known; roll is taken from what is left after yaw and so makes up for it.
    """
    R = as_pose(T, "T")[..., :3, :3]
    level = np.hypot(R[..., 0, 0], R[..., 1, 0])
    upright = level < 1e-12
    yaw = np.where(upright, np.arctan2(-R[..., 0, 1], R[..., 1, 1]), np.arctan2(R[..., 1, 0], R[..., 0, 0]))
    s, c = np.sin(yaw), np.cos(yaw)
    left = np.arctan2(s * R[..., 0, 2] - c * R[..., 1, 2], c * R[..., 1, 1] - s * R[..., 0, 1])
    return np.stack([np.where(upright, 0.0, left), np.arctan2(-R[..., 2, 0], level), yaw], axis=-1)


def as_abc(T: ArrayLike) -> Floats:
    """Return KUKA's A, B, C (…, 3) of `T`, radians; at B = ±90° C is 0."""
    return np.ascontiguousarray(as_rpy(T)[..., ::-1])


def as_quaternion(T: ArrayLike) -> Floats:
    """Return the quaternion w x y z (…, 4) of `T`, with w ≥ 0."""
    R = as_pose(T, "T")[..., :3, :3]
    d = np.diagonal(R, axis1=-2, axis2=-1)
    # four formulas for the same quaternion; the one with the largest divisor is the exact one (Shepperd 1978)
    squares = np.stack(
        [
            1 + d[..., 0] + d[..., 1] + d[..., 2],
            1 + d[..., 0] - d[..., 1] - d[..., 2],
            1 - d[..., 0] + d[..., 1] - d[..., 2],
            1 - d[..., 0] - d[..., 1] + d[..., 2],
        ],
        axis=-1,
    )
    wx, wy, wz = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    xy, xz, yz = R[..., 0, 1] + R[..., 1, 0], R[..., 0, 2] + R[..., 2, 0], R[..., 1, 2] + R[..., 2, 1]
    rows = np.stack(
        [
            np.stack([squares[..., 0], wx, wy, wz], axis=-1),
            np.stack([wx, squares[..., 1], xy, xz], axis=-1),
            np.stack([wy, xy, squares[..., 2], yz], axis=-1),
            np.stack([wz, xz, yz, squares[..., 3]], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(squares, axis=-1)[..., None, None]
    quaternion = np.take_along_axis(rows, best, axis=-2)[..., 0, :]
    quaternion = quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)
    return np.asarray(np.where(quaternion[..., :1] < 0, -quaternion, quaternion))


def quaternion_of(T: Floats) -> tuple[float, float, float, float]:
    """Return the quaternion w x y z of one pose (4, 4), with w ≥ 0, as `as_quaternion` but unchecked and at once.

    In plain numbers: for a handful of poses that is ten times faster than arrays.
    """
    (a, b, c, _), (d, e, f, _), (g, h, i, _) = T[:3].tolist()
    # four ways to the same quaternion; the one with the largest divisor is the exact one (Shepperd 1978)
    squares = (1.0 + a + e + i, 1.0 + a - e - i, 1.0 - a + e - i, 1.0 - a - e + i)
    largest = max(squares)
    if largest == squares[0]:
        w, x, y, z = largest, h - f, c - g, d - b
    elif largest == squares[1]:
        w, x, y, z = h - f, largest, b + d, c + g
    elif largest == squares[2]:
        w, x, y, z = c - g, b + d, largest, f + h
    else:
        w, x, y, z = d - b, c + g, f + h, largest
    scale = math.copysign(1.0, w) / math.sqrt(w * w + x * x + y * y + z * z)
    return w * scale, x * scale, y * scale, z * scale


def inverse(T: ArrayLike) -> Floats:
    """Return T⁻¹ (…, 4, 4): `inverse(T_a_b)` is `T_b_a`."""
    T = as_stack(T, (4, 4), "T")
    Rt = np.swapaxes(T[..., :3, :3], -1, -2)
    out = np.zeros_like(T)
    out[..., :3, :3] = Rt
    out[..., :3, 3] = -(Rt @ T[..., :3, 3:])[..., 0]
    out[..., 3, 3] = 1.0
    return out


def transform(T_a_b: ArrayLike, points_b: ArrayLike) -> Floats:
    """Return points (…, 3) given in frame b in frame a."""
    T_a_b, points = as_stack(T_a_b, (4, 4), "T_a_b"), as_stack(points_b, (3,), "points")
    R, p = T_a_b[..., :3, :3], T_a_b[..., :3, 3]
    if points.ndim == 1:
        return np.asarray(R @ points + p)
    return np.asarray(points @ np.swapaxes(R, -1, -2) + p[..., None, :])


def rotation_vector(R: ArrayLike) -> Floats:
    """Return the rotation vector (…, 3) of rotations (…, 3, 3): axis times angle, right up to and at a half turn."""
    rotations = as_stack(R, (3, 3), "R")
    T = np.zeros((*rotations.shape[:-2], 4, 4))
    T[..., :3, :3], T[..., 3, 3] = rotations, 1.0
    quaternion = as_quaternion(T)
    w, v = quaternion[..., :1], quaternion[..., 1:]
    sine = np.linalg.norm(v, axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, w)
    return v * np.where(sine > 1e-12, angle / np.maximum(sine, 1e-300), 2.0)


def as_pose(T: ArrayLike, who: str | Message) -> Floats:
    """Return `T` (…, 4, 4) as poses whose rotations are exact: one a little off is replaced by the nearest rotation.

    Raises:
        InvalidInput: if it is not a 4×4 matrix of numbers, its last row is not 0 0 0 1, or its 3×3 is not a rotation.
    """
    poses = as_stack(T, (4, 4), who)
    if np.abs(poses[..., 3, :] - [0.0, 0.0, 0.0, 1.0]).max(initial=0.0) > ROTATION_TOLERANCE:
        raise InvalidInput("pose_last_row", _("{who}: the last row of a pose must be 0 0 0 1"), who=who)
    R = poses[..., :3, :3]
    with np.errstate(over="ignore", invalid="ignore"):  # elements as large as 1e300 are no rotation, either
        off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(initial=0.0)
    if not off <= ROTATION_TOLERANCE:
        raise InvalidInput(
            "not_a_rotation", _("{who}: the 3×3 is not a rotation: R Rᵀ differs from I by {off:.3g}"), who=who, off=off
        )
    if (np.linalg.det(R) < 0).any():
        raise InvalidInput("reflection", _("{who}: the 3×3 is a reflection, not a rotation: determinant -1"), who=who)
    return _with_nearest_rotations(poses) if off > EXACT else poses


def as_one_pose(T: ArrayLike, who: str | Message) -> Floats:
    """Return `T` (4, 4) as a single pose whose rotation is exact; see `as_pose`."""
    return as_pose(as_floats(T, (4, 4), who), who)


def _with_nearest_rotations(poses: Floats) -> Floats:
    U, _singular, Vt = np.linalg.svd(poses[..., :3, :3])
    exact = poses.copy()
    exact[..., :3, :3] = U @ Vt
    exact[..., 3, :] = [0.0, 0.0, 0.0, 1.0]
    return exact


def _rotation_zyx(about_z: Floats, about_y: Floats, about_x: Floats) -> Floats:
    cz, sz, cy, sy = np.cos(about_z), np.sin(about_z), np.cos(about_y), np.sin(about_y)
    cx, sx = np.cos(about_x), np.sin(about_x)
    R = np.empty((*np.shape(cz), 3, 3))
    R[..., 0, 0], R[..., 0, 1], R[..., 0, 2] = cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx
    R[..., 1, 0], R[..., 1, 1], R[..., 1, 2] = sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx
    R[..., 2, 0], R[..., 2, 1], R[..., 2, 2] = -sy, cy * sx, cy * cx
    return R


def _posed(xyz: ArrayLike, R: Floats) -> Floats:
    p = as_stack(xyz, (3,), "xyz")
    try:
        lead = np.broadcast_shapes(p.shape[:-1], R.shape[:-2])
    except ValueError:
        raise InvalidInput(
            "shapes_differ",
            _("xyz: points of shape {points} do not match rotations of shape {rotations}"),
            points=str(p.shape[:-1]),
            rotations=str(R.shape[:-2]),
        ) from None
    T = from_xyz(np.broadcast_to(p, (*lead, 3)))
    T[..., :3, :3] = R
    return T
