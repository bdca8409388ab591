"""Between the joints of the model and the numbers on the wire: each joint is a line through two points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats


class JointWire(NamedTuple):
    """One joint: which channel it has, and two numbers on the wire with the joint values (rad or m) that they mean."""

    channel: int
    wire: tuple[float, float]
    joint: tuple[float, float]


class WireMap:
    """All joints of an arm."""

    def __init__(self, joints: Sequence[JointWire]) -> None:
        self.joints = tuple(joints)
        self.channels = tuple(joint.channel for joint in joints)
        wire, value = np.array([joint.wire for joint in joints]).T, np.array([joint.joint for joint in joints]).T
        self._scale = (wire[1] - wire[0]) / (value[1] - value[0])
        self._offset = wire[0] - self._scale * value[0]

    @property
    def resolution(self) -> Floats:
        """How much (n,) of a joint value one unit on the wire is."""
        return np.asarray(1.0 / np.abs(self._scale))

    def to_wire(self, q: Floats) -> Floats:
        """Return the numbers for joint values (n,)."""
        return np.asarray(self._offset + self._scale * q)

    def from_wire(self, numbers: Sequence[float] | Floats) -> Floats:
        """Return the joint values (n,) of numbers."""
        return np.asarray((np.asarray(numbers, dtype=np.float64) - self._offset) / self._scale)

    def rates_from_wire(self, numbers: Sequence[float] | Floats) -> Floats:
        """Return speeds of joints of speeds on the wire."""
        return np.asarray(np.asarray(numbers, dtype=np.float64) / self._scale)
