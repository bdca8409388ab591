"""An emulated arm on a TCP port of this machine, for one client at a time, without threads."""

from __future__ import annotations

import socket
from contextlib import suppress

from armlab.errors import LinkRefused
from armlab.link.peers.peer import Peer
from armlab.messages import _

MOST_WAITING = 65536
"""Bytes that wait for a client that does not read; then it is disconnected."""
LONGEST_STEP = 0.2


class PeerServer:
    """Serves a peer; whoever owns it calls `tick`."""

    def __init__(self, peer: Peer, port: int = 0, host: str = "127.0.0.1") -> None:
        self.peer = peer
        try:
            self._listening = socket.create_server((host, port))
        except OSError as error:
            text = _("port {port}: cannot be opened ({reason})")
            raise LinkRefused("port_taken", text, port=port, reason=error.strerror or str(error)) from None
        self._listening.setblocking(False)
        self.port: int = self._listening.getsockname()[1]
        self._client: socket.socket | None = None
        self._waiting, self._time = b"", -1.0

    @property
    def is_connected(self) -> bool:
        """Whether somebody is connected."""
        return self._client is not None

    def tick(self, now: float) -> None:
        """Let time pass up to `now` (s), and move bytes both ways; a second client is sent away."""
        with suppress(BlockingIOError):
            self._accept(self._listening.accept()[0])
        if self._client is not None:
            self._read(self._client)
        step = 0.0 if self._time < 0.0 else min(now - self._time, LONGEST_STEP)
        self._time = now
        if step > 0.0:
            self._waiting += self.peer.advance(step)
        if self._client is None:
            self._waiting = b""
        else:
            self._write(self._client)

    def _accept(self, client: socket.socket) -> None:
        if self._client is not None:
            client.close()
            return
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._client, self._waiting = client, b""
        self.peer.connected()

    def _read(self, client: socket.socket) -> None:
        try:
            data = client.recv(MOST_WAITING)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self.peer.receive(data)
        else:
            self._drop()

    def _write(self, client: socket.socket) -> None:
        try:
            self._waiting = self._waiting[client.send(self._waiting) :] if self._waiting else b""
        except BlockingIOError:
            if len(self._waiting) > MOST_WAITING:
                self._drop()
        except OSError:
            self._drop()

    def _drop(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client, self._waiting = None, b""

    def close(self) -> None:
        """Close everything."""
        self._drop()
        self._listening.close()
