"""What a check reports: all of it, not only the first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from armlab.messages import Message

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check noticed: an error must be fixed, a warning should be looked at, a note informs.

    `where` holds the place as plain values in SI units (`joint`, `time`, `path`, `step`, `line` …).
    """

    severity: Severity
    message: Message
    where: Mapping[str, float | int | str] = field(default_factory=dict)

    @property
    def code(self) -> str:
        """What was found; stable, made for programs."""
        return self.message.code
