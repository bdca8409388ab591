"""The hand of a gripper: which of a tool's shapes are fingers, and how they close."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import solid
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape
from armlab.model.jaws import JAW_SPEED, jaws_of
from armlab.model.parts import Joint, Tool
from armlab.sim.drives import Drive

FINGER_SHARE = 0.05
"""Of the tool's mass, for each finger."""
GRIP_FORCE = 60.0
"""N, of each finger."""
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

    Its fingers are the tool's jaws.
    """
    jaws = jaws_of(tool)
    if jaws is None:
        return None
    whole = tool.inertia
    share = 1.0 - 2.0 * FINGER_SHARE
    weights = tuple(solid.inertia(side, mass=FINGER_SHARE * max(whole.mass, 0.1)) for side in (jaws.right, jaws.left))
    joints = tuple(
        Joint(
            f"finger {i + 1}",
            "prismatic",
            T_link_flange,
            np.array([sign, 0.0, 0.0]),
            0.0,
            jaws.travel,
            velocity=JAW_SPEED,
            effort=GRIP_FORCE,
        )
        for i, sign in enumerate((-1.0, 1.0))
    )
    return Hand(
        jaws.opening,
        jaws.palm,
        Inertia(whole.mass * share, whole.com, whole.matrix * share),
        (jaws.right, jaws.left),
        (weights[0], weights[1]),
        (joints[0], joints[1]),
    )
