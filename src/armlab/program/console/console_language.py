"""What a language has to offer so that a console can speak it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from armlab.arrays import Floats
from armlab.messages import Message
from armlab.model.finding import Finding
from armlab.program.console.result import ConsoleValue
from armlab.program.instructions import Instructions, Report
from armlab.program.languages import ProgramSource
from armlab.program.span import Span

CONSOLE = "console"
"""What places in typed lines are called instead of a file."""


@dataclass(frozen=True, slots=True, eq=False)
class OpenedProgram:
    """A program that is ready to be stepped through."""

    instructions: Instructions
    """With a mark before each statement."""
    files: tuple[str, ...]
    """The main one first."""
    lines: frozenset[tuple[str, int]]
    """File and line of every statement."""


class ConsoleLanguage(Protocol):
    """A language that keeps its variables from statement to statement."""

    words: Mapping[str, str]
    """Words of the language, and a line of help (a template) for each."""
    value: ConsoleValue | None
    """What `inspect` found."""

    def needs_more(self, lines: Sequence[str]) -> bool:
        """Tell whether a block is still open after these lines."""

    def is_value(self, text: str) -> bool:
        """Tell whether a line is nothing but a value, which whoever types it wants to see."""

    def execute(self, text: str, line: int) -> Instructions:
        """Yield the instructions of a statement or block whose first line has this number."""

    def inspect(self, text: str, line: int) -> Instructions:
        """Evaluate an expression: yields what that asks of the arm, and leaves the value in `value`."""

    def change(self, text: str, line: int) -> Instructions:
        """Execute an assignment in the routine at which a program is stopped."""

    def variables(self) -> list[ConsoleValue]:
        """Return the variables that have a value and were made by the user."""

    def settle(self, q: Floats, *, failed: bool) -> None:
        """Note that the arm stands at `q` (n,); `failed` where that may not be where the statement sent it."""

    def open(self, source: ProgramSource, q: Floats) -> OpenedProgram:
        """Return a program that starts at `q` (n,); its routines and variables are known from then on.

        Raises:
            InvalidInput: if it cannot be read, or is written in another language.
        """

    def close(self) -> None:
        """Leave a program before its end."""

    def read_to(self) -> Span | None:
        """Return the statement that a program was read to, ahead of the arm."""


def without_reports(instructions: Instructions, findings: list[Finding]) -> Instructions:
    """Pass on instructions; what is wrong with the text comes first, and is all kept: an executor ends at an error."""
    item = next(instructions, None)
    while isinstance(item, Report):
        findings.append(item.finding)
        item = next(instructions, None)
    while item is not None:
        answer = yield item
        try:
            item = instructions.send(answer)
        except StopIteration:
            return


def help_message(template: str) -> Message:
    """Return a line of help."""
    return Message("help", template)
