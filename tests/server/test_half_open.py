"""Connections without a whole request are closed after a while; all others are left alone."""

from __future__ import annotations

from armlab.server.half_open import HalfOpenConnections


class Transport:
    def __init__(self) -> None:
        self.is_closed = False

    def close(self) -> None:
        self.is_closed = True


class Connection:
    """As much of uvicorn's HTTP connection as is looked at."""

    def __init__(self, cycle: object = None) -> None:
        self.cycle, self.transport = cycle, Transport()


class Socket:
    """A WebSocket's connection: it has no cycle."""

    def __init__(self) -> None:
        self.transport = Transport()


def test_a_connection_that_never_asks_is_closed_after_its_time() -> None:
    watched, silent = HalfOpenConnections(patience=5.0), Connection()
    assert watched.sweep([silent], 100.0) == 0
    assert watched.sweep([silent], 105.0) == 0
    assert watched.sweep([silent], 105.1) == 1
    assert silent.transport.is_closed


def test_requests_that_are_answered_and_sockets_stay() -> None:
    watched, busy, socket = HalfOpenConnections(patience=5.0), Connection(object()), Socket()
    for now in (0.0, 10.0, 20.0):
        assert watched.sweep([busy, socket], now) == 0


def test_time_counts_from_the_last_request() -> None:
    watched, connection = HalfOpenConnections(patience=5.0), Connection()
    watched.sweep([connection], 0.0)
    connection.cycle = object()
    watched.sweep([connection], 4.0)
    connection.cycle = None
    assert watched.sweep([connection], 6.0) == 0
    assert watched.sweep([connection], 12.0) == 1
