"""KUKA's way to name a branch: S (status) and T (turn).

S, bit 0: the wrist centre is behind axis 1 (x < 0 in the frame that turns with A1: the overhead area). Bit 1: the wrist
centre is in front of the line through axes 2 and 3, that is A3 ≥ φ, where φ puts it on that line; φ is 0° without an
offset between A3 and A4. Bit 2: A5 < 0°. T, bit i: A(i + 1) < 0°.

After "Status & Turn (IS, IT)" in Beckhoff's TF5200 programming manual, which describes the same two numbers.
Sources differ on bit 2 (that manual has an older reading, A5 > 0°, too); taught points in public programs mostly
have it with A5 < 0°: S 6 with T 19, 26, 27 or 50, S 2 with T 2, 10, 34 or 35.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armlab.arrays import Floats, as_floats
from armlab.errors import NotSupported
from armlab.kinematics.closed import wrist
from armlab.kinematics.closed.lines import joint_axes
from armlab.messages import _
from armlab.model.robot import Robot

ROUNDING = 1e-7
"""rad or m: values that a solver leaves at 0 up to rounding count as 0, so that a pose and its solution agree."""


def kuka_status(robot: Robot, q: ArrayLike) -> int:
    """Return S of the joint values `q` (6,).

    Raises:
        NotSupported: if the arm has no spherical wrist behind a bending elbow.
    """
    values = as_floats(q, (robot.dof,), f"{robot.name}: q")
    statuses = status_function(robot)
    if statuses is None:
        template = _("{robot}: status bits are defined for six turning joints with a spherical wrist only")
        raise NotSupported("status_without_wrist", template, robot=robot.name)
    return int(statuses(values[None])[0])


@lru_cache(maxsize=64)
def status_function(robot: Robot) -> Callable[[Floats], NDArray[np.int64]] | None:
    """Return what gives S of each row of joint values (m, 6); None if the arm has no spherical wrist."""
    family = wrist.recognise(joint_axes(robot))
    if family is None or family.name != "spherical-wrist":
        return None
    parameters = family.parameters

    def statuses(q: Floats) -> NDArray[np.int64]:
        theta = wrist.canonical(parameters, q)
        is_behind = wrist.wrist_distance(parameters, q) < -ROUNDING
        is_in_front, is_flipped = np.sin(theta[:, 2]) >= -ROUNDING, np.sin(theta[:, 4]) < -ROUNDING
        found: NDArray[np.int64] = 1 * is_behind + 2 * is_in_front + 4 * is_flipped
        return found

    return statuses


def kuka_turn(q: ArrayLike) -> int:
    """Return T of the joint values `q` (n,)."""
    values = as_floats(q, (None,), "q")
    return sum(1 << i for i, value in enumerate(values) if value < -ROUNDING)
