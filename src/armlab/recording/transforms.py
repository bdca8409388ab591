"""Poses as the numbers of ROS transforms; plain Python, because for a handful of poses it is quicker than arrays."""

from __future__ import annotations

import math
import struct

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.model.pose import ROTATION_TOLERANCE

_SEVEN = struct.Struct("<7d")


def transform_blocks(poses: Floats) -> list[bytes]:
    """Return translation and quaternion x y z w of each of `poses` (k, 4, 4), as bytes.

    Raises:
        InvalidInput: if one is no pose.
    """
    blocks = []
    for k, (first, second, third, last) in enumerate(poses.tolist()):
        if last != [0.0, 0.0, 0.0, 1.0]:
            raise InvalidInput(f"frames[{k}]: the last row of a pose must be 0 0 0 1")
        if not _is_rotation(*first[:3], *second[:3], *third[:3]):
            raise InvalidInput(f"frames[{k}]: the upper left 3×3 is no rotation")
        x, y, z, w = _quaternion(*first[:3], *second[:3], *third[:3])
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


def _quaternion(
    a: float, b: float, c: float, d: float, e: float, f: float, g: float, h: float, i: float
) -> tuple[float, float, float, float]:
    """Return x, y, z, w: of the four ways the one with the largest divisor (Shepperd 1978)."""
    squares = (1.0 + a - e - i, 1.0 - a + e - i, 1.0 - a - e + i, 1.0 + a + e + i)
    largest = max(squares)
    if largest == squares[3]:
        x, y, z, w = h - f, c - g, d - b, largest
    elif largest == squares[0]:
        x, y, z, w = largest, b + d, c + g, h - f
    elif largest == squares[1]:
        x, y, z, w = b + d, largest, f + h, c - g
    else:
        x, y, z, w = c + g, f + h, largest, d - b
    scale = math.copysign(1.0, w) / math.sqrt(x * x + y * y + z * z + w * w)
    return x * scale, y * scale, z * scale, w * scale
