"""What is kept all along a path: the tool upright, on a plane or on a line, a joint within a range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, assert_never

import numpy as np

from armlab.arrays import Floats, as_floats
from armlab.collision import Checker
from armlab.errors import InvalidInput, UnknownName
from armlab.kernels.collision.rules import LINE, PLANE, RULE, UPRIGHT
from armlab.messages import _
from armlab.model.robot import Robot

Vector: TypeAlias = Sequence[float] | Floats


@dataclass(frozen=True, slots=True, eq=False)
class Upright:
    """An axis of the tool stays within an angle (rad) of a direction in the world.

    What stands in a gripper that points down is upright while the tool's -z axis points up.
    """

    within: float
    axis: Vector = (0.0, 0.0, -1.0)
    direction: Vector = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class OnPlane:
    """The tool's origin stays within a distance (m) of a plane through a point of the world."""

    point: Vector
    normal: Vector
    within: float


@dataclass(frozen=True, slots=True, eq=False)
class OnLine:
    """The tool's origin stays within a distance (m) of a line through a point of the world."""

    point: Vector
    direction: Vector
    within: float


@dataclass(frozen=True, slots=True, eq=False)
class JointRange:
    """A joint stays between two values (rad or m)."""

    joint: str
    lower: float
    upper: float


Constraint: TypeAlias = Upright | OnPlane | OnLine | JointRange


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """Constraints as the search takes them."""

    rules: Floats
    """(k, RULE) see armlab.kernels.collision.rules."""
    lower: Floats
    """(n,) of the arm's joints."""
    upper: Floats


def bounds_of(checker: Checker, robot: str | None, constraints: Sequence[Constraint]) -> Bounds:
    """Return constraints for an arm of a scene.

    Raises:
        InvalidInput, UnknownName: if one of them cannot be kept by any motion.
    """
    scene = checker.scene
    placed = scene.robot(robot)
    arm = placed.robot
    frame = sum(other.robot.uncoupled.dof for other in scene.robots[: scene.robots.index(placed) + 1])
    rules, lower, upper = [], arm.lower.copy(), arm.upper.copy()
    for one in constraints:
        if isinstance(one, JointRange):
            names = [joint.name for joint in arm.joints]
            if one.joint not in names:
                raise UnknownName("joint", one.joint, names, owner=arm.name)
            i = names.index(one.joint)
            lower[i], upper[i] = max(lower[i], one.lower), min(upper[i], one.upper)
            if not lower[i] <= upper[i]:
                raise InvalidInput(
                    "joint_range_empty", _("constraint: joint '{joint}' has no value in its range"), joint=one.joint
                )
        else:
            rules.append(_rule(arm, one, frame))
    return Bounds(np.array(rules).reshape(-1, RULE), lower, upper)


def _rule(arm: Robot, one: Upright | OnPlane | OnLine, frame: int) -> Floats:
    """Return the row of one constraint."""
    if not (one.within > 0.0 and math.isfinite(one.within)):
        raise InvalidInput(
            "constraint_tolerance", _("constraint: within must be > 0, got {within:g}"), within=one.within
        )
    T_frame_tool = np.eye(4)
    T_frame_tool[:3, :3] = arm.uncoupled.chain.to_link[-1]
    T_frame_tool = T_frame_tool @ arm.flange @ arm.tool.T_flange_tool
    row = np.zeros(RULE)
    row[1], row[11] = one.within, frame
    match one:
        case Upright(axis=axis, direction=direction):
            row[0], row[2:5], row[8:11] = UPRIGHT, T_frame_tool[:3, :3] @ _unit(axis), _unit(direction)
        case OnPlane(point=point, normal=normal):
            row[0], row[2:5] = PLANE, T_frame_tool[:3, 3]
            row[5:8], row[8:11] = as_floats(point, (3,), "constraint: point"), _unit(normal)
        case OnLine(point=point, direction=direction):
            row[0], row[2:5] = LINE, T_frame_tool[:3, 3]
            row[5:8], row[8:11] = as_floats(point, (3,), "constraint: point"), _unit(direction)
        case _:
            assert_never(one)
    return row


def _unit(vector: Vector) -> Floats:
    values = as_floats(vector, (3,), "constraint: direction")
    length = float(np.linalg.norm(values))
    if length < 1e-9:
        raise InvalidInput("constraint_direction", _("constraint: [0, 0, 0] has no direction"))
    return np.asarray(values / length)
