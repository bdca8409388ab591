"""Link files: which arm is at which port, how its joints are wired, and what it may do.

Degrees, millimetres and seconds, as in all files of armlab.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from armlab.arrays import Floats
from armlab.catalog import load
from armlab.catalog.files import read_table
from armlab.catalog.schema import FileTable, Label, Number, Positive
from armlab.errors import CatalogError, InvalidInput, UnknownName
from armlab.link.wiring import JointWire, WireMap
from armlab.messages import Message, _
from armlab.model.robot import Robot
from armlab.units import RAD_PER_DEG, joint_scale

Share = Annotated[float, Field(strict=True, gt=0, le=1, allow_inf_nan=False)]
Seconds = Annotated[float, Field(strict=True, ge=0, le=60, allow_inf_nan=False)]
DriverName = Literal["feetech", "grbl", "kvp", "lines", "rtde", "simulated"]
NO_PORT = ("simulated",)
NO_JOINTS = ("kvp", "rtde", "simulated")
"""Drivers that speak in joint values already, or know how the arm is wired."""


class IdentityTable(FileTable):
    """What must answer at the other end; empty: anything that the driver understands."""

    firmware: Annotated[str, Field(max_length=100)] = ""
    serial: Annotated[str, Field(max_length=100)] = ""


class JointWireTable(FileTable):
    """Channel, and two numbers on the wire with the joint values (° or mm) that they mean; likewise of feedback."""

    channel: Annotated[int, Field(strict=True, ge=0, le=253)]
    wire: tuple[Number, Number]
    joint: tuple[Number, Number]
    feedback: tuple[Number, Number] | None = None


class LimitSharesTable(FileTable):
    """Shares of the limits of the catalog."""

    speed: Share = 0.5
    acceleration: Share = 1.0


class WatchTable(FileTable):
    """Seconds until a sample is old, and until a lease ends that is not renewed."""

    age: Annotated[float, Field(strict=True, ge=0.02, le=0.15)] = 0.15
    lease: Annotated[float, Field(strict=True, ge=0.5, le=10)] = 2.0


class StopTable(FileTable):
    """What happens when the connection is closed on purpose."""

    on_release: Literal["hold", "power_off"] = "hold"


class FollowTable(FileTable):
    """How the arm follows: dead time and lag (s), and from which deviation (° or mm) on it does not."""

    dead_time: Seconds = 0.0
    lag: Seconds = 0.0
    bound: Positive = 4.0


class GateTable(FileTable):
    """What every motion is checked against: a scene, and how near (mm) to anything it may come."""

    scene: Annotated[str, Field(max_length=600)] = ""
    clearance: Annotated[float, Field(strict=True, ge=0, le=500)] = 5.0


class ArmLinkTable(FileTable):
    """A whole file."""

    schema_version: Literal[1] = Field(alias="schema")
    arm: Annotated[str, Field(min_length=1, max_length=600)]
    driver: DriverName
    port: Annotated[str, Field(max_length=300)] = ""
    identity: IdentityTable = Field(default_factory=IdentityTable)
    joints: dict[Label, JointWireTable] = Field(default_factory=dict, max_length=64)
    rest: Annotated[tuple[Number, ...], Field(max_length=64)] | None = None
    limits: LimitSharesTable = Field(default_factory=LimitSharesTable)
    watch: WatchTable = Field(default_factory=WatchTable)
    stop: StopTable = Field(default_factory=StopTable)
    follow: FollowTable = Field(default_factory=FollowTable)
    gate: GateTable = Field(default_factory=GateTable)


@dataclass(frozen=True, slots=True, eq=False)
class LinkFile:
    """A link file, checked and in SI."""

    path: Path
    robot: Robot
    table: ArmLinkTable
    wires: WireMap | None
    feedback: WireMap | None
    """How analog feedback is wired; None where a joint has none."""
    rest: Floats | None
    """Where the arm rests before its drives are switched on for the first time, (n,)."""
    bound: Floats
    """Deviation (n,) from which on the arm does not follow."""


def read_link(path: Path | str) -> LinkFile:
    """Return what a link file says.

    Raises:
        CatalogError: if it cannot be read, or something in it is wrong; the message names the file and the key.
    """
    path = Path(path)
    table = read_table(path, ArmLinkTable)
    try:
        robot = load(table.arm if not table.arm.endswith((".toml", ".urdf")) else str(path.parent / table.arm))
    except (InvalidInput, UnknownName) as error:
        raise CatalogError(path, "arm", error.message) from None
    return _checked(path, robot, table)


def _checked(path: Path, robot: Robot, table: ArmLinkTable) -> LinkFile:
    names = [joint.name for joint in robot.joints]
    scales = np.array([joint_scale(joint.kind) for joint in robot.joints])
    if not table.port and table.driver not in NO_PORT:
        raise CatalogError(path, "port", Message("key_missing", _("is missing")))
    wires = feedback = rest = None
    if table.joints or table.driver not in NO_JOINTS:
        _check_joints(path, names, table)
        rows = [table.joints[name] for name in names]
        wires = _wires([row.wire for row in rows], rows, scales)
        known = [row.feedback for row in rows if row.feedback is not None]
        feedback = _wires(known, rows, scales) if len(known) == len(rows) else None
    if table.rest is not None:
        if len(table.rest) != robot.dof:
            text = _("expected {expected} values, got {got}")
            raise CatalogError(path, "rest", Message("rest_count", text, expected=robot.dof, got=len(table.rest)))
        rest = np.array(table.rest) * scales
        if not ((rest >= robot.lower - 1e-9) & (rest <= robot.upper + 1e-9)).all():
            raise CatalogError(path, "rest", Message("rest_outside", _("is outside of the limits of the joints")))
    return LinkFile(path, robot, table, wires, feedback, rest, table.follow.bound * scales)


def _check_joints(path: Path, names: list[str], table: ArmLinkTable) -> None:
    for name in table.joints:
        if name not in names:
            raise CatalogError(path, f"joints.{name}", UnknownName("joint", name, names, owner=table.arm).message)
    for name in names:
        if name not in table.joints:
            raise CatalogError(path, f"joints.{name}", Message("key_missing", _("is missing")))
        row = table.joints[name]
        if row.wire[0] == row.wire[1] or row.joint[0] == row.joint[1] or len(set(row.feedback or (0, 1))) == 1:
            text = _("two different numbers are needed on either side")
            raise CatalogError(path, f"joints.{name}", Message("wire_degenerate", text))
    counted = Counter(row.channel for row in table.joints.values())
    twice = next((channel for channel, count in counted.items() if count > 1), None)
    if twice is not None:
        name = [name for name, row in table.joints.items() if row.channel == twice][1]
        text = _("channel {channel} is used twice")
        raise CatalogError(path, f"joints.{name}", Message("channel_twice", text, channel=twice))


def _wires(numbers: list[tuple[float, float]], rows: list[JointWireTable], scales: Floats) -> WireMap:
    return WireMap(
        [
            JointWire(row.channel, wire, (row.joint[0] * scale, row.joint[1] * scale))
            for row, wire, scale in zip(rows, numbers, scales.tolist(), strict=True)
        ]
    )


ARMING_STEP = RAD_PER_DEG
"""rad: arming moves no joint by more than this."""
