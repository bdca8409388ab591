"""The console of a session: lines are carried out from where the arm stands, and become something to play."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.cell import commands as c
from armlab.cell.player import Player
from armlab.cell.preview import preview_of
from armlab.model.scene import Scene
from armlab.program.console import ConsoleResult, ConsoleSession, console_session
from armlab.program.executor import Event, Piece
from armlab.program.gcode.shipped import PROGRAMS
from armlab.program.instructions import Pick
from armlab.program.languages import ProgramSource, program_source
from armlab.reports.console import ConsoleReport, console_report


class Entered(NamedTuple):
    """What a line did: for the page, and for the arm."""

    report: ConsoleReport
    player: Player | None
    grips: tuple[c.PickObject | c.ReleaseObject, ...]
    """What the tool does where no motion comes with it."""


class LiveConsole:
    """Keeps what was declared, as long as the arm and the language are the same."""

    def __init__(self) -> None:
        self._session: ConsoleSession | None = None
        self._of: tuple[object, ...] = ()

    def enter(self, command: c.ConsoleLine, scene: Scene, q: Floats) -> Entered:
        """Carry out a line for the first arm of a scene that stands at `q` (n,)."""
        robot = scene.robots[0].robot
        key = (robot.name, command.language, robot.base.tobytes(), robot.tool.T_flange_tool.tobytes())
        if self._session is None or key != self._of:
            self._session = console_session(robot, command.language, start=q, open_program=_shipped)
            self._of = key
        session = self._session
        session.stand_at(np.asarray(q))
        session.signals.inputs.update(command.inputs)
        result = session.enter(command.line)
        if result.outcome == "quit":
            self._session = None
        report = console_report(robot, result)
        if not result.pieces:
            return Entered(report, None, tuple(_grip(command.arm, event) for event in result.grips))
        return Entered(report, _player(result), ())


def _player(result: ConsoleResult) -> Player:
    begin = result.pieces[0].start
    pieces = [replace(piece, start=piece.start - begin, events=(), findings=()) for piece in result.pieces]
    grips = [Event(event.time - begin, event.index, event.instruction) for event in result.grips]
    motion = reduce(lambda a, b: a.then(b), (piece.trajectory for piece in pieces))
    items: list[Piece | Event] = [*grips, *pieces]
    return Player("console", sorted(items, key=_time_of), preview_of(motion))


def _time_of(item: Piece | Event) -> float:
    return item.start if isinstance(item, Piece) else item.time


def _grip(arm: str | None, event: Event) -> c.PickObject | c.ReleaseObject:
    if isinstance(event.instruction, Pick):
        return c.PickObject(type="pick", arm=arm, body=event.instruction.body)
    return c.ReleaseObject(type="place", arm=arm)


def _shipped(name: str) -> ProgramSource:
    """Return a program that comes with armlab: a page reads no other files.

    Raises:
        InvalidInput: if there is none of this name.
    """
    known = sorted(path for path in PROGRAMS.glob(f"{_plain(name)}.*") if path.suffix != ".dat")
    return program_source(str(known[0]) if known else _plain(name))


def _plain(name: str) -> str:
    return "".join(letter for letter in name if letter.isalnum() or letter in "-_") or "none"
