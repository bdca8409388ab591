"""What is executed: lists of operations, one for each step of a routine; an operation gives the number of the next one.

An operation that takes part in the arm's time gives a generator of instructions, whose value is that number; a call of
another routine gives an `Invocation`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from armlab.program.instructions import Answer, Instruction
from armlab.program.span import Span

RESULT = 0
"""The slot of a function's value."""
END = -1
"""The number of the operation after the last one."""
Slots: TypeAlias = list[Any]
"""The variables of one call of a routine, and values that a statement sets aside."""


@dataclass(slots=True, eq=False)
class Invocation:
    """A call of a routine: its slots, and what its caller does when it is over."""

    code: OperationList
    slots: Slots
    finish: Callable[[Slots, Slots], None]
    """Takes the slots of the caller and those of the routine."""


Operation: TypeAlias = Callable[[Slots], "int | Generator[Instruction, Answer, int] | Invocation"]


@dataclass(slots=True, eq=False)
class OperationList:
    """The operations of a routine, and where in the text each comes from."""

    name: str
    operations: list[Operation] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    starts: set[int] = field(default_factory=set)
    """Numbers of the operations that statements begin with."""
    forgiven: list[tuple[int, int]] = field(default_factory=list)
    """Operations, from one up to another, whose faults do not end the program: those behind ON_ERROR_PROCEED."""
    variables: dict[str, int] = field(default_factory=dict)
    """The slots of its variables by their names."""
