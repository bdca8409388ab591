"""Arguments and options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.messages import Message, _, term
from armlab.model.joint_limits import violations
from armlab.units import joint_scale, joint_unit

if TYPE_CHECKING:
    from armlab.model.robot import Robot


def begins_robot(incomplete: str) -> list[str]:
    """Return the arms whose names begin so, for the shell."""
    from armlab.catalog import robot_names

    return [name for name in robot_names() if name.startswith(incomplete)]


def begins_tool(incomplete: str) -> list[str]:
    """Return the tools whose names begin so, for the shell."""
    from armlab.catalog import tool_names

    return [name for name in tool_names() if name.startswith(incomplete)]


RobotName = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help=_("A name from `armlab robots`, or a .toml or .urdf file."),
        show_default=False,
        autocompletion=begins_robot,
    ),
]
ToolName = Annotated[
    str,
    typer.Option("--tool", metavar="TOOL", help=_("{tools}, or a .toml file."), autocompletion=begins_tool),
]
TcpOption = Annotated[
    str,
    typer.Option(
        "--tcp",
        metavar="X,Y,Z[,A,B,C]",
        help=_("The tool's working point in the flange's frame (mm, degrees); left out: the tool's own."),
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help=_("Write JSON instead of text."))]

LARGEST = 1e6
"""No joint value or coordinate that somebody types is larger (degrees, mm)."""


class Units(StrEnum):
    """How joint values are typed: degrees and millimetres, or radians and metres."""

    deg = "deg"
    rad = "rad"


UnitsOption = Annotated[Units, typer.Option("--units", help=_("deg: joint values in ° and mm; rad: in rad and m."))]


def arm_of(robot: str, tool: str, tcp: str) -> Robot:
    """Return the arm with the tool and its working point that were typed."""
    from armlab.catalog import load

    return with_tcp(load(robot, tool=tool), tcp)


def with_tcp(arm: Robot, tcp: str) -> Robot:
    """Return the same arm, whose tool has the typed working point; nothing typed leaves it as it is.

    Raises:
        InvalidInput: if it is not X,Y,Z or X,Y,Z,A,B,C.
    """
    if not tcp:
        return arm
    values = [number_of(part.strip(), "--tcp") for part in tcp.split(",")]
    if len(values) not in {3, 6}:
        raise InvalidInput("tcp", _("--tcp: X,Y,Z or X,Y,Z,A,B,C (mm, degrees) needed, got '{given}'"), given=tcp)
    return arm.with_tool(replace(arm.tool, T_flange_tool=pose.from_mm_deg((*values, 0.0, 0.0, 0.0)[:6])))


def joint_values(robot: Robot, texts: Sequence[str], units: Units) -> Floats:
    """Return typed joint values as SI; none typed means the home configuration."""
    if not texts:
        return robot.home.copy()
    values = [number_of(text, term(_("joint value"))) for text in texts]
    if len(values) != robot.dof:
        raise InvalidInput(
            "wrong_joint_count",
            _("{robot}: joint values needed: {joints} ({names}); given: {count}"),
            robot=robot.name,
            joints=robot.dof,
            names=[f"{joint.name} [{joint_unit(joint.kind)}]" for joint in robot.joints],
            count=len(values),
        )
    scale = np.array([joint_scale(joint.kind) if units is Units.deg else 1.0 for joint in robot.joints])
    return np.asarray(np.array(values) * scale)


def limit_notes(robot: Robot, q: Floats) -> list[Message]:
    """Return a message for each joint value outside its limits."""
    return [violation.message for violation in violations(robot, q)]


def target_pose(texts: Sequence[str]) -> tuple[Floats, bool]:
    """Return the typed target X Y Z [A B C] (mm, degrees) as a pose, and whether an orientation was given."""
    values = [number_of(text, term(_("target value"))) for text in texts]
    if len(values) not in {3, 6}:
        raise InvalidInput(
            "wrong_target",
            _("a target is X Y Z or X Y Z A B C (mm, degrees); numbers given: {count}"),
            count=len(values),
        )
    return pose.from_mm_deg((*values, 0.0, 0.0, 0.0)[:6]), len(values) == 6


def start_values(robot: Robot, text: str, units: Units) -> Floats | None:
    """Return `--start`, joint values separated by commas or spaces, as SI; None where it was left out."""
    if not text:
        return None
    return joint_values(robot, text.replace(",", " ").split(), units)


def number_of(text: str, what: str | Message) -> float:
    """Return a typed number; a comma is taken for the decimal point where it can mean nothing else."""
    try:
        value = float(text.replace(",", ".") if text.count(",") == 1 else text)
    except ValueError:
        if text.startswith("--"):
            raise InvalidInput("unknown_option", _("no such option: {option}"), option=text, near=()) from None
        raise InvalidInput("not_a_number", _("'{given}' is not a number"), given=text).within(what) from None
    if not math.isfinite(value):
        raise InvalidInput("not_finite", _("{given} is not a finite number"), given=text).within(what)
    if abs(value) > LARGEST:
        raise InvalidInput(
            "number_too_large", _("{what}: '{text}' is outside ±{largest:g}"), what=what, text=text, largest=LARGEST
        )
    return value


def check_range(option: str, value: float, lower: float, upper: float, unit: str | Message) -> float:
    """Return a number typed for an option if it lies in its range.

    Raises:
        InvalidInput: if it does not.
    """
    if not lower <= value <= upper:
        raise InvalidInput(
            "option_out_of_range",
            _("{option}: {value:g} {unit} is outside {lower:g} … {upper:g} {unit}"),
            option=option,
            value=value,
            lower=lower,
            upper=upper,
            unit=unit,
        )
    return value


def configuration_or_values(robot: Robot, name: str | None, texts: Sequence[str], units: Units) -> Floats:
    """Return the joint values of a named configuration, or those that were typed; home where there are neither.

    Raises:
        InvalidInput: if there are both.
    """
    if name is not None and texts:
        raise InvalidInput("configuration_and_values", _("give either joint values or --configuration NAME, not both"))
    return joint_values(robot, texts, units) if name is None else robot.configuration(name).copy()
