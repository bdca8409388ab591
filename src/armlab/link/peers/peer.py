"""What an emulated arm is to whoever connects it: bytes in, bytes out, and a clock of its own."""

from __future__ import annotations

from typing import Protocol

from armlab.link.peers.servos import EmulatedServos


class Peer(Protocol):
    """An emulated arm behind a byte stream."""

    servos: EmulatedServos

    def connected(self) -> None:
        """Note that somebody has opened the port."""

    def receive(self, data: bytes) -> None:
        """Take bytes."""

    def advance(self, seconds: float) -> bytes:
        """Let time pass, and return what is sent meanwhile."""
