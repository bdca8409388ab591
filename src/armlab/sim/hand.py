"""The drives of the fingers of a gripper."""

from __future__ import annotations

from dataclasses import replace

from armlab.model.parts import Joint
from armlab.sim.drives import Drive

FINGER_DRIVE = Drive(1.2e5, 1.55e3, armature=5.0)
"""A screw drive, seen from the finger: the armature is the motor's inertia over the pitch squared."""


def finger_drive(joint: Joint) -> Drive:
    """Return the drive of a finger: as strong as its gripper's file says."""
    return replace(FINGER_DRIVE, effort=joint.effort)
