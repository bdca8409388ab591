"""Poses as the numbers of ROS transforms; plain Python, because for a handful of poses it is quicker than arrays."""

from __future__ import annotations

import struct

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry.pose import ROTATION_TOLERANCE, quaternion_of
from armlab.messages import _

_SEVEN = struct.Struct("<7d")


def transform_blocks(poses: Floats) -> list[bytes]:
    """Return translation and quaternion x y z w of each of `poses` (k, 4, 4), as bytes.

    Raises:
        InvalidInput: if one is not a pose.
    """
    blocks = []
    for k, T in enumerate(poses):
        first, second, third, last = T.tolist()
        if last != [0.0, 0.0, 0.0, 1.0]:
            raise InvalidInput("pose_last_row", _("{who}: the last row of a pose must be 0 0 0 1"), who=f"frames[{k}]")
        if not _is_rotation(*first[:3], *second[:3], *third[:3]):
            raise InvalidInput("frame_not_a_rotation", _("frames[{row}]: the upper left 3×3 is not a rotation"), row=k)
        w, x, y, z = quaternion_of(T)
        blocks.append(_SEVEN.pack(first[3], second[3], third[3], x, y, z, w))
    return blocks


def _is_rotation(a: float, b: float, c: float, d: float, e: float, f: float, g: float, h: float, i: float) -> bool:
    """Whether the first two rows are of length one and square to each other, and the third is their product."""
    off = max(
        abs(a * a + b * b + c * c - 1.0),
        abs(d * d + e * e + f * f - 1.0),
        abs(a * d + b * e + c * f),
        abs(b * f - c * e - g),
        abs(c * d - a * f - h),
        abs(a * e - b * d - i),
    )
    return off < ROTATION_TOLERANCE
