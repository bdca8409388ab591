"""What a singular pose looks like: its kind, and in words what the arm does there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import sympy

from armlab.kinematics.symbolic.derivation import SingularCondition, SymbolicRow
from armlab.kinematics.symbolic.jacobian import joint_steps
from armlab.kinematics.symbolic.matrices import Step, product, steps_of
from armlab.kinematics.symbolic.table import SymbolicTable

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
    return SingularCondition(
        expression, "other", f"joints {_listed(joints)} stand so that a direction of motion is lost"
    )


def _elbow(steps: Sequence[Step], rows: Sequence[SymbolicRow]) -> int | None:
    """Return the first joint that is parallel to the one before it; else the first that slides; else the middle one."""
    for i, (before, here) in enumerate(pairwise(rows)):
        if before.kind == here.kind == "revolute" and _are_parallel(steps, i, i + 1):
            return i + 1
    sliding = [i for i, row in enumerate(rows) if row.kind == "prismatic"]
    if sliding:
        return sliding[0]
    return (len(rows) - 1) // 2 if len(rows) >= 5 else None


def _elbow_meaning(joint: int, steps: Sequence[Step], rows: Sequence[SymbolicRow]) -> str:
    if rows[joint].kind == "prismatic":
        return f"the slide of joint {joint + 1} is drawn in to axis {joint}"
    what = f"the arm is stretched or folded at joint {joint + 1}"
    if len(rows) == 6 and _wrist_meets(steps):
        return f"{what}: the wrist centre lies in the plane of axes {joint} and {joint + 1}"
    return what


def _wrist_meaning(joint: int, steps: Sequence[Step]) -> str:
    if joint + 1 >= len(joint_steps(steps)):
        return f"joint {joint + 1} stands so that a direction of motion is lost"
    how = "in line" if _no_shift(steps, joint - 1, joint + 1) else "parallel"
    return f"axes {joint} and {joint + 2} are {how}"


def _shoulder_meaning(steps: Sequence[Step]) -> str:
    places = joint_steps(steps)
    if _wrist_meets(steps):
        there, at = "the wrist centre", places[4]
    elif len(places) == 6 and _no_shift(steps, 4, 5):
        there, at = "the point where axes 5 and 6 meet", places[5]
    else:
        return "the hand comes over axis 1, so that joint 1 does not move it sideways"
    back = [step.inverse() for step in reversed(steps[places[0] + 1 : places[1]])]
    if sympy.expand(product(steps[places[1] : at]).p[2] - product(back).p[2]) == 0:
        return f"{there} lies on axis 1"
    return f"{there} lies in the plane through axis 1 parallel to axis 2"


def _wrist_meets(steps: Sequence[Step]) -> bool:
    """Whether there are six axes and the last three meet in one point."""
    return len(joint_steps(steps)) == 6 and _no_shift(steps, 3, 5)


def _no_shift(steps: Sequence[Step], first: int, last: int) -> bool:
    places = joint_steps(steps)
    return all(step.shift == 0 for step in steps[places[first] + 1 : places[last]])


def _are_parallel(steps: Sequence[Step], first: int, last: int) -> bool:
    places = joint_steps(steps)
    return all(step.keeps_z for step in steps[places[first] : places[last]])


def _listed(joints: Sequence[int]) -> str:
    *front, last = [str(i + 1) for i in joints]
    return f"{', '.join(front)} and {last}" if front else last
