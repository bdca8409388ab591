"""Arguments and options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.model import pose
from armlab.units import M_PER_MM, joint_scale, joint_unit

if TYPE_CHECKING:
    from armlab.model.robot import Robot

RobotName = Annotated[
    str,
    typer.Argument(metavar="ROBOT", help="A name from `armlab robots`, or a .toml or .urdf file.", show_default=False),
]
ToolName = Annotated[
    str, typer.Option("--tool", metavar="TOOL", help="none, gripper, suction, pen, torch, or a .toml file.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON instead of text.")]

LARGEST = 1e6
"""No joint value or coordinate that somebody types is larger (degrees, mm)."""


class Units(StrEnum):
    """How joint values are typed: degrees and millimetres, or radians and metres."""

    deg = "deg"
    rad = "rad"


UnitsOption = Annotated[Units, typer.Option("--units", help="deg: joint values in ° and mm; rad: in rad and m.")]


def joint_values(robot: Robot, texts: Sequence[str], units: Units) -> Floats:
    """Return typed joint values as SI; none typed means the home pose."""
    if not texts:
        return robot.home.copy()
    names = ", ".join(f"{joint.name} [{joint_unit(joint.kind)}]" for joint in robot.joints)
    values = [number_of(text, "joint value") for text in texts]
    if len(values) != robot.dof:
        given = "1 value was" if len(values) == 1 else f"{len(values)} values were"
        raise InvalidInput(f"{robot.name} has {robot.dof} joints ({names}), but {given} given")
    scale = np.array([joint_scale(joint.kind) if units is Units.deg else 1.0 for joint in robot.joints])
    return np.asarray(np.array(values) * scale)


def limit_notes(robot: Robot, q: Floats) -> list[str]:
    """Return one sentence for each joint value outside its limits."""
    notes = []
    for value, joint in zip(q, robot.joints, strict=True):
        if not joint.lower - 1e-9 <= value <= joint.upper + 1e-9:
            scale, unit = joint_scale(joint.kind), joint_unit(joint.kind)
            shown, lower, upper = (f"{v / scale:.6g}" for v in (value, joint.lower, joint.upper))
            notes.append(f"joint '{joint.name}': {shown}{unit} is outside {lower}…{upper}{unit}")
    return notes


def target_pose(texts: Sequence[str]) -> tuple[Floats, bool]:
    """Return the typed target X Y Z [A B C] (mm, degrees) as a pose, and whether an orientation was given."""
    values = [number_of(text, "target value") for text in texts]
    if len(values) not in {3, 6}:
        raise InvalidInput(f"a target is X Y Z or X Y Z A B C (mm, degrees), but {len(values)} values were given")
    xyz, abc = np.array(values[:3]) * M_PER_MM, np.radians(values[3:] or [0.0, 0.0, 0.0])
    return pose.from_xyz_abc(xyz, abc), len(values) == 6


def start_values(robot: Robot, text: str, units: Units) -> Floats | None:
    """Return `--start`, joint values separated by commas or spaces, as SI; None where it was left out."""
    if not text:
        return None
    return joint_values(robot, text.replace(",", " ").split(), units)


def number_of(text: str, what: str) -> float:
    """Return a typed number; a comma is taken for the decimal point where it can mean nothing else."""
    try:
        value = float(text.replace(",", ".") if text.count(",") == 1 else text)
    except ValueError:
        if text.startswith("--"):
            raise InvalidInput(f"no such option: {text}") from None
        raise InvalidInput(f"{what} '{text}' is not a number") from None
    if not math.isfinite(value):
        raise InvalidInput(f"{what} '{text}' is not a finite number")
    if abs(value) > LARGEST:
        raise InvalidInput(f"{what} '{text}' is outside ±{LARGEST:g}")
    return value
