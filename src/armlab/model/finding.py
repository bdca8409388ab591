"""What a check has to tell: all of it, not only the first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check noticed: an error must be cured, a warning should be looked at, a note is for the curious.

    `code` is stable and made for programs; `where` holds the place as plain values in SI units (`joint`, `time`,
    `path`, `step`, `line` …).
    """

    level: Level
    code: str
    message: str
    where: Mapping[str, float | int | str] = field(default_factory=dict)
