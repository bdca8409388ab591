"""What acts while the arm moves: triggers and interrupts, and how their handlers end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from armlab.messages import Message
from armlab.program.krl.operations import OperationList, Slots
from armlab.program.span import Span


@dataclass(slots=True)
class Shift:
    """By how much what a TRIGGER does comes before or after the point it belongs to."""

    delay: float
    """s"""
    distance: float
    """m"""


@dataclass(slots=True, eq=False)
class Handler:
    """A statement that is executed out of its line: what a TRIGGER or an INTERRUPT does."""

    code: OperationList
    at: int
    slots: Slots


@dataclass(slots=True, eq=False)
class PendingTrigger:
    """A TRIGGER that waits for its point."""

    handler: Handler
    shift: Shift
    when: Literal["now", "after"]
    """Before the next motion, or after it; the shift counts from there."""


@dataclass(slots=True, eq=False)
class Interrupt:
    """A declared interrupt; the one with the lowest priority number comes first."""

    priority: int
    test: Callable[[Slots], Any]
    handler: Handler
    is_live: bool
    """Whether its condition reads inputs or the time."""
    stops: bool = True
    """Whether its handler brakes, resumes or moves."""
    is_on: bool = False
    is_enabled: bool = True
    held: bool = False
    """Whether its condition held when it was looked at last: only its beginning counts."""
    is_running: bool = False


class Resumed(Exception):
    """RESUME was executed."""

    def __init__(self, span: Span) -> None:
        super().__init__(str(span))
        self.span = span
        self.slots: Slots | None = None
        """The variables of the routine that declared the interrupt; it goes on there."""


class LoopEnded(Exception):
    """An endless loop was followed for as many passes as were asked for."""

    def __init__(self, message: Message, span: Span) -> None:
        super().__init__(str(message))
        self.message, self.span = message, span
