"""UDP: one JSON object per datagram, as PlotJuggler reads them."""

from __future__ import annotations

import socket

from armlab.errors import LinkRefused
from armlab.link.status import LinkStatus
from armlab.messages import _


class UdpPublisher:
    """Sends each status as it comes; what cannot be sent at once is dropped."""

    def __init__(self, host: str, port: int) -> None:
        self.dropped = 0
        self.address = f"udp://{host}:{port}"
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        except OSError as error:
            text = _("{address}: no such address ({reason})")
            raise LinkRefused("no_address", text, address=self.address, reason=error.strerror or str(error)) from None
        self._to = found[4]
        self._socket = socket.socket(found[0], socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._latest: bytes | None = None

    def publish(self, status: LinkStatus) -> None:
        """Keep the latest."""
        self.dropped += self._latest is not None
        self._latest = status.model_dump_json(exclude_none=True).encode()

    def tick(self) -> None:
        """Send it."""
        if self._latest is not None:
            try:
                self._socket.sendto(self._latest, self._to)
            except OSError:  # nobody is there, or the buffer is full
                self.dropped += 1
            self._latest = None

    def stop(self) -> None:
        """Close the socket."""
        self._socket.close()
