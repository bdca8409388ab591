"""Joint values at the border: people type and read degrees and millimetres, one value per joint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import Message, _
from armlab.model.robot import Robot
from armlab.units import joint_scale


class HasKind(Protocol):
    """A joint, or a table of one."""

    @property
    def kind(self) -> str:
        """Revolute or prismatic."""


def joint_scales(joints: Iterable[HasKind]) -> Floats:
    """Return the factors (n,) from degrees or millimetres to SI, one per joint."""
    return np.array([joint_scale(joint.kind) for joint in joints])


def from_joint_units(robot: Robot, values: Sequence[float], who: str | Message = "q") -> Floats:
    """Return joint values (n,) given in degrees and millimetres in SI.

    Raises:
        InvalidInput: if there is not one value per joint.
    """
    if len(values) != robot.dof:
        raise InvalidInput(
            "joint_count",
            _("{who}: joint values needed: {expected}; given: {count}"),
            who=who,
            expected=robot.dof,
            count=len(values),
        )
    q: Floats = np.array(values, dtype=np.float64) * joint_scales(robot.joints)
    return q


def in_joint_units(robot: Robot, q: Floats) -> Floats:
    """Return joint values (n,) or (m, n) in degrees and millimetres."""
    return np.asarray(q / joint_scales(robot.joints))
