"""The hand of a gripper: which of a tool's shapes are fingers, and how they close."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import solid
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape
from armlab.model.parts import Joint, Tool
from armlab.sim.drives import Drive

FINGER_SHARE = 0.05
"""Of the tool's mass, for each finger."""
GRIP_FORCE = 60.0
"""N, of each finger."""
FINGER_SPEED = 0.1
"""m/s"""
FINGER_DRIVE = Drive(1.2e5, 1.55e3, effort=GRIP_FORCE, armature=5.0)
"""A screw drive, seen from the finger: the armature is the motor's inertia over the pitch squared."""


class Hand(NamedTuple):
    """Two fingers that close along the tool's x axis, always by the same distance; the rest of the tool holds still."""

    opening: float
    """m between the fingers, open, where the tool's point is."""
    palm: tuple[Shape, ...]
    palm_inertia: Inertia
    fingers: tuple[tuple[Shape, ...], tuple[Shape, ...]]
    finger_inertias: tuple[Inertia, Inertia]
    joints: tuple[Joint, Joint]


def hand_of(tool: Tool, T_link_flange: Floats) -> Hand | None:
    """Return the hand of a gripper; None for another tool, or one whose shapes show no fingers.

    A finger is what lies wholly on one side of the tool's plane x = 0, beyond its middle.
    """
    if tool.kind != "gripper":
        return None
    extents = [_extent(shape) for shape in tool.shapes]
    right = tuple(s for s, (low, _) in zip(tool.shapes, extents, strict=True) if low > 0.0)
    left = tuple(s for s, (_, high) in zip(tool.shapes, extents, strict=True) if high < 0.0)
    if not right or not left:
        return None
    palm = tuple(s for s, (low, high) in zip(tool.shapes, extents, strict=True) if low <= 0.0 <= high)
    reach = min(*(low for low, _ in extents if low > 0.0), *(-high for _, high in extents if high < 0.0))
    whole = tool.inertia
    share = 1.0 - 2.0 * FINGER_SHARE
    weights = tuple(solid.inertia(side, mass=FINGER_SHARE * max(whole.mass, 0.1)) for side in (right, left))
    joints = tuple(
        Joint(
            f"finger {i + 1}",
            "prismatic",
            T_link_flange,
            np.array([sign, 0.0, 0.0]),
            0.0,
            reach,
            velocity=FINGER_SPEED,
            effort=GRIP_FORCE,
        )
        for i, sign in enumerate((-1.0, 1.0))
    )
    return Hand(
        _opening(tool, 2.0 * reach),
        palm,
        Inertia(whole.mass * share, whole.com, whole.matrix * share),
        (right, left),
        (weights[0], weights[1]),
        (joints[0], joints[1]),
    )


def _opening(tool: Tool, at_least: float) -> float:
    """Return the distance (m) of the two sides in the plane of the tool's point."""
    z = float(tool.T_flange_tool[2, 3])
    gaps = []
    for shape in tool.shapes:
        points = solid.mesh(shape, 4).vertices
        low, high = _extent(shape)
        if points[:, 2].min() <= z <= points[:, 2].max() and (low > 0.0 or high < 0.0):
            gaps.append(min(abs(low), abs(high)))
    return max(at_least, 2.0 * min(gaps, default=0.0))


def _extent(shape: Shape) -> tuple[float, float]:
    x = solid.mesh(shape, 4).vertices[:, 0]
    return float(x.min()), float(x.max())
