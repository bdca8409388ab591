"""A listening TCP port without threads: clients with what is on its way to each of them."""

from __future__ import annotations

import socket
from contextlib import suppress
from dataclasses import dataclass

from armlab.bridges.publisher import LOOPBACK
from armlab.errors import LinkRefused
from armlab.messages import _

MOST_CLIENTS = 32
MOST_READ = 65536


@dataclass(slots=True, eq=False)
class Client:
    """One connection."""

    socket: socket.socket
    waiting: bytes = b""
    """What it has not taken yet."""
    is_over: bool = False
    """Whether it is closed once all is sent."""

    def read(self) -> bytes | None:
        """Return what has arrived; None where the client is gone."""
        try:
            data = self.socket.recv(MOST_READ)
        except BlockingIOError:
            return b""
        except OSError:
            return None
        return data or None

    def flush(self) -> bool:
        """Send what can be sent at once; tell whether the connection goes on."""
        try:
            self.waiting = self.waiting[self.socket.send(self.waiting) :] if self.waiting else b""
        except BlockingIOError:
            return True
        except OSError:
            return False
        return bool(self.waiting) or not self.is_over


class ListeningPort:
    """Accepts clients of this machine; one too many is sent away."""

    def __init__(self, port: int) -> None:
        try:
            self._socket = socket.create_server((LOOPBACK, port))
        except OSError as error:
            text = _("port {port}: cannot be opened ({reason})")
            raise LinkRefused("port_taken", text, port=port, reason=error.strerror or str(error)) from None
        self._socket.setblocking(False)
        self.number: int = self._socket.getsockname()[1]

    def accept(self, taken: int) -> Client | None:
        """Return a new client, if there is one."""
        with suppress(BlockingIOError):
            client, _address = self._socket.accept()
            if taken < MOST_CLIENTS:
                client.setblocking(False)
                return Client(client)
            client.close()
        return None

    def close(self) -> None:
        """Close it."""
        self._socket.close()
