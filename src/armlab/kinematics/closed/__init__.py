"""Closed-form inverse kinematics: every solution at once, for the geometries that have one.

`recognise` looks at nothing but the joint axes, as lines in space, and finds the family that an arm belongs to. The
maker's signs and zeros, the base and the tool do not matter: they are folded into the family's parameters.
"""

from __future__ import annotations

from armlab.kinematics.closed import five, planar, three_parallel, wrist
from armlab.kinematics.closed.family import Family
from armlab.kinematics.closed.lines import joint_axes
from armlab.kinematics.closed.status import kuka_status, kuka_turn
from armlab.model.robot import Robot

__all__ = ["Family", "kuka_status", "kuka_turn", "recognise"]


def recognise(robot: Robot) -> Family | None:
    """Return the family of arms with a closed form that `robot` belongs to, or None."""
    axes = joint_axes(robot)
    for recogniser in (planar.recognise, wrist.recognise, three_parallel.recognise, five.recognise):
        family = recogniser(axes)
        if family is not None:
            return family
    return None
