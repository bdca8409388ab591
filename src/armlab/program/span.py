"""A place in the text of a program."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """Where something stands: file, line and column from 1, and the column after its last letter."""

    file: str
    line: int
    column: int = 1
    end: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"
