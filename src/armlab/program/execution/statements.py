"""Statements of a program in the order in which they begin, and where an execution stops among them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from armlab.program.executor.pieces import Event, Piece
from armlab.program.instructions import Instruction, Mark, Pause
from armlab.program.span import Span

Place: TypeAlias = tuple[str | None, int]
"""File and line; None: that line of any file."""
Step = Literal["on", "into", "over", "out"]


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A statement that begins at a time (s) of the program; `depth` counts the routines round it.

    It may begin in the middle of a motion that several lines make together.
    """

    time: float
    span: Span | None
    instruction: Instruction
    depth: int
    index: int = -1
    """The number of its instruction in the program, from 0."""

    def is_at(self, places: set[Place] | frozenset[Place]) -> bool:
        """Tell whether it stands at one of some places."""
        span = self.span
        return bool(places) and span is not None and ((span.file, span.line) in places or (None, span.line) in places)

    def goes_on_with(self, before: Statement) -> bool:
        """Tell whether it is another part of the statement before it."""
        return self.instruction is before.instruction if self.span is None else self.span == before.span


Stops: TypeAlias = Callable[[Statement], bool]


class Statements:
    """Finds the statements in what an executor yields; one that goes on is not told again."""

    def __init__(self) -> None:
        self._depth = 0
        self._last: Statement | None = None

    def of(self, item: Piece | Event) -> Iterator[Statement]:
        """Yield the statements that begin in an item, in the order of time."""
        if isinstance(item, Event):
            yield from self._begun(item.time, item.instruction, item.index)
            return
        events = deque(item.events)
        for one in item.covered:
            while events and events[0].time <= item.start + one.start:
                event = events.popleft()
                yield from self._begun(event.time, event.instruction, event.index)
            yield from self._begun(item.start + one.start, one.instruction, one.index)
        for event in events:
            yield from self._begun(event.time, event.instruction, event.index)

    def _begun(self, time: float, instruction: Instruction, index: int) -> Iterator[Statement]:
        if isinstance(instruction, Mark):
            self._depth = instruction.depth
        last = self._last
        self._last = Statement(time, instruction.span, instruction, self._depth, index)
        if last is None or isinstance(instruction, Pause) or not self._last.goes_on_with(last):
            yield self._last


def stops_for(step: Step, depth: int, breakpoints: set[Place] | frozenset[Place]) -> Stops:
    """Return where to stop: at breakpoints and pauses of the program, or at a statement `depth` routines deep."""
    match step:
        case "on":
            return lambda one: one.is_at(breakpoints) or isinstance(one.instruction, Pause)
        case "into":
            return lambda _one: True
        case "over":
            return lambda one: one.depth <= depth or one.is_at(breakpoints)
        case "out":
            return lambda one: one.depth < depth or one.is_at(breakpoints)
