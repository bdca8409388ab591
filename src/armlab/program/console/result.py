"""What happened when a line was entered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from armlab.messages import Message
from armlab.model.finding import Finding
from armlab.program.executor import Event, ExecutorState, Piece
from armlab.program.span import Span

Outcome = Literal["done", "more", "stopped", "failed", "quit"]
"""Done; a block goes on with the next line; a program stands at a statement; an error; the session is over."""


class ConsoleValue(NamedTuple):
    """A value that was asked for: what its language calls it, and as JSON can write it."""

    name: str
    type: str
    text: str
    plain: Any


class HelpLine(NamedTuple):
    """A word, and what it does."""

    word: str
    help: Message


@dataclass(frozen=True, slots=True, eq=False)
class ConsoleResult:
    """What a line did. The pieces begin and end at rest, unless a program was stopped in the middle of the last one."""

    line: int
    """The number of the line, or of the first line of its block; from 1."""
    text: str
    """What was executed: the line, or all lines of the block."""
    outcome: Outcome
    state: ExecutorState
    """Time (s), joint values and outputs afterwards."""
    findings: tuple[Finding, ...] = ()
    pieces: tuple[Piece, ...] = ()
    messages: tuple[str, ...] = ()
    """What the program said to its operator."""
    values: tuple[ConsoleValue, ...] = ()
    help: tuple[HelpLine, ...] = ()
    stopped_at: Span | None = None
    """The statement that a program which is stepped through does next."""
    read_to: Span | None = None
    """How far the program has been read ahead of the arm, where that is another statement."""
    notes: tuple[Message, ...] = ()
    """What a command has to say."""
    grips: tuple[Event, ...] = ()
    """Picks and places."""

    @property
    def seconds(self) -> float:
        """How long the arm moved or waited."""
        return sum(piece.trajectory.duration for piece in self.pieces)
