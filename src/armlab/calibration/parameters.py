"""The parameters of a calibration: which errors are looked for, and how the tool moves with each.

The geometry is that of lines: each joint's axis may be shifted and tilted across itself, four numbers for a turning
joint (two for a sliding one, whose place does not matter), and the tool has six. That is complete (every arm near the
drawn one can be written so), minimal (4r + 2p + 6 numbers) and continuous, also where axes are parallel: a shift
or tilt is along the axes of the joint's own drawn frame, so that no common normal between axes is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.error_chain import (
    ChainPoses,
    ErrorValues,
    base_columns,
    bending_columns,
    frame_columns,
    joint_columns,
    tool_columns,
)
from armlab.calibration.loads import GravityLoads
from armlab.errors import UnknownName
from armlab.model.robot import Robot, turn_z_to

Model = Literal["offsets", "geometry", "elastic", "full"]
"""`offsets`: zeros, base and tool, what any controller can be told; `geometry`: all axes and the tool; `elastic`: and
what gears give under weight; `full`: and bending, gear ratios and eccentricity."""
Place = Literal["frame", "base", "tool", "offset", "ratio", "sine", "cosine", "compliance", "bending"]
Unit = Literal["m", "rad", "1", "rad/(N m)", "m/N"]

LENGTH, ANGLE, RATIO, ECCENTRICITY = 1e-3, 2e-3, 1e-4, 2e-4
"""Typical sizes: they scale the columns of the Jacobian, so that what cannot be seen can be told from what is small."""
GIVE = 5e-4
"""rad (0.05 mm of a sliding joint) under the heaviest load of the samples: a typical size for compliances."""
_AXES = "xyz"


@dataclass(frozen=True, slots=True, eq=False)
class ErrorParameter:
    """One number that a calibration looks for."""

    name: str
    """`A2 shift x`, `tool turn z`, `A3 compliance`."""
    place: Place
    unit: Unit
    scale: float
    joint: int = -1
    along: Floats | None = None
    """The direction (6,) of a frame error: shift, then rotation."""


def parameters_of(robot: Robot, model: Model, loads: GravityLoads) -> tuple[ErrorParameter, ...]:
    """Return what a model looks for; `loads` are those of the measured configurations, for the scales.

    Raises:
        UnknownName: if there is no such model.
    """
    if model not in get_args(Model):
        raise UnknownName("calibration_model", model, get_args(Model))
    n = robot.dof
    found: list[ErrorParameter] = []
    if model == "offsets":
        found += offset_parameters(robot)
        found += _six("base")
    else:
        found += [each for i in range(n) for each in _line(robot, i)]
    found += _six("tool")
    if model in {"elastic", "full"}:
        found += [_compliance(robot, i, loads) for i in range(n)]
    if model == "full":
        heavy = np.linalg.norm(loads.across, axis=2).max(axis=0)
        found += [
            ErrorParameter(f"{joint.name} bending", "bending", "rad/(N m)", 0.2 * GIVE / max(float(heavy[i]), 1.0), i)
            for i, joint in enumerate(robot.joints)
        ]
        found += [ErrorParameter(f"{joint.name} ratio", "ratio", "1", RATIO, i) for i, joint in enumerate(robot.joints)]
        for i, joint in enumerate(robot.joints):
            if joint.kind == "revolute":
                found.append(ErrorParameter(f"{joint.name} sine", "sine", "rad", ECCENTRICITY, i))
                found.append(ErrorParameter(f"{joint.name} cosine", "cosine", "rad", ECCENTRICITY, i))
    return tuple(found)


def offset_parameters(robot: Robot) -> tuple[ErrorParameter, ...]:
    """Return the zeros of all joints."""
    return tuple(_offset(robot, i) for i in range(robot.dof))


def with_parameters(start: ErrorValues, parameters: Sequence[ErrorParameter], x: Floats) -> ErrorValues:
    """Return the errors `start` with the parameters' values (SI) added."""
    out = ErrorValues(
        start.frame.copy(),
        start.offset.copy(),
        start.ratio.copy(),
        start.eccentricity.copy(),
        start.compliance.copy(),
        start.bending.copy(),
        start.base.copy(),
        start.tool.copy(),
        start.growth,
    )
    for value, each in zip(x, parameters, strict=True):
        match each.place:
            case "frame":
                out.frame[each.joint] += value * each.along
            case "base":
                out.base += value * each.along
            case "tool":
                out.tool += value * each.along
            case "sine":
                out.eccentricity[each.joint, 0] += value
            case "cosine":
                out.eccentricity[each.joint, 1] += value
            case "offset" | "ratio" | "compliance" | "bending":
                getattr(out, each.place)[each.joint] += value
    return out


