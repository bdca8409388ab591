"""Check a schedule without physics: what the tool holds, where every body is, and what touches what first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import assert_never

from armlab.arrays import Floats
from armlab.collision import Checker
from armlab.collision.answers import SweepReport
from armlab.dynamics.overload import payload_finding
from armlab.errors import InvalidInput, UnknownName
from armlab.geometry.inertia import Inertia
from armlab.messages import Message, _
from armlab.model.finding import Finding, Severity
from armlab.model.scene import Scene
from armlab.program.detour import detour
from armlab.program.executor.pieces import Event, Numbered, Piece
from armlab.program.executor.tracking import placed
from armlab.program.holding import HeldBodies
from armlab.program.instructions import (
    Instruction,
    Mark,
    MoveC,
    MoveHelix,
    MoveJ,
    MoveL,
    MoveSpline,
    MoveUntil,
    Pause,
    Pick,
    Place,
    Probe,
    ReadInput,
    Report,
    Say,
    SetOutput,
    Stop,
    Wait,
    WaitUntil,
    WhereIs,
)
from armlab.program.reach import body_at_tool
from armlab.program.schedule import Schedule
from armlab.units import MM_PER_M

TOUCH = 0.002
"""m: a held body this close to something stands on it, and may scrape along it while it is lifted or set down."""


@dataclass(frozen=True, slots=True, eq=False)
class CheckedSegment:
    """A segment, what the tool held during it, and how near it came to anything."""

    segment: Piece
    held: str | None
    sweep: SweepReport | None
    """None where nothing moves."""


@dataclass(frozen=True, slots=True, eq=False)
class ContactCheck:
    """A whole schedule checked: segments, findings in their order, and the scene as it is at the end."""

    segments: tuple[CheckedSegment, ...]
    findings: tuple[Finding, ...]
    scene: Scene


def check_contacts(
    scene: Scene, schedule: Schedule, *, robot: str | None = None, clearance: float = 0.0
) -> ContactCheck:
    """Move an arm of the scene through its schedule; bodies that are held move with the tool.

    Contacts are findings of severity `error`, with the step, the two parts and the time. The tool may touch what it has
    just let go or is about to take, and a held body what it stands on when it is lifted or set down.
    """
    monitor = ContactMonitor(scene, robot, clearance)
    around = with_neighbours(schedule.segments)
    checked = [monitor.check(one, before, after) for one, before, after in around if isinstance(one, Piece)]
    return ContactCheck(tuple(checked), tuple(monitor.findings), monitor.scene)


class ContactMonitor:
    """Follows an arm of a scene through its segments: what the tool holds, and what touches what."""

    def __init__(self, scene: Scene, robot: str | None = None, clearance: float = 0.0, *, detours: int = 0) -> None:
        """Follow an arm; of so many joint moves that touch something, a detour is looked for."""
        self._detours = detours
        self.findings: list[Finding] = []
        self._holding = HeldBodies(scene)
        self._clearance = clearance
        self._robot = scene.robot(robot)
        self._let_go: str | None = None

    @property
    def scene(self) -> Scene:
        """The scene with every body where it was put down last."""
        return self._holding.scene

    @property
    def load(self) -> Inertia:
        """What the tool holds, in its frame."""
        return self._holding.load

    def check(self, segment: Piece, before: Instruction | None, after: Instruction | None) -> CheckedSegment:
        """Check a segment; `before` and `after` are what happens around it, waiting left out."""
        self.findings.extend(segment.findings)
        sweep = None
        match segment.instruction:
            case Pick() as pick:
                self._pick(segment, pick)
            case Place():
                self._place(segment)
            case MoveJ() | MoveL() | MoveC() | MoveHelix() | MoveSpline() | Probe():
                sweep = self._sweep(segment, before, after)
            case Wait() | Stop() | Pause() | SetOutput() | Say() | Report() | Mark():
                pass
            case ReadInput() | WaitUntil() | WhereIs() | MoveUntil():
                pass
            case _:
                assert_never(segment.instruction)
        return CheckedSegment(segment, self._holding.held, sweep)

    def _tool(self, segment: Piece) -> Floats:
        return self._robot.robot.fk(segment.trajectory.start)

    def _pick(self, segment: Piece, pick: Pick) -> None:
        try:
            self._holding.pick(pick.body, self._tool(segment))
        except (InvalidInput, UnknownName) as error:
            self._report(segment, "error", error.message)
            return
        heavy = payload_finding(self._robot.robot, self._holding.load.mass)
        if (
            heavy is not None and payload_finding(self._robot.robot) is None
        ):  # a tool that is too heavy itself is told once
            self._report(segment, heavy.severity, heavy.message, heavy.where)

    def _place(self, segment: Piece) -> None:
        name = self._holding.place(self._tool(segment))
        if name is None:
            self._report(segment, "warning", Message("place_nothing", _("place: the tool holds nothing")))
        else:
            self._let_go = name

    def _sweep(self, segment: Piece, before: Instruction | None, after: Instruction | None) -> SweepReport:
        scene = replace(
            self.scene,
            robots=tuple(
                replace(placed, q=segment.trajectory.start) if placed.name == self._robot.name else placed
                for placed in self.scene.robots
            ),
        )
        checker = self._checker(scene, ())
        allowed = self._tool_and_body(segment, before, after, checker)
        allowed += self._supports(segment, before, after, checker)
        if allowed:
            checker = self._checker(scene, allowed)
        report = checker.sweep(segment.trajectory, clearance=self._clearance, robot=self._robot.name)
        first = report.first_contact
        if first is not None:
            when = segment.start + first.time
            facts: dict[str, str | float] = {"first": first.first, "second": first.second, "time": when}
            if first.distance <= 0.0 or self._clearance == 0.0:
                message = Message("contact", _("'{first}' and '{second}' touch after {time:.3f} s"), **facts)
            else:
                template = _("'{first}' and '{second}' come within {distance:.2f} mm after {time:.3f} s")
                message = Message("clearance", template, distance=first.distance * MM_PER_M, **facts)
            self._report(segment, "error", message, {**facts, "distance": first.distance})
            self._tell_detour(segment, checker, when)
        return report

    def _tell_detour(self, segment: Piece, checker: Checker, when: float) -> None:
        """Add a note with the points of a free path, where a single joint move touches something."""
        is_single = len(segment.covered) == 1 and isinstance(segment.instruction, MoveJ)
        if self._detours > 0 and is_single:
            self._detours -= 1
            message = detour(checker, segment.trajectory, self._robot.name, self._clearance)
            if message is not None:
                self._report(segment, "note", message, {"time": when})

    def _checker(self, scene: Scene, allowed: Iterable[tuple[str, str]]) -> Checker:
        checker = Checker(scene, allowed=allowed)
        grip = self._holding.grip
        return checker if grip is None else checker.with_held(*grip, robot=self._robot.name)

    def _tool_and_body(
        self, segment: Piece, before: Instruction | None, after: Instruction | None, checker: Checker
    ) -> list[tuple[str, str]]:
        """Return the tool with the body that it is about to take, and the one just let go: they may touch."""
        near = []
        if isinstance(after, Pick):
            T_world_tool = self._robot.robot.fk(segment.trajectory.end)
            with suppress(InvalidInput, UnknownName):
                near.append(body_at_tool(self.scene, after.body, T_world_tool).name)
        if isinstance(before, Place) and self._let_go is not None:
            near.append(self._let_go)
        last = self._robot.robot.links[-1]
        parts = {"tool", last.name, *(shape.part for shape in last.shapes if shape.part)}
        parts |= {f"{self._robot.name}/{part}" for part in parts}
        return [pair for pair in checker.pairs if parts & set(pair) and set(near) & set(pair)]

    def _supports(
        self, segment: Piece, before: Instruction | None, after: Instruction | None, checker: Checker
    ) -> list[tuple[str, str]]:
        """Return the held body with what it stands on at the start of a lift, or at the end of setting it down."""
        trajectory, name = segment.trajectory, self._holding.held
        if name is None:
            return []
        ends = [trajectory.start] * isinstance(before, Pick) + [trajectory.end] * isinstance(after, Place)
        near = [pair for q in ends for pair in checker.distances(q, within=TOUCH, robot=self._robot.name)]
        return [(pair.first, pair.second) for pair in near if name in {pair.first, pair.second}]

    def _report(
        self,
        segment: Piece,
        severity: Severity,
        message: Message,
        where: Mapping[str, float | int | str] | None = None,
    ) -> None:
        at = segment.covering(float((where or {}).get("time", segment.start)))
        self.findings.append(placed(Finding(severity, message, where or {}), Numbered(at.index, at.instruction), 0.0))


def with_neighbours(
    items: Iterable[Piece | Event],
) -> Iterator[tuple[Piece | Event, Instruction | None, Instruction | None]]:
    """Yield each piece with what happens before and after it: what the tool does, or another motion."""
    before: Instruction | None = None
    held: Piece | None = None
    waiting: list[Piece | Event] = []
    for item in items:
        doing = _doing(item)
        if doing is None:
            waiting.append(item)
            continue
        if held is not None:
            yield held, before, doing
            before = held.covered[-1].instruction
        yield from ((other, None, None) for other in waiting)
        waiting = []
        if isinstance(item, Piece):
            held = item
        else:
            yield item, None, None
            held, before = None, doing
    if held is not None:
        yield held, before, None
    yield from ((other, None, None) for other in waiting)


def _doing(item: Piece | Event) -> Instruction | None:
    """Return what an item does that counts for its neighbours; None for waiting, messages and the like."""
    instruction = item.instruction if isinstance(item, Event) else item.covered[0].instruction
    if isinstance(item, Event):
        return instruction if isinstance(instruction, Pick | Place) else None
    return None if isinstance(instruction, Wait | Pause) else instruction
