"""KUKA's way to name a branch: S (status) and T (turn).

S, bit 0: the wrist centre is behind axis 1 (x < 0 in the frame that turns with A1: the overhead area). Bit 1: the wrist
centre is in front of the line through axes 2 and 3, that is A3 ≥ φ, where φ puts it on that line; φ is 0° without an
offset between A3 and A4. Bit 2: A5 < 0°. T, bit i: A(i + 1) < 0°.

After "Status & Turn (IS, IT)" in Beckhoff's TF5200 programming manual, which describes the same two numbers.
Sources differ on bit 2 (that manual has an older reading, A5 > 0°, too); taught points in public programs mostly
have it with A5 < 0°: S 6 with T 19, 26, 27 or 50, S 2 with T 2, 10, 34 or 35.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import as_floats
from armlab.errors import NotSupported
from armlab.kinematics.closed import wrist
from armlab.kinematics.closed.lines import joint_axes
from armlab.model.robot import Robot


def kuka_status(robot: Robot, q: ArrayLike) -> int:
    """Return S of the joint values `q` (6,).

    Raises:
        NotSupported: if the arm has no spherical wrist behind a bending elbow.
    """
    values = as_floats(q, (robot.dof,), f"{robot.name}: q")
    family = wrist.recognise(joint_axes(robot))
    if family is None or family.name != "spherical-wrist":
        raise NotSupported(f"{robot.name}: status bits are defined for six turning joints with a spherical wrist only")
    theta = wrist.canonical(family.parameters, values[None])[0]
    behind = wrist.wrist_distance(family.parameters, values[None])[0] < 0.0
    return int(behind) + 2 * int(np.sin(theta[2]) >= 0.0) + 4 * int(np.sin(theta[4]) < 0.0)


def kuka_turn(q: ArrayLike) -> int:
    """Return T of the joint values `q` (n,)."""
    values = as_floats(q, (None,), "q")
    return sum(1 << i for i, value in enumerate(values) if value < 0.0)
