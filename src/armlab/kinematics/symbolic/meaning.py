"""What a singularity looks like: its kind, and what the arm does there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import sympy

from armlab.kinematics.symbolic.derivation import SingularCondition, SymbolicRow
from armlab.kinematics.symbolic.jacobian import joint_steps
from armlab.kinematics.symbolic.matrices import Screw, product, steps_of
from armlab.kinematics.symbolic.table import SymbolicTable
from armlab.messages import Message, _, term

Kind = Literal["shoulder", "elbow", "wrist", "other"]


def condition(expression: sympy.Expr, table: SymbolicTable) -> SingularCondition:
    """Return a factor of the determinant with its kind and its meaning."""
    steps = steps_of(table.convention, table.rows)
    joints = [i for i, row in enumerate(table.rows) if expression.has(row.variable)]
    elbow = _elbow(steps, table.rows)
    if elbow is not None and joints == [elbow]:
        return SingularCondition(expression, "elbow", _elbow_meaning(elbow, steps, table.rows))
    if elbow is not None and min(joints) > elbow and len(joints) == 1:
        return SingularCondition(expression, "wrist", _wrist_meaning(joints[0], steps))
    if joints[0] == 1 and not _are_parallel(steps, 0, 1) and _are_parallel(steps, 1, joints[-1]):
        return SingularCondition(expression, "shoulder", _shoulder_meaning(steps))
    lost = Message(
        "direction_lost", _("joints {joints}: a direction of motion is lost here"), joints=[i + 1 for i in joints]
    )
    return SingularCondition(expression, "other", lost)


def _elbow(steps: Sequence[Screw], rows: Sequence[SymbolicRow]) -> int | None:
    """Return the first joint that is parallel to the one before it; else the first that slides; else the middle one."""
    for i, (before, here) in enumerate(pairwise(rows)):
        if before.kind == here.kind == "revolute" and _are_parallel(steps, i, i + 1):
            return i + 1
    sliding = [i for i, row in enumerate(rows) if row.kind == "prismatic"]
    if sliding:
        return sliding[0]
    return (len(rows) - 1) // 2 if len(rows) >= 5 else None


def _elbow_meaning(joint: int, steps: Sequence[Screw], rows: Sequence[SymbolicRow]) -> Message:
    if rows[joint].kind == "prismatic":
        return Message("slide_at_axis", _("joint {joint} is retracted to axis {axis}"), joint=joint + 1, axis=joint)
    if len(rows) == 6 and _wrist_meets(steps):
        return Message(
            "elbow_straight_wrist",
            _(
                "the arm is stretched or folded at joint {joint}: the wrist centre lies in the plane of axes "
                "{first} and {joint}"
            ),
            joint=joint + 1,
            first=joint,
        )
    return Message("elbow_straight", _("the arm is stretched or folded at joint {joint}"), joint=joint + 1)


def _wrist_meaning(joint: int, steps: Sequence[Screw]) -> Message:
    if joint + 1 >= len(joint_steps(steps)):
        return Message("direction_lost", _("joints {joints}: a direction of motion is lost here"), joints=[joint + 1])
    if _no_shift(steps, joint - 1, joint + 1):
        return Message("axes_in_line", _("axes {first} and {second} are in line"), first=joint, second=joint + 2)
    return Message("axes_parallel", _("axes {first} and {second} are parallel"), first=joint, second=joint + 2)


def _shoulder_meaning(steps: Sequence[Screw]) -> Message:
    places = joint_steps(steps)
    if _wrist_meets(steps):
        point, at = term(_("the wrist centre")), places[4]
    elif len(places) == 6 and _no_shift(steps, 4, 5):
        point, at = term(_("the point where axes 5 and 6 meet")), places[5]
    else:
        return Message("hand_over_axis", _("the hand is over axis 1, so that joint 1 does not move it sideways"))
    back = [step.inverse() for step in reversed(steps[places[0] + 1 : places[1]])]
    if sympy.expand(product(steps[places[1] : at]).p[2] - product(back).p[2]) == 0:
        return Message("point_on_axis", _("{point} lies on axis 1"), point=point)
    return Message("point_in_plane", _("{point} lies in the plane through axis 1 parallel to axis 2"), point=point)


def _wrist_meets(steps: Sequence[Screw]) -> bool:
    """Whether there are six axes and the last three meet in one point."""
    return len(joint_steps(steps)) == 6 and _no_shift(steps, 3, 5)


def _no_shift(steps: Sequence[Screw], first: int, last: int) -> bool:
    places = joint_steps(steps)
    return all(step.shift == 0 for step in steps[places[first] + 1 : places[last]])


def _are_parallel(steps: Sequence[Screw], first: int, last: int) -> bool:
    places = joint_steps(steps)
    return all(step.keeps_z for step in steps[places[first] : places[last]])
