"""What ends a KRL program while it runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from armlab.errors import ArmlabError
from armlab.messages import Message
from armlab.model.finding import Finding, Severity
from armlab.program.span import Span

MOST_FINDINGS = 500
COMPUTING = (ArithmeticError, ValueError, TypeError, KeyError, IndexError, AttributeError)
"""What an expression raises whose values do not fit, where their types were not known before."""


class Fault(ArmlabError):
    """A statement that cannot be executed; `span` is where it stands."""

    def __init__(self, code: str, template: str, span: Span, /, **parameters: Any) -> None:
        super().__init__(Message(code, template, **parameters))
        self.span = span


def finding_at(severity: Severity, message: Message, span: Span) -> Finding:
    """Return a finding about a place in a program."""
    return Finding(severity, message, {"file": span.file, "line": span.line, "column": span.column})


@dataclass(slots=True)
class Findings:
    """What is wrong with a program, each thing once."""

    items: list[Finding] = field(default_factory=list)
    _seen: set[tuple[str, Span]] = field(default_factory=set)
    _named: set[tuple[str, str]] = field(default_factory=set)

    def add(self, severity: Severity, message: Message, span: Span) -> bool:
        """Report something, once for each place; tell whether it is new."""
        if (message.code, span) in self._seen or len(self.items) >= MOST_FINDINGS:
            return False
        self._seen.add((message.code, span))
        self.items.append(finding_at(severity, message, span))
        return True

    def taken(self) -> tuple[Finding, ...]:
        """Return everything that was found, and begin again: a console reports line by line."""
        found = tuple(self.items)
        self.items.clear()
        self._seen.clear()
        self._named.clear()
        return found

    def add_once(self, severity: Severity, message: Message, span: Span, about: str = "") -> bool:
        """Report something for its first place only; tell whether this is it."""
        if (message.code, about) in self._named:
            return False
        self._named.add((message.code, about))
        return self.add(severity, message, span)
