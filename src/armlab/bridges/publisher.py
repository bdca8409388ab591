"""The protocol of publishers."""

from __future__ import annotations

from typing import Protocol

from armlab.errors import InvalidInput
from armlab.link.status import LinkStatus
from armlab.messages import _

LOOPBACK = "127.0.0.1"


class Publisher(Protocol):
    """Tells other programs of an arm; nothing in it waits."""

    dropped: int
    """Frames that somebody was too slow to take."""

    @property
    def address(self) -> str:
        """Where it is found."""

    def publish(self, status: LinkStatus) -> None:
        """Take what is known now; it replaces what nobody has taken yet."""

    def tick(self) -> None:
        """Move what can be moved at once."""

    def stop(self) -> None:
        """End; a second call does nothing."""


def publisher_of(to: str) -> Publisher:
    """Return the publisher of `metrics:PORT`, `rosbridge:PORT` or `udp://HOST:PORT`.

    Raises:
        InvalidInput: if it is none of these.
        LinkRefused: if its port cannot be opened.
    """
    from armlab.bridges.metrics import MetricsPublisher
    from armlab.bridges.rosbridge import RosbridgePublisher
    from armlab.bridges.udp_json import UdpPublisher

    kind, _colon, rest = to.partition(":")
    if kind in {"metrics", "rosbridge"} and _is_port(rest):
        return (MetricsPublisher if kind == "metrics" else RosbridgePublisher)(int(rest))
    host, _colon, port = rest.removeprefix("//").rpartition(":")
    if kind == "udp" and rest.startswith("//") and host and _is_port(port) and int(port) > 0:
        return UdpPublisher(host, int(port))
    text = _("--to {given}: expected metrics:PORT, rosbridge:PORT or udp://HOST:PORT")
    raise InvalidInput("not_a_bridge", text, given=to[:100])


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdecimal() and int(text) < 65536
