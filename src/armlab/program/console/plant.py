"""What a console moves: a simulation, or whatever else follows its motions."""

from __future__ import annotations

from typing import Protocol

from armlab.model.finding import Finding
from armlab.program.executor import Event, Piece
from armlab.program.executor.executor import Contact


class ConsolePlant(Protocol):
    """Follows motions, and takes hold of bodies."""

    contact: Contact
    """Whether the tool touches something, for probing."""

    @property
    def held(self) -> str | None:
        """The body in the gripper."""

    def take(self, item: Piece | Event) -> list[Finding]:
        """Follow a piece of motion, or act; return what cannot be done."""
