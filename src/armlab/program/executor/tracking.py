"""What happens, as it is yielded: time, statement, calls and outputs are noted, and pulses end."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import TypeVar

from armlab.arrays import Floats
from armlab.model.finding import Finding
from armlab.program.executor.pieces import Event, Numbered, Piece
from armlab.program.executor.state import ExecutorState, Frame, PulseEnd, SavedAnswer
from armlab.program.instructions import Instruction, Mark, Pick, Place, SetOutput, source_of
from armlab.program.signals import Signals, Value
from armlab.program.span import Span

Result = TypeVar("Result")


class Tracking:
    """Notes what an executor yields; `time` is when the last piece ends (s)."""

    def __init__(self, signals: Signals, time: float = 0.0) -> None:
        self.time = time
        self.held: str | None = None
        self._signals = signals
        self._index = -1
        self._span: Span | None = None
        self._stack: tuple[Frame, ...] = ()
        self._variables: dict[str, Value] = {}
        self._later: list[Event] = []
        self._is_within = False
        self.answers: list[SavedAnswer] = []
        """What the program was answered so far."""

    def resume(self, state: ExecutorState) -> None:
        """Go on from a state that was saved."""
        self.time, self.held, self._index, self._span = state.time, state.held, state.index, state.span
        self._stack, self._variables = state.stack, dict(state.variables)
        self._is_within, self.answers = state.is_within, list(state.answers)
        self._signals.outputs.update(state.outputs)
        self._signals.advance(state.time)
        self._later = [Event(one.time, state.index, SetOutput(one.name, one.value)) for one in state.pulses]

    def state(self, q: Floats, *, is_done: bool) -> ExecutorState:
        """Return where the program is."""
        return ExecutorState(
            self.time,
            self._index,
            self._span,
            self._stack,
            outputs=dict(self._signals.outputs),
            held=self.held,
            q=tuple(q.tolist()),
            is_done=is_done,
            variables=dict(self._variables),
            is_within=self._is_within,
            answers=tuple(self.answers),
            pulses=tuple(
                PulseEnd(event.time, event.instruction.name, event.instruction.value)
                for event in self._later
                if isinstance(event.instruction, SetOutput)
            ),
        )

    def followed(self, yielded: Generator[Piece | Event, None, Result]) -> Generator[Piece | Event, None, Result]:
        """Pass on what is yielded, with pulses that end meanwhile; return what the generator returns."""
        while True:
            try:
                item = next(yielded)
            except StopIteration as end:
                result: Result = end.value
                return result
            if isinstance(item, Piece):
                yield self._piece(item)
            else:
                yield from self.due(item.time)
                self._event(item)
                yield item

    def due(self, time: float) -> Iterator[Event]:
        """Yield the events whose time has come."""
        for event in [event for event in self._later if event.time <= time]:
            self._later.remove(event)
            self._event(event)
            yield event

    def rest(self) -> Iterator[Event]:
        """Yield the events that are still to come, at the end of the program."""
        yield from self.due(float("inf"))

    def _piece(self, piece: Piece) -> Piece:
        events = list(piece.events)
        for event in events:
            self._event(event)
        late = [event for event in self._later if event.time <= piece.end]
        self._later = [event for event in self._later if event.time > piece.end]
        for event in late:
            self._event(event)
        self.time, self._is_within = piece.end, piece.ends_within
        self._signals.advance(self.time)
        if piece.covered:
            last = piece.covered[-1]
            self._at(last.index, last.instruction)
        if not late:
            return piece
        return replace(piece, events=tuple(sorted([*events, *late], key=lambda event: event.time)))

    def _event(self, event: Event) -> None:
        instruction = event.instruction
        if isinstance(instruction, SetOutput):
            before = self._signals.outputs.get(instruction.name, False)
            self._signals.outputs[instruction.name] = instruction.value
            if instruction.pulse is not None:
                back = replace(instruction, value=before, pulse=None, delay=0.0, distance=0.0)
                self._later.append(Event(event.time + instruction.pulse, event.index, back))
        elif isinstance(instruction, Mark):
            self._mark(instruction)
        elif isinstance(instruction, Pick | Place):  # a client that knows better says so
            self.held = instruction.body if isinstance(instruction, Pick) else None
        self._at(event.index, instruction)

    def _mark(self, mark: Mark) -> None:
        self._stack = (*self._stack[: mark.depth], Frame(mark.routine, mark.span))
        for name, value in mark.changes:
            if value is None:
                self._variables.pop(name, None)
            else:
                self._variables[name] = value

    def _at(self, index: int, instruction: Instruction) -> None:
        self._index = max(self._index, index)
        if instruction.span is not None:
            self._span = instruction.span


def placed(finding: Finding, numbered: Numbered, start: float) -> Finding:
    """Return a finding about a move as one about the program: where it stands, and times from the program's start."""
    where = dict(finding.where)
    if "time" in where:
        where["time"] = start + float(where["time"])
    span = numbered.instruction.span
    if span is not None:
        where.update(file=span.file, line=span.line, column=span.column)
        return replace(finding, where=where)
    where["step"] = numbered.index + 1
    return replace(
        finding, message=finding.message.within(source_of(numbered.instruction, numbered.index)), where=where
    )
