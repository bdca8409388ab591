"""A line of G-code that cannot be read or executed."""

from __future__ import annotations

from typing import Any

from armlab.errors import ArmlabError
from armlab.messages import Message


class BadBlock(ArmlabError):
    """A line that cannot be read or executed; `place` counts letters of the line without blanks, from 0."""

    def __init__(self, code: str, template: str, /, place: int | None = None, **parameters: Any) -> None:
        super().__init__(Message(f"gcode_{code}", template, **parameters))
        self.place = place
