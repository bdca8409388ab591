"""A program that is stepped through: run to breakpoints, statement by statement."""

from __future__ import annotations

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.program.console.console_language import OpenedProgram, without_reports
from armlab.program.console.happened import Happened
from armlab.program.console.plant import ConsolePlant
from armlab.program.execution import Execution, Statement
from armlab.program.executor import Event, Executor, ExecutorState, Piece
from armlab.program.instructions import Instructions
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
        self._happened = Happened()
        self._opened, self._q = opened, start
        self._executor = Executor(
            robot,
            self._program(),
            start=start,
            signals=signals,
            lookahead=READ_AHEAD,
            time=time,
            contact=None if plant is None else plant.contact,
        )
        self._execution = Execution(self._executor, follower=plant, listeners=(self._note,))

    def go(self, step: str, breakpoints: set[tuple[str, int]], happened: Happened) -> Statement | None:
        """Go on: "into" the next statement, "over" it, "out" of the routine, or with "on" to a breakpoint."""
        if step not in {"on", "into", "over", "out"}:
            template = _("step goes into, over or out, got '{text}'")
            raise InvalidInput("console_step", template, text=step)
        self._happened, self._execution.findings = happened, happened.findings
        self._execution.set_breakpoints(frozenset(breakpoints))
        return self._execution.go(step)  # type: ignore[arg-type]  # one of the four

    @property
    def now(self) -> Statement | None:
        """The statement that begins now; None before the first and after the last."""
        return self._execution.now

    def state(self) -> ExecutorState:
        """Return where the program is; the joints are those at this moment, which may be in the middle of a motion."""
        state, now = self._executor.state, self.now
        if now is None:
            return state
        q = self._execution.at(now.time).q if self._execution.pieces else self._q
        return ExecutorState(now.time, state.index, now.span, state.stack, state.outputs, state.held, tuple(q.tolist()))

    def _program(self) -> Instructions:
        yield from without_reports(self._opened.instructions, self._happened.findings)

    def _note(self, item: Piece | Event) -> None:
        self._happened.note(item)


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
