"""A wire to an emulated arm in the same process: whoever has it lets its time pass."""

from __future__ import annotations

from armlab.link.peers.peer import Peer


class PeerWire:
    """A transport whose other end is a peer."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self._arrived = b""
        self._is_open = False

    def open(self) -> None:
        """Connect."""
        self._arrived, self._is_open = b"", True
        self.peer.connected()

    def read(self) -> bytes:
        """Return what has arrived."""
        data, self._arrived = self._arrived, b""
        return data

    def write(self, data: bytes) -> None:
        """Hand it over."""
        self.peer.receive(data)

    def close(self) -> None:
        """Disconnect; the peer goes on by itself."""
        self._is_open = False

    def advance(self, seconds: float) -> None:
        """Let the peer's time pass."""
        data = self.peer.advance(seconds)
        if self._is_open:
            self._arrived += data
