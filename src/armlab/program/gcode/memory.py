"""What a series of cycles or splines keeps from line to line."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class CycleMemory:
    """A series of cycles: words that were given before still hold while it is the same one."""

    code: int = 0
    sticky: dict[str, float] = field(default_factory=dict)
    initial_level: float | None = None

    def begin(self, code: int) -> None:
        """Another cycle has come: its words have to be given, and it goes back to the level where the first began."""
        self.code = code
        self.sticky.clear()

    def forget(self) -> None:
        """Another motion has come: the series is over."""
        self.code, self.initial_level = 0, None
        self.sticky.clear()


@dataclass(slots=True)
class SplineMemory:
    """A series of G5: its end tangent continues where I and J are left out."""

    tangent: tuple[float, float] | None = None
