"""Prometheus: the text format at `/metrics`, for Grafana and alarms."""

from __future__ import annotations

import math
from collections.abc import Iterator

from armlab.bridges.listening import Client, ListeningPort
from armlab.bridges.publisher import LOOPBACK
from armlab.link.guard import LinkState
from armlab.link.status import LinkStatus
from armlab.units import M_PER_MM, RAD_PER_DEG

LONGEST_REQUEST = 8192
KIND = "text/plain; version=0.0.4; charset=utf-8"


class MetricsPublisher:
    """Answers each request with what is known then."""

    def __init__(self, port: int) -> None:
        self.dropped = 0
        self._port = ListeningPort(port)
        self._clients: dict[Client, bytes] = {}
        self._text = ""

    @property
    def address(self) -> str:
        """Where the metrics are."""
        return f"http://{LOOPBACK}:{self._port.number}/metrics"

    def publish(self, status: LinkStatus) -> None:
        """Keep the latest."""
        self._text = metrics_text(status)

    def tick(self) -> None:
        """Answer whoever has asked."""
        client = self._port.accept(len(self._clients))
        if client is not None:
            self._clients[client] = b""
        for one, asked in list(self._clients.items()):
            data = one.read()
            whole = asked + (data or b"")
            self._clients[one] = whole
            if b"\r\n\r\n" in whole and not one.is_over:
                one.waiting, one.is_over = self._answer(whole), True
            if data is None or len(whole) > LONGEST_REQUEST or not one.flush():
                one.socket.close()
                del self._clients[one]

    def _answer(self, request: bytes) -> bytes:
        method, _space, rest = request.partition(b" ")
        path = rest.partition(b" ")[0]
        if method != b"GET" or path not in {b"/metrics", b"/"}:
            return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        body = self._text.encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {KIND}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        return head.encode() + body

    def stop(self) -> None:
        """Close all."""
        for client in self._clients:
            client.socket.close()
        self._clients.clear()
        self._port.close()


def metrics_text(status: LinkStatus) -> str:
    """Return a status in Prometheus' text format; angles are in rad and lengths in m, as its conventions have it."""
    return "\n".join(_lines(status)) + "\n"


def _lines(status: LinkStatus) -> Iterator[str]:
    arm = f'arm="{_escaped(status.arm)}"'
    yield "# HELP armlab_state 1 for the state that the connection is in"
    yield "# TYPE armlab_state gauge"
    for state in LinkState:
        yield f'armlab_state{{{arm},state="{state.value}"}} {int(state.value == status.state)}'
    yield "# HELP armlab_sample_age_seconds Age of the last sample"
    yield "# TYPE armlab_sample_age_seconds gauge"
    yield f"armlab_sample_age_seconds{{{arm}}} {math.nan if status.age is None else status.age}"
    for name, what in (("value", "position"), ("commanded", "commanded"), ("deviation", "deviation")):
        yield f"# HELP armlab_joint_{what} Of each joint, in rad or m"
        yield f"# TYPE armlab_joint_{what} gauge"
        for joint in status.joints:
            value = getattr(joint, name)
            if value is not None:
                si = value * (RAD_PER_DEG if joint.unit == "°" else M_PER_MM)
                source = f',source="{joint.source}"' if name == "value" else ""
                yield f'armlab_joint_{what}{{{arm},joint="{_escaped(joint.name)}"{source}}} {si!r}'
    yield "# HELP armlab_link_total What has been counted on the connection"
    yield "# TYPE armlab_link_total counter"
    for name, count in status.counts.items():
        yield f'armlab_link_total{{{arm},what="{_escaped(name)}"}} {count}'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
