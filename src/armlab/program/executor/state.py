"""Where a program is: what can be read, and saved, at every moment, and gone on from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from pydantic import ConfigDict, TypeAdapter, ValidationError

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.program.instructions import Answer
from armlab.program.signals import Value
from armlab.program.span import Span

Numbers: TypeAlias = tuple[float, ...] | tuple[tuple[float, ...], ...]
SavedAnswer: TypeAlias = bool | float | Numbers | tuple[bool, Numbers] | None
"""An answer without arrays."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A routine that has been entered and not left: its name, and the statement that it is at."""

    routine: str
    span: Span


@dataclass(frozen=True, slots=True)
class PulseEnd:
    """An output that gets a value at a time (s): the end of a pulse."""

    time: float
    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class ExecutorState:
    """What a program has come to: statement, call stack (innermost last), variables, signals, and what is held.

    `Executor(…, resume=state)` goes on from there with the same program.
    """

    __pydantic_config__ = ConfigDict(extra="forbid", ser_json_inf_nan="constants")

    time: float
    """s since the program began."""
    index: int
    """The number of the instruction, from 0; -1 before the first."""
    span: Span | None
    stack: tuple[Frame, ...]
    outputs: dict[str, Value] = field(default_factory=dict)
    held: str | None = None
    q: tuple[float, ...] = ()
    """Joint values, rad or m."""
    is_done: bool = False
    variables: dict[str, Value] = field(default_factory=dict)
    """Those that the language tells of, by its names for them: `#1`, `#<depth>` …"""
    is_within: bool = False
    """Whether the instruction is not over: the arm is on its path, in the middle of moves that were joined."""
    answers: tuple[SavedAnswer, ...] = ()
    """What the program asked so far was answered so."""
    pulses: tuple[PulseEnd, ...] = ()
    """Pulses that have not ended."""

    def to_json(self) -> str:
        """Return the state as JSON."""
        return _STATE.dump_json(self).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> ExecutorState:
        """Return a state that `to_json` wrote.

        Raises:
            InvalidInput: if it is something else.
        """
        try:
            return _STATE.validate_json(text)
        except ValidationError as error:
            problem = error.errors()[0]
            place = ".".join(str(part) for part in problem["loc"])
            raise InvalidInput(
                "state_invalid",
                _("saved state of a program: {problem} at '{place}'"),
                problem=problem["msg"],
                place=place,
            ) from None


_STATE: TypeAdapter[ExecutorState] = TypeAdapter(ExecutorState)


def saved_answer(answer: Answer) -> SavedAnswer:
    """Return an answer as it is saved."""
    if isinstance(answer, tuple):
        return answer[0], _numbers(answer[1])
    return _numbers(answer) if isinstance(answer, np.ndarray) else answer


def read_answer(saved: SavedAnswer) -> Answer:
    """Return an answer that was saved."""
    if isinstance(saved, tuple) and len(saved) == 2 and isinstance(saved[0], bool) and isinstance(saved[1], tuple):
        return saved[0], np.array(saved[1], dtype=np.float64)
    return np.array(saved, dtype=np.float64) if isinstance(saved, tuple) else saved


def _numbers(values: Floats) -> Numbers:
    rows = values.tolist()
    return tuple(tuple(row) if isinstance(row, list) else row for row in rows)
