"""Sessions for tests: small projects, a session that the test lets time pass for, and what it told."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from cell.editing import whole

from armlab.arrays import Floats
from armlab.catalog import load
from armlab.cell.command_handler import CommandHandler
from armlab.cell.commands import COMMAND
from armlab.cell.events import Event
from armlab.cell.project import Project
from armlab.cell.session import Session
from armlab.cell.wire import HEADER, Flag
from armlab.reports.kinematics import fk_report
from armlab.units import joint_scale

TICK = 1.0 / 60.0
KUKA = "kuka-kr6-r700"
READY = [0.0, -90.0, 90.0, 0.0, 30.0, 0.0]
"""A pose of the KUKA (degrees) from which it can move every way."""
CUBE = {"name": "cube", "kind": "box", "size": [60.0, 60.0, 60.0], "mass": 0.4}
TABLE = {"name": "table", "kind": "box", "size": [400.0, 600.0, 20.0], "xyz": [500.0, 0.0, 10.0]}

Kind = TypeVar("Kind")


def project(arm: str = KUKA, **parts: Any) -> Project:
    """Return a project with an arm; `parts` are its other keys, or those of the arm."""
    own = {key: parts.pop(key) for key in ("tool", "tcp", "payload", "base", "dh", "limits") if key in parts}
    return Project.model_validate({"schema": 1, "arm": {"name": arm, **own}, **parts})


def with_parts(made: Project, name: str, **parts: Any) -> dict[str, Any]:
    """Return a project's values with other parts: those of the arm of that name, of the scene, or the `others`."""
    values = made.model_dump(by_alias=True)
    keys = ("arm", "poses", "plan", "scenario", "sensors", "program", "real")
    own = {key: parts.pop(key) for key in keys if key in parts}
    arms = [arm | own if arm["name"] == name else arm for arm in values["arms"]]
    if "others" in parts:
        arms = [*(arm for arm in arms if arm["name"] == name), *parts.pop("others")]
    return values | {"arms": arms} | parts


class Driven:
    """A session whose time is driven by the test."""

    def __init__(self, arm: str = KUKA, **parts: Any) -> None:
        self.session = Session(project(arm, **parts))
        self.handler = CommandHandler(self.session)
        self.told: list[Event] = []
        self.sequence = 0

    def ask(self, kind: str, **values: Any) -> None:
        """Hand over one command, as it comes over the wire."""
        self.handler.handle(COMMAND.validate_python({"type": kind, **values}))
        self.told += self.session.take_events()

    def jog(self, *shares: float) -> None:
        """Send one beat of a joint jog."""
        self.sequence += 1
        self.ask("jog_joints", shares=shares, sequence=self.sequence)

    def jog_tool(self, *shares: float, frame: str = "base", reference: str | None = None) -> None:
        """Send one beat of a jog of the tool."""
        self.sequence += 1
        self.ask("jog_tool", shares=shares, frame=frame, reference=reference, sequence=self.sequence)

    def edit(self, label: str = "change", **parts: Any) -> None:
        """Change parts of the project."""
        changed = with_parts(self.session.project, self.session.selected, **parts)
        self.ask("edit", changes=whole(changed), label=label, revision=self.session.revision)

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        for _ in range(round(seconds / TICK)):
            self.session.advance(TICK)
            self.told += self.session.take_events()

    def send(self, *q: float) -> None:
        """Send all joints to their targets."""
        self.ask("move_joints", revision=self.session.revision, targets=dict(enumerate(q)))

    def go(self, *q: float) -> None:
        """Move the joints and wait until they are there."""
        self.send(*q)
        for _ in range(600):
            self.wait(TICK)
            if not self.flags & Flag.MOVING:
                break
        self.wait(0.5)

    def of(self, kind: type[Kind]) -> list[Kind]:
        """Return what was told of one kind."""
        return [event for event in self.told if isinstance(event, kind)]

    def notices(self) -> list[str]:
        """Return the codes of all notices."""
        from armlab.cell.events import Notice

        return [event.code for event in self.of(Notice)]

    @property
    def flags(self) -> Flag:
        """What the session says that it is doing."""
        return Flag(HEADER.unpack_from(self.session.state_frame())[6])

    @property
    def q(self) -> Floats:
        """Where the joints are, in their units."""
        return np.array(fk_report(self.session.robot, self.session.q).q)

    @property
    def tool(self) -> Floats:
        """Where the tool is: x y z (mm) and A B C (degrees)."""
        found = fk_report(self.session.robot, self.session.q)
        return np.array([*found.xyz, *found.abc])

    def commands(self) -> Floats:
        """Return what was commanded of the joints at every tick (SI), (m, n)."""
        return self.session.samples.rows().command


def picker(**more: Any) -> Driven:
    """Return a KUKA with a cube right at its tool, in the air: nothing falls in a hierarchy."""
    robot = load(KUKA)
    q = np.array([v * joint_scale(j.kind) for v, j in zip(READY, robot.joints, strict=True)])
    x, y, z = robot.fk(q)[:3, 3] * 1000.0
    cube = CUBE | {"xyz": [x + 60.0, y, z]}
    driven = Driven(bodies=[cube], **{"structure": "hierarchy", **more})
    driven.go(*READY)
    return driven