def tool_jacobian(
    robot: Robot,
    parameters: Sequence[ErrorParameter],
    values: ErrorValues,
    poses: ChainPoses,
    q: Floats,
    loads: GravityLoads,
) -> Floats:
    """Return how the tool moves with each parameter, (m, 6, p): velocity of its point, then angular velocity."""
    J = np.empty((len(q), 6, len(parameters)))
    moves = [np.concatenate(joint_columns(robot, poses, i), axis=1) for i in range(robot.dof)]
    factors = {"offset": np.ones_like(q), "ratio": q, "sine": np.sin(q), "cosine": np.cos(q), "compliance": loads.along}
    for k, each in enumerate(parameters):
        i = each.joint
        if each.place in factors:
            J[:, :, k] = moves[i] * factors[each.place][:, i, None]
        elif each.place == "bending":
            J[:, :3, k], J[:, 3:, k] = bending_columns(poses, loads.across, i)
        else:
            J[:, :3, k], J[:, 3:, k] = _frame_columns(poses, values, each)
    return J


def _frame_columns(poses: ChainPoses, values: ErrorValues, each: ErrorParameter) -> tuple[Floats, Floats]:
    assert each.along is not None
    if each.place == "frame":
        return frame_columns(poses, values, each.joint, each.along)
    return (base_columns if each.place == "base" else tool_columns)(poses, values, each.along)


def _line(robot: Robot, i: int) -> list[ErrorParameter]:
    """Return how the axis of joint `i` may lie elsewhere: shifts and tilts along x and y of a frame whose z it is."""
    joint = robot.joints[i]
    across = turn_z_to(joint.axis)[:, :2].T
    found = []
    if joint.kind == "revolute":
        for axis, direction in zip(_AXES, across, strict=False):
            along = np.concatenate([direction, np.zeros(3)])
            found.append(ErrorParameter(f"{joint.name} shift {axis}", "frame", "m", LENGTH, i, along))
    for axis, direction in zip(_AXES, across, strict=False):
        along = np.concatenate([np.zeros(3), direction])
        found.append(ErrorParameter(f"{joint.name} tilt {axis}", "frame", "rad", ANGLE, i, along))
    return found


def _offset(robot: Robot, i: int) -> ErrorParameter:
    joint = robot.joints[i]
    turns = joint.kind == "revolute"
    return ErrorParameter(f"{joint.name} offset", "offset", "rad" if turns else "m", ANGLE if turns else LENGTH, i)


def _six(place: Literal["base", "tool"]) -> list[ErrorParameter]:
    rows = np.eye(6)
    shifts = [ErrorParameter(f"{place} shift {_AXES[k]}", place, "m", LENGTH, along=rows[k]) for k in range(3)]
    turns = [ErrorParameter(f"{place} turn {_AXES[k]}", place, "rad", ANGLE, along=rows[3 + k]) for k in range(3)]
    return [*shifts, *turns]


def _compliance(robot: Robot, i: int, loads: GravityLoads) -> ErrorParameter:
    joint = robot.joints[i]
    turns = joint.kind == "revolute"
    heavy = max(float(np.abs(loads.along[:, i]).max()), 1.0)
    scale = (GIVE if turns else 0.1 * GIVE) / heavy
    return ErrorParameter(f"{joint.name} compliance", "compliance", "rad/(N m)" if turns else "m/N", scale, i)
