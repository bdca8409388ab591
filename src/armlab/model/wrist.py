"""Where two axes meet: the links before and after them turn about one point, and the maker's limits keep them apart."""

from __future__ import annotations

import numpy as np

from armlab.model.robot import Robot

MEET = 1e-3
"""Axes nearer to each other than this (m) meet."""


def wrist_pairs(robot: Robot) -> tuple[tuple[int, int], ...]:
    """Return the pairs (i, i + 2) of links, by number, between which two turning axes of a wrist meet: the last three.

    Solids that are made from kinematics, or drawn with some rounding, may touch there before the joints reach their
    limits, though the real arm does not.
    """
    pairs = []
    for i, (one, other) in enumerate(zip(robot.joints, robot.joints[1:], strict=False)):
        if i < robot.dof - 3 or robot.dof < 5 or one.kind != "revolute" or other.kind != "revolute":
            continue
        p, along = other.T_parent_joint[:3, 3], other.T_parent_joint[:3, :3] @ other.axis
        normal = np.cross(one.axis, along)
        size = float(np.linalg.norm(normal))
        if size > 1e-6 and abs(float(p @ normal)) / size < MEET:
            pairs.append((i, i + 2))
    return tuple(pairs)
