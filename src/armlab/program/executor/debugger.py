"""Stepping through a program: breakpoints, steps into, over and out of routines, and back along what was travelled."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce

from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.motion.trajectory import Trajectory
from armlab.program.executor.pieces import Event, Piece
from armlab.program.instructions import Instruction, Mark, Pause
from armlab.program.span import Span

KEPT_PIECES = 200
"""Pieces of motion that are kept to go back along."""


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A statement that begins at a time (s) of the program; `depth` counts the routines round it."""

    time: float
    span: Span | None
    instruction: Instruction
    depth: int


class Debugger:
    """Goes through what an executor yields statement by statement, and stops where it is told to.

    A statement may begin in the middle of a motion that several lines make together; `time` is that moment.
    """

    def __init__(self, executor: Iterable[Piece | Event]) -> None:
        self.breakpoints: set[tuple[str, int]] = set()
        """File and line."""
        self.now: Statement | None = None
        """The statement that begins now; None before the first and after the last."""
        self._statements = self._statements_of(executor)
        self._travelled: deque[Piece] = deque(maxlen=KEPT_PIECES)

    def resume(self) -> Statement | None:
        """Go on to the next breakpoint, to a pause of the program (HALT, M0), or to the end."""
        return self._go(lambda one: _place(one.span) in self.breakpoints or isinstance(one.instruction, Pause))

    def run_to(self, file: str, line: int) -> Statement | None:
        """Go on to a line, or to a breakpoint before it."""
        return self._go(lambda one: _place(one.span) in self.breakpoints or _place(one.span) == (file, line))

    def step_into(self) -> Statement | None:
        """Go on to the next statement, wherever it is."""
        return self._go(lambda _statement: True)

    def step_over(self) -> Statement | None:
        """Go on to the next statement of this routine, or of the one that called it."""
        depth = self._depth()
        return self._go(lambda one: one.depth <= depth or _place(one.span) in self.breakpoints)

    def step_out(self) -> Statement | None:
        """Go on to the next statement of the routine that called this one."""
        depth = self._depth()
        return self._go(lambda one: one.depth < depth or _place(one.span) in self.breakpoints)

    def back(self, seconds: float) -> Trajectory:
        """Return the way back along the last seconds that were travelled up to now.

        Raises:
            InvalidInput: if nothing was travelled.
        """
        time = 0.0 if self.now is None else self.now.time
        pieces = [piece for piece in self._travelled if self.now is None or piece.start < time]
        if not pieces:
            raise InvalidInput("nothing_travelled", _("the arm has not moved yet"))
        motion = reduce(lambda a, b: a.then(b), (piece.trajectory for piece in pieces))
        end = motion.duration if self.now is None else min(time - pieces[0].start, motion.duration)
        return motion.between(max(end - seconds, 0.0), end).reversed()

    def _depth(self) -> int:
        return 0 if self.now is None else self.now.depth

    def _go(self, stops: Callable[[Statement], bool]) -> Statement | None:
        here = None if self.now is None else self.now.span
        for statement in self._statements:
            if statement.span != here or statement.span is None:
                here = None
                if stops(statement):
                    self.now = statement
                    return statement
        self.now = None
        return None

    def _statements_of(self, executor: Iterable[Piece | Event]) -> Iterator[Statement]:
        depth = 0
        for item in executor:
            if isinstance(item, Event):
                depth = item.instruction.depth if isinstance(item.instruction, Mark) else depth
                yield Statement(item.time, item.instruction.span, item.instruction, depth)
                continue
            self._travelled.append(item)
            events = deque(item.events)
            for one in item.covered:
                while events and events[0].time <= item.start + one.start:
                    event = events.popleft()
                    depth = event.instruction.depth if isinstance(event.instruction, Mark) else depth
                    yield Statement(event.time, event.instruction.span, event.instruction, depth)
                yield Statement(item.start + one.start, one.instruction.span, one.instruction, depth)
            for event in events:
                depth = event.instruction.depth if isinstance(event.instruction, Mark) else depth
                yield Statement(event.time, event.instruction.span, event.instruction, depth)


def _place(span: Span | None) -> tuple[str, int] | None:
    return None if span is None else (span.file, span.line)
