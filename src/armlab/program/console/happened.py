"""What is collected while a line of the console is carried out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from armlab.errors import InvalidInput
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.program.console.result import ConsoleValue, HelpLine, Outcome
from armlab.program.executor import Event, Piece
from armlab.program.instructions import Pick, Place, Report, Say
from armlab.program.signals import Value
from armlab.program.span import Span

LONGEST_LINE = 10_000
MOST_LINES = 10_000
"""Lines of one block."""
TRUE, FALSE = frozenset({"true", "on", "1"}), frozenset({"false", "off", "0"})


@dataclass(slots=True)
class Happened:
    """What is collected while a line is carried out."""

    findings: list[Finding] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    values: list[ConsoleValue] = field(default_factory=list)
    help: list[HelpLine] = field(default_factory=list)
    notes: list[Message] = field(default_factory=list)
    stopped_at: Span | None = None
    read_to: Span | None = None
    outcome: Outcome = "done"
    grips: list[Event] = field(default_factory=list)

    @property
    def has_failed(self) -> bool:
        """Whether there was an error."""
        return any(finding.severity == "error" for finding in self.findings)

    def note(self, item: Piece | Event) -> None:
        """Note what was moved, found and said."""
        events = [item] if isinstance(item, Event) else list(item.events)
        if isinstance(item, Piece):
            self.pieces.append(item)
            self.findings.extend(item.findings)
        for event in events:
            instruction = event.instruction
            if isinstance(instruction, Report):
                self.findings.append(instruction.finding)
            elif isinstance(instruction, Say):
                self.messages.append(instruction.text)
            elif isinstance(instruction, Pick | Place):
                self.grips.append(event)


def signal_value(text: str) -> Value:
    """Return the value of an input that was typed.

    Raises:
        InvalidInput: if it is none.
    """
    if text.lower() in TRUE | FALSE:
        return text.lower() in TRUE
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not math.isfinite(value):
        raise InvalidInput("console_input_value", _("'{text}' is neither true, false nor a number"), text=text)
    return value


def block_goes_on(happened: Happened) -> None:
    """Note that a block is still open."""
    happened.outcome = "more"


def too_long(_happened: Happened) -> None:
    """Refuse a line or a block.

    Raises:
        InvalidInput: always.
    """
    template = _("a line has at most {letters} letters, a block at most {lines} lines")
    raise InvalidInput("console_too_long", template, letters=LONGEST_LINE, lines=MOST_LINES)
