"""A program's text becomes something that can be played: planned whole, with the time at which each line begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Literal

import numpy as np
from pydantic import ValidationError

from armlab.arrays import Floats
from armlab.cell.events import ValueChange
from armlab.cell.player import Player, StatementTime
from armlab.cell.project import ProgramText
from armlab.errors import InvalidInput
from armlab.messages import _, term
from armlab.model.finding import Finding
from armlab.model.scene import Scene
from armlab.motion.trajectory import Trajectory
from armlab.program.execution import Execution
from armlab.program.executor import Event, Executor, Piece
from armlab.program.executor.asking import WAIT_NEVER_ENDS
from armlab.program.executor.pieces import CoveredTime
from armlab.program.gcode.interpreter import Options
from armlab.program.instructions import Mark, Pick, Place, Report, SetOutput
from armlab.program.languages import ProgramSource
from armlab.program.prepare import Cell, PreparedProgram, RunOptions, plain_stream, prepare
from armlab.program.probing import contact_in
from armlab.program.scenario import program_of
from armlab.program.scenario_schema import ScenarioFile
from armlab.program.schedule import Schedule
from armlab.program.signals import InputChange, Signals, Value
from armlab.validation import parsed_json, refusal

MAX_STATEMENTS = 20_000
"""A longer program is run from the command line."""
MOST_CHANGES = 20_000
"""Values of variables and outputs that a page gets."""
SHOWN_WAIT = 0.05
"""s of a wait that is planned; the rest of it passes until an input is switched."""
LONGEST = 3600.0
"""s: a program that runs longer counts as endless."""


def prepared_program(
    program: ProgramText, scene: Scene, *, stops_at_errors: bool, with_marks: bool = False
) -> PreparedProgram:
    """Return a program with its instructions for the arm of a scene, which begins at home.

    Raises:
        InvalidInput: if the text cannot be read as a program.
    """
    arm, *others = scene.robots
    arm = replace(arm, q=arm.robot.home)
    cell = Cell(replace(scene, robots=(arm, *others)), arm)
    source = ProgramSource("program", program.language, data=program.text.encode())
    if program.language != "scenario":
        gcode = Options(dialect=program.dialect)
        return prepare(source, cell, options=RunOptions(gcode, stops_at_errors=stops_at_errors, with_marks=with_marks))
    try:
        found = program_of(ScenarioFile.model_validate(parsed_json(program.text.encode())), arm.robot)
    except ValidationError as error:
        raise refusal(error).within(term(_("not an armlab scenario"))) from None
    return PreparedProgram(source, cell, plain_stream(found.instructions), found.start)


def program_player(program: ProgramText | None, scene: Scene, switched: tuple[InputChange, ...] = ()) -> Player:
    """Return a player with the whole program, planned ahead; `switched` are inputs that change while it runs.

    A wait that nothing ends is where the plan ends: the player waits there until an input is switched.

    Raises:
        InvalidInput: if there is none, it cannot be read, does not move the arm, or is too long to be played.
    """
    if program is None or not program.text.strip():
        raise InvalidInput("no_program", _("there is no program yet; write one, or open an example"))
    ready = prepared_program(program, scene, stops_at_errors=True, with_marks=True)
    robot = ready.cell.robot
    made = _Made()
    begun = perf_counter()
    executor = Executor(
        robot,
        ready.instructions,
        start=ready.start,
        signals=Signals(dict(program.inputs), script=tuple(sorted(switched, key=lambda change: change.at))),
        contact=contact_in(ready.cell.scene, ready.cell.arm.name),
        seconds=LONGEST,
    )
    debugger = Execution(made.kept(executor))
    statements = []
    while (one := debugger.go("into")) is not None:
        if one.span is not None:
            statements.append(StatementTime(one.time, one.span.line, one.depth))
        if len(statements) > MAX_STATEMENTS:
            text = _("the program does more than {most} statements; run it from the command line")
            raise InvalidInput("program_too_long", text, most=MAX_STATEMENTS)
    if made.awaited is not None:
        made.wait(np.array(executor.state.q))
    if not made.segments:
        first = next((finding for finding in made.findings if finding.severity == "error"), None)
        if first is not None:
            raise InvalidInput(first.message)
        raise InvalidInput("program_without_motion", _("the program does not move the arm"))
    schedule = Schedule(robot, tuple(made.segments), tuple(made.acts))
    return Player(
        "program",
        schedule.trajectory,
        tuple(made.findings),
        schedule,
        statements=tuple(statements),
        changes=tuple(made.changes),
        planned_with=lambda changes: program_player(program, scene, changes),
        switched=switched,
        waits=made.awaited is not None,
        planning_s=perf_counter() - begun,
    )


@dataclass(slots=True)
class _Made:
    """What an executor yields, kept while it passes by."""

    segments: list[Piece] = field(default_factory=list)
    acts: list[Event] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    changes: list[ValueChange] = field(default_factory=list)
    awaited: Event | None = None
    """The wait that nothing ends."""

    def wait(self, q: Floats) -> None:
        """Add a short rest at the end, where the wait is."""
        assert self.awaited is not None
        time, index, report = self.awaited.time, self.awaited.index, self.awaited.instruction
        covered = (CoveredTime(index, report, 0.0, SHOWN_WAIT),)
        self.segments.append(Piece(time, Trajectory.rest(q, SHOWN_WAIT), covered))

    def kept(self, items: Iterable[Piece | Event]) -> Iterator[Piece | Event]:
        """Yield the same items, and keep motions, picks and places, and what is wrong."""
        for item in items:
            if isinstance(item, Piece):
                self.segments.append(item)
                self.findings.extend(item.findings)
                for event in item.events:
                    self._event(event)
            else:
                self._event(item)
            yield item

    def _event(self, event: Event) -> None:
        match event.instruction:
            case Pick() | Place():
                self.acts.append(event)
            case Report(finding=finding) if finding.code == WAIT_NEVER_ENDS:
                self.awaited = event
            case Report(finding=finding):
                self.findings.append(finding)
            case SetOutput(name=name, value=value):
                self._change(event.time, "output", name, value)
            case Mark(changes=changes):
                for name, changed in changes:
                    self._change(event.time, "variable", name, changed)
            case _:
                pass

    def _change(self, time: float, kind: Literal["variable", "output"], name: str, value: Value | None) -> None:
        if len(self.changes) < MOST_CHANGES and not name.startswith("#5"):  # parameters of the machine itself
            self.changes.append(ValueChange(time=round(time, 6), kind=kind, name=name, value=value))
