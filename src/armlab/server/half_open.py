"""Connections that were opened and never ask: they are closed after a while, so that they cannot fill the server."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

REQUEST_S = 20.0
"""How long a connection may take until its request has arrived."""


class HalfOpenConnections:
    """Remembers since when a connection has no whole request, and closes it when that is too long."""

    def __init__(self, patience: float = REQUEST_S) -> None:
        self._patience = patience
        self._since: WeakKeyDictionary[Any, float] = WeakKeyDictionary()

    def sweep(self, connections: Iterable[Any], now: float) -> int:
        """Close what has waited too long at the time `now` (s); return how many were closed.

        A connection of uvicorn's has a `cycle` once its request has arrived; a WebSocket has no such attribute.
        """
        closed = 0
        for connection in tuple(connections):
            if getattr(connection, "cycle", connection) is not None:
                self._since.pop(connection, None)
            elif now - self._since.setdefault(connection, now) > self._patience:
                connection.transport.close()
                closed += 1
        return closed
