"""The hand of a gripper: its palm, its fingers, and the joints by which they close."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from armlab.arrays import Floats
from armlab.geometry.inertia import Inertia
from armlab.model.jaws import Jaws, jaws_of
from armlab.model.parts import Joint, Tool
from armlab.sim.drives import Drive

LEAST_PALM = 0.01
"""Of a tool's mass, for its palm: its fingers may be all of it."""
FINGER_DRIVE = Drive(1.2e5, 1.55e3, armature=5.0)
"""A screw drive, seen from the finger: the armature is the motor's inertia over the pitch squared."""


class Hand(NamedTuple):
    """Fingers that close, always by the same distance; the rest of the tool holds still."""

    jaws: Jaws
    palm_inertia: Inertia
    joints: tuple[Joint, ...]
    """Of the fingers, on the last link; at zero they are open."""


def hand_of(tool: Tool, T_link_flange: Floats) -> Hand | None:
    """Return the hand of a gripper; None for another tool, or one without fingers."""
    jaws = jaws_of(tool)
    if jaws is None:
        return None
    whole = tool.inertia
    left = 1.0 - sum(finger.inertia.mass for finger in jaws.fingers) / whole.mass if whole.mass > 0.0 else 0.0
    share = max(left, LEAST_PALM)
    joints = tuple(
        Joint(
            f"finger {i}",
            "prismatic",
            T_link_flange,
            finger.axis,
            0.0,
            jaws.travel,
            velocity=jaws.speed,
            effort=jaws.force,
        )
        for i, finger in enumerate(jaws.fingers, start=1)
    )
    return Hand(jaws, Inertia(whole.mass * share, whole.com, whole.matrix * share), joints)


def finger_drive(joint: Joint) -> Drive:
    """Return the drive of a finger: as strong as its gripper's file says."""
    return replace(FINGER_DRIVE, effort=joint.effort)
