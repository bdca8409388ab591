"""A program that is stepped through: run to breakpoints, statement by statement, with everything that happens kept."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.program.console.console_language import OpenedProgram, without_reports
from armlab.program.console.plant import ConsolePlant
from armlab.program.executor import Event, Executor, ExecutorState, Piece
from armlab.program.executor.debugger import Debugger, Statement
from armlab.program.instructions import Instructions, Pick, Place, Report, Say
from armlab.program.signals import Signals

READ_AHEAD = 3
"""Moves that are read ahead while a program is stepped through, as $ADVANCE has it."""


class LoadedProgram:
    """A program under way for one arm, from joints `start` (n,) and a time (s) on."""

    def __init__(
        self,
        robot: Robot,
        opened: OpenedProgram,
        start: Floats,
        signals: Signals,
        time: float,
        plant: ConsolePlant | None = None,
    ) -> None:
        self._plant = plant
        self.grips: list[Event] = []
        self.findings: list[Finding] = []
        self.pieces: list[Piece] = []
        self.messages: list[str] = []
        """What happened since `begin` was called last."""
        self.is_over = False
        stream = self._program(opened)
        self._executor = Executor(
            robot,
            stream,
            start=start,
            signals=signals,
            lookahead=READ_AHEAD,
            time=time,
            contact=None if plant is None else plant.contact,
        )
        self._debugger = Debugger(self._watched())
        self._q: Floats = np.array(start)

    def begin(self) -> None:
        """Forget what was found, moved and said so far."""
        self.findings, self.pieces, self.messages, self.grips = [], [], [], []

    def go(self, step: str, breakpoints: set[tuple[str, int]]) -> Statement | None:
        """Go on: "into" the next statement, "over" it, "out" of the routine, or with "on" to a breakpoint."""
        self._debugger.breakpoints = breakpoints
        steps = {
            "into": self._debugger.step_into,
            "over": self._debugger.step_over,
            "out": self._debugger.step_out,
            "on": self._debugger.resume,
        }
        if step not in steps:
            template = _("step goes into, over or out, got '{text}'")
            raise InvalidInput("console_step", template, text=step)
        statement = steps[step]()
        self.is_over = statement is None
        return statement

    @property
    def now(self) -> Statement | None:
        """The statement that begins now; None before the first and after the last."""
        return self._debugger.now

    def state(self) -> ExecutorState:
        """Return where the program is; the joints are those at this moment, which may be in the middle of a motion."""
        state, now = self._executor.state, self.now
        if now is None:
            return state
        return ExecutorState(
            now.time, state.index, now.span, state.stack, state.outputs, state.held, tuple(self._joints(now.time))
        )

    def _joints(self, time: float) -> list[float]:
        for piece in reversed(self.pieces):
            if piece.start <= time:
                self._q = piece.trajectory.at(min(time - piece.start, piece.trajectory.duration)).q
                break
        values: list[float] = np.asarray(self._q).tolist()
        return values

    def _program(self, opened: OpenedProgram) -> Instructions:
        yield from without_reports(opened.instructions, self.findings)

    def _watched(self) -> Iterator[Piece | Event]:
        for item in self._executor:
            if isinstance(item, Piece):
                self.pieces.append(item)
                self.findings.extend(item.findings)
                for event in item.events:
                    self._note(event)
            else:
                self._note(item)
            if self._plant is not None:
                found = self._plant.take(item)
                self._executor.hold(self._plant.held)
                self.findings += found
                if found:
                    return
            yield item

    def _note(self, event: Event) -> None:
        instruction = event.instruction
        if isinstance(instruction, Report):
            self.findings.append(instruction.finding)
        elif isinstance(instruction, Say):
            self.messages.append(instruction.text)
        elif isinstance(instruction, Pick | Place):
            self.grips.append(event)


def breakpoint_of(text: str, opened: OpenedProgram) -> tuple[str, int]:
    """Return the file and line that `FILE:LINE`, or `LINE` of the main file, means: the first statement from there on.

    Raises:
        InvalidInput: if it is neither, or the program has no such file.
    """
    name, _colon, number = text.rpartition(":")
    if not number.isascii() or not number.isdigit() or not 1 <= len(number) <= 9 or int(number) < 1:
        raise InvalidInput("console_break", _("break needs FILE:LINE or LINE, got '{text}'"), text=text)
    files = opened.files
    known = {_last(file): file for file in reversed(files)}
    found = (name if name in files else known.get(_last(name))) if name else files[0]
    if found is None:
        template = _("the program has no file '{name}'; known: {known}")
        raise InvalidInput("console_unknown_file", template, name=name, known=sorted(known)[:12])
    following = [line for file, line in opened.lines if file == found and line >= int(number)]
    if not following:
        template = _("{file} has no statement in line {line} or below")
        raise InvalidInput("console_no_statement", template, file=found, line=int(number))
    return found, min(following)


def _last(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2].lower()
