"""`kvp`: KUKA controllers with KUKAVARPROXY or C3 Bridge, read only: the protocol has no watchdog.

A request is id, length, mode (0: read) as 16, 16 and 8 bits, big-endian, then the length of a name and the name; the
answer has the same id, a value, and three bytes of which the last is 1 where the variable was found.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence

import numpy as np

from armlab.link.driver import Damaged, Heard, Identity, Sample
from armlab.link.drivers.reading import ReadingDriver, reading_capabilities
from armlab.link.transport import Transport
from armlab.model.robot import Robot
from armlab.units import joint_scale

HEAD = struct.Struct(">HH")
LONGEST = 4096
"""Bytes of an answer; more is damage."""
ANSWER_S = 0.3
RATE = 20.0
NAME, AXES = "$TRAFONAME[]", "$AXIS_ACT"
AXIS = re.compile(rb"\bA(\d)\s+(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)")


class KvpFramer:
    """Finds answers: id, length, and so many bytes."""

    def __init__(self) -> None:
        self.damaged = 0
        self._buffer = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Return whole packets, with their heads."""
        self._buffer += data
        whole = []
        while len(self._buffer) >= HEAD.size:
            length = HEAD.unpack_from(self._buffer)[1]
            if not 3 <= length <= LONGEST:
                self.damaged += 1
                self._buffer = b""
                break
            if len(self._buffer) < HEAD.size + length:
                break
            whole.append(self._buffer[: HEAD.size + length])
            self._buffer = self._buffer[HEAD.size + length :]
        return whole


def read_request(number: int, name: str) -> bytes:
    """Return the request to read a variable."""
    body = struct.pack(">BH", 0, len(name)) + name.encode("ascii")
    return HEAD.pack(number, len(body)) + body


def value_of(packet: bytes) -> tuple[int, bytes] | None:
    """Return number and value of an answer; None where it is damaged or the variable is unknown."""
    number, length = HEAD.unpack_from(packet)
    size = struct.unpack_from(">H", packet, 5)[0] if length >= 6 else -1
    if size < 0 or size != length - 6 or packet[-1] != 1:
        return None
    return number, packet[7 : 7 + size]


class KvpDriver(ReadingDriver):
    """Reads a KUKA's axes, one request after the other."""

    def __init__(self, transport: Transport, robot: Robot) -> None:
        super().__init__(transport)
        self.capabilities = reading_capabilities(robot.dof, rate=RATE)
        self._scales = np.array([joint_scale(joint.kind) for joint in robot.joints])
        self._begin()

    def _begin(self) -> None:
        self._framer, self._damaged = KvpFramer(), 0
        self._number, self._asked, self._name = 0, -1.0, NAME
        self._waits = False

    def open(self) -> None:
        """Connect."""
        self._begin()
        self._transport.open()

    def poll(self, now: float) -> Sequence[Heard]:
        """Take an answer, and ask again."""
        heard: list[Heard] = []
        for packet in self._framer.feed(self._transport.read()):
            heard += self._take(packet, now)
        if self._framer.damaged > self._damaged:
            heard.append(Damaged(self._framer.damaged - self._damaged))
            self._damaged, self._waits = self._framer.damaged, False
        if not self._waits or now - self._asked > ANSWER_S:
            self._number = self._number % 65535 + 1
            self._asked, self._waits = now, True
            self._transport.write(read_request(self._number, self._name))
        return heard

    def _take(self, packet: bytes, now: float) -> list[Heard]:
        answer = value_of(packet)
        if answer is None:
            return [Damaged()]
        number, value = answer
        if number != self._number:  # the late answer to a request that was given up
            return []
        self._waits = False
        if self._name == NAME:
            self._name = AXES
            return [Identity("kvp", value.decode("ascii", "replace").strip(' "#\x00'))]
        axes = {int(axis): float(text) for axis, text in AXIS.findall(value)}
        wanted = range(1, len(self._scales) + 1)
        if not set(wanted) <= set(axes):
            return [Damaged()]
        return [Sample(received=now, q=np.array([axes[k] for k in wanted]) * self._scales)]
