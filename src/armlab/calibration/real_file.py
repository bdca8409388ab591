"""Real arms as TOML files, in millimetres and degrees: what `read_real_arm` reads is what `write_real_arm` wrote."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from armlab.arrays import Floats
from armlab.calibration.arm import FrameError, Friction, RealArm, RealJoint, Thermal
from armlab.catalog import load
from armlab.catalog.files import read_table, table_of_text
from armlab.catalog.schema import FileTable, Label, Number, Positive, Six, Triple
from armlab.errors import CatalogError, InvalidInput
from armlab.files import checked_suffix, write_whole
from armlab.geometry.inertia import from_six
from armlab.messages import Message, _
from armlab.model.robot import Robot
from armlab.units import DEG_PER_RAD, M_PER_MM, MM_PER_M, RAD_PER_DEG, joint_scale

NotNegative = Annotated[float, Field(strict=True, ge=0, le=1e6, allow_inf_nan=False)]
Stiffness = Annotated[float, Field(strict=True, gt=0, le=1e15, allow_inf_nan=False)]


class FrameErrorTable(FileTable):
    """An error of a frame: shift (mm) and rotation vector (degrees)."""

    xyz: Triple = (0.0, 0.0, 0.0)
    rotation: Triple = (0.0, 0.0, 0.0)


class FrictionTable(FileTable):
    """N m or N; viscous per rad/s or m/s; the Stribeck speed in rad/s or m/s."""

    coulomb: NotNegative = 0.0
    viscous: NotNegative = 0.0
    breakaway: NotNegative = 0.0
    stribeck_speed: Positive = 0.05


class RealJointTable(FileTable):
    """What one joint does other than the drawing says (degrees or mm); see armlab.calibration.RealJoint."""

    name: Label
    xyz: Triple = (0.0, 0.0, 0.0)
    rotation: Triple = (0.0, 0.0, 0.0)
    offset: Number = 0.0
    ratio: Number = 0.0
    eccentricity: tuple[Number, Number] = (0.0, 0.0)
    stiffness: Stiffness | None = None
    bending_stiffness: Stiffness | None = None
    backlash: NotNegative = 0.0
    hysteresis: NotNegative = 0.0
    friction: FrictionTable = Field(default_factory=FrictionTable)
    resolution: NotNegative = 0.0
    dead_band: NotNegative = 0.0
    delay: NotNegative = 0.0
    speed: Positive | None = None
    drift: Number = 0.0


class ThermalTable(FileTable):
    """K, s, and expansion in µm per metre and K."""

    rise: Number = 0.0
    time_constant: Positive = 1800.0
    expansion: NotNegative = 12.0


class PayloadTable(FileTable):
    """What the flange really carries: kg, mm, kg m² (xx, yy, zz, xy, xz, yz about the centre of mass)."""

    mass: NotNegative
    com: Triple = (0.0, 0.0, 0.0)
    inertia: Six = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class RealArmTable(FileTable):
    """A whole file."""

    schema_version: Literal[1] = Field(alias="schema")
    robot: Annotated[str, Field(min_length=1, max_length=600)]
    source: Annotated[str, Field(max_length=600)] = ""
    base: FrameErrorTable = Field(default_factory=FrameErrorTable)
    tool: FrameErrorTable = Field(default_factory=FrameErrorTable)
    payload: PayloadTable | None = None
    thermal: ThermalTable = Field(default_factory=ThermalTable)
    joint: Annotated[tuple[RealJointTable, ...], Field(min_length=1, max_length=64)]


def read_real_arm(path: Path | str, robot: Robot | None = None) -> RealArm:
    """Return the real arm of a file, on top of `robot` or, without one, of the catalog's arm that the file names.

    Raises:
        CatalogError: if it cannot be read, has a wrong key, or is of another arm.
    """
    path = Path(path)
    return _on_robot(read_table(path, RealArmTable), path, robot)


def real_arm_of_text(text: str, robot: Robot | None = None, *, name: str = "real.toml") -> RealArm:
    """Return the real arm of a file's text; `name` is what messages call the file.

    Raises:
        CatalogError: if it has a wrong key, or is of another arm.
    """
    path = Path(name)
    return _on_robot(table_of_text(text, RealArmTable, path), path, robot)


def _on_robot(table: RealArmTable, path: Path, robot: Robot | None) -> RealArm:
    if robot is not None and robot.name != table.robot:
        raise CatalogError(
            path,
            "robot",
            Message(
                "real_arm_of_another",
                _("the file describes '{given}'; the robot is '{robot}'"),
                given=table.robot,
                robot=robot.name,
            ),
        )
    try:
        return _built(table, load(table.robot) if robot is None else robot)
    except InvalidInput as error:
        raise CatalogError(path, "", error.message) from None


def write_real_arm(real: RealArm, path: Path | str) -> None:
    """Write a real arm as a file, whole or not at all.

    Raises:
        InvalidInput: if the name does not end in .toml, or it cannot be written.
    """
    write_whole(checked_suffix(Path(path), (".toml",)), real_arm_toml(real).encode())


def real_arm_toml(real: RealArm) -> str:
    """Return a real arm as the text of a file."""
    thermal, payload = real.thermal, real.payload
    lines = [
        "schema = 1",
        f"robot = {json.dumps(real.nominal.name)}",
        f"source = {json.dumps(real.source, ensure_ascii=False)}",
        f"base = {_frame(real.base)}",
        f"tool = {_frame(real.tool)}",
        f"thermal = {{ rise = {_number(thermal.rise)}, time_constant = {_number(thermal.time_constant)}, "
        f"expansion = {_number(thermal.expansion * 1e6)} }}",
    ]
    if payload is not None:
        I = payload.matrix  # noqa: E741
        six = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
        lines.append(
            f"payload = {{ mass = {_number(payload.mass)}, com = {_row(payload.com * MM_PER_M)}, "
            f"inertia = {_row(six)} }}"
        )
    for joint, nominal in zip(real.joints, real.nominal.joints, strict=True):
        lines += ["", "[[joint]]", *_joint_lines(joint, 1.0 / joint_scale(nominal.kind))]
    return "\n".join(lines) + "\n"


def _built(table: RealArmTable, robot: Robot) -> RealArm:
    names, given = [joint.name for joint in robot.joints], [joint.name for joint in table.joint]
    if names != given:
        raise InvalidInput(
            "real_joint_names",
            _("{robot}: the real arm has joints {given}; the robot has {expected}"),
            robot=robot.name,
            given=given,
            expected=names,
        )
    payload = table.payload
    thermal = table.thermal
    return RealArm(
        robot,
        tuple(_joint(each, joint_scale(robot.joints[i].kind)) for i, each in enumerate(table.joint)),
        _error(table.base.xyz, table.base.rotation),
        _error(table.tool.xyz, table.tool.rotation),
        None if payload is None else from_six(payload.mass, np.array(payload.com) * M_PER_MM, payload.inertia),
        Thermal(thermal.rise, thermal.time_constant, thermal.expansion * 1e-6),
        table.source,
    )


def _joint(table: RealJointTable, scale: float) -> RealJoint:
    friction = table.friction
    return RealJoint(
        table.name,
        _error(table.xyz, table.rotation),
        offset=table.offset * scale,
        ratio=table.ratio,
        eccentricity=np.array(table.eccentricity) * scale,
        stiffness=math.inf if table.stiffness is None else table.stiffness,
        bending_stiffness=math.inf if table.bending_stiffness is None else table.bending_stiffness,
        backlash=table.backlash * scale,
        hysteresis=table.hysteresis * scale,
        friction=Friction(friction.coulomb, friction.viscous, friction.breakaway, friction.stribeck_speed),
        resolution=table.resolution * scale,
        dead_band=table.dead_band * scale,
        delay=table.delay,
        speed=math.inf if table.speed is None else table.speed * scale,
        drift=table.drift * scale,
    )


def _joint_lines(joint: RealJoint, per: float) -> list[str]:
    """Return one joint as lines; `per` turns rad or m into degrees or mm. Values of a perfect joint are left out."""
    friction = joint.friction
    lines = [
        f"name = {json.dumps(joint.name, ensure_ascii=False)}",
        f"xyz = {_row(joint.frame.xyz * MM_PER_M)}",
        f"rotation = {_row(joint.frame.rotation * DEG_PER_RAD)}",
    ]
    for key, value, factor in (
        ("offset", joint.offset, per),
        ("ratio", joint.ratio, 1.0),
        ("backlash", joint.backlash, per),
        ("hysteresis", joint.hysteresis, per),
        ("resolution", joint.resolution, per),
        ("dead_band", joint.dead_band, per),
        ("delay", joint.delay, 1.0),
        ("drift", joint.drift, per),
    ):
        if value:
            lines.append(f"{key} = {_number(value * factor)}")
    for key, value, factor in (
        ("stiffness", joint.stiffness, 1.0),
        ("bending_stiffness", joint.bending_stiffness, 1.0),
        ("speed", joint.speed, per),
    ):
        if math.isfinite(value):
            lines.append(f"{key} = {_number(value * factor)}")
    if joint.eccentricity.any():
        lines.append(f"eccentricity = {_row(joint.eccentricity * per)}")
    if friction != Friction():
        lines.append(
            f"friction = {{ coulomb = {_number(friction.coulomb)}, viscous = {_number(friction.viscous)}, "
            f"breakaway = {_number(friction.breakaway)}, stribeck_speed = {_number(friction.stribeck_speed)} }}"
        )
    return lines


def _error(xyz: tuple[float, ...], rotation: tuple[float, ...]) -> FrameError:
    return FrameError(np.array(xyz) * M_PER_MM, np.array(rotation) * RAD_PER_DEG)


def _frame(error: FrameError) -> str:
    return f"{{ xyz = {_row(error.xyz * MM_PER_M)}, rotation = {_row(error.rotation * DEG_PER_RAD)} }}"


def _row(values: Iterable[float] | Floats) -> str:
    return f"[{', '.join(_number(value) for value in values)}]"


def _number(value: float) -> str:
    return repr(float(value) + 0.0)
