"""The hand of a gripper: its palm, its fingers, and the joints by which they close."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.geometry.inertia import Inertia, of_point
from armlab.model.jaws import Jaws, jaws_of
from armlab.model.parts import Joint, Tool

NO_MASS = 1e-9
"""kg: a palm that weighs no more has its fingers weigh all."""


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
    joints = tuple(
        Joint(
            f"finger_{i}",
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
    return Hand(jaws, _rest(tool.inertia, [finger.inertia for finger in jaws.fingers]), joints)


def _rest(whole: Inertia, fingers: list[Inertia]) -> Inertia:
    """Return what is left of a tool without its fingers; a share of the whole, where no body could be that."""
    mass = whole.mass - sum(finger.mass for finger in fingers)
    if mass <= NO_MASS:
        return Inertia()
    com = (whole.mass * whole.com - sum(finger.mass * finger.com for finger in fingers)) / mass
    matrix = _about(whole, com) - sum(_about(finger, com) for finger in fingers)
    moments = np.linalg.eigvalsh(matrix)
    if moments[0] > 0.0 and moments[0] + moments[1] >= moments[2]:
        return Inertia(mass, com, matrix)
    return Inertia(mass, whole.com, whole.matrix * mass / whole.mass)


def _about(inertia: Inertia, point: Floats) -> Floats:
    """Return the inertia matrix about a point, by Steiner's theorem."""
    return np.asarray(inertia.matrix + inertia.mass * of_point(inertia.com - point))
