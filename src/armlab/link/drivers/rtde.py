"""`rtde`: Universal Robots by their Real-Time Data Exchange (port 30004), read only.

Packets are size (16 bits, big-endian, itself included), type (8 bits) and what the type says. We ask for protocol 2,
then for the controller's version, then for OUTPUTS at a rate; the answer names their types; then data packets come by
themselves, each with the controller's time.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from armlab.errors import LinkRefused
from armlab.link.driver import Damaged, DeviceFault, Heard, Identity, Sample
from armlab.link.drivers.reading import ReadingDriver, reading_capabilities
from armlab.link.transport import Transport
from armlab.messages import _

VERSION, CONTROLLER, OUTPUT_SETUP, START, DATA, TEXT = b"Vv" + b"OSUM"
LONGEST = 4096
RATE = 125.0
OUTPUTS = {
    "timestamp": "DOUBLE",
    "actual_q": "VECTOR6D",
    "actual_qd": "VECTOR6D",
    "joint_temperatures": "VECTOR6D",
    "safety_mode": "INT32",
}
ROW = struct.Struct(">B19di")
"""The recipe, then the outputs above."""
NORMAL, REDUCED = 1, 2
"""Safety modes in which an arm moves; the others are stops and faults."""


class RtdeFramer:
    """Finds packets by their size."""

    def __init__(self) -> None:
        self.damaged = 0
        self._buffer = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Return whole packets: type and body."""
        self._buffer += data
        whole = []
        while len(self._buffer) >= 3:
            size = int.from_bytes(self._buffer[:2], "big")
            if not 3 <= size <= LONGEST:
                self.damaged += 1
                self._buffer = b""
                break
            if len(self._buffer) < size:
                break
            whole.append(self._buffer[2:size])
            self._buffer = self._buffer[size:]
        return whole


def packet(kind: int, body: bytes = b"") -> bytes:
    """Return a packet."""
    return struct.pack(">HB", len(body) + 3, kind) + body


class RtdeDriver(ReadingDriver):
    """Reads a Universal Robot."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)
        can = reading_capabilities(6, rate=RATE, velocity="measured", temperature="measured")
        self.capabilities = replace(can, has_clock=True)
        self._begin()

    def _begin(self) -> None:
        self._framer, self._damaged, self._recipe = RtdeFramer(), 0, -1
        self._is_stopped = False

    def open(self) -> None:
        """Connect, and ask for protocol 2."""
        self._begin()
        self._transport.open()
        self._transport.write(packet(VERSION, b"\x00\x02"))

    def poll(self, now: float) -> Sequence[Heard]:
        """Take packets; each step of the way asks for the next.

        Raises:
            LinkRefused: if the controller does not have what is asked for.
        """
        heard: list[Heard] = []
        for body in self._framer.feed(self._transport.read()):
            heard += self._take(body[0], body[1:], now)
        if self._framer.damaged > self._damaged:
            heard.append(Damaged(self._framer.damaged - self._damaged))
            self._damaged = self._framer.damaged
        return heard

    def _take(self, kind: int, body: bytes, now: float) -> list[Heard]:
        if kind == VERSION:
            self._check(body == b"\x01", "protocol 2")
            self._transport.write(packet(CONTROLLER))
        elif kind == CONTROLLER and len(body) == 16:
            names = ",".join(OUTPUTS).encode()
            self._transport.write(packet(OUTPUT_SETUP, struct.pack(">d", RATE) + names))
            return [Identity(f"ur {'.'.join(map(str, struct.unpack('>4I', body)))}")]
        elif kind == OUTPUT_SETUP and body:
            self._check(body[1:].decode("ascii", "replace") == ",".join(OUTPUTS.values()), ", ".join(OUTPUTS))
            self._recipe = body[0]
            self._transport.write(packet(START))
        elif kind == START:
            self._check(body == b"\x01", "start")
        elif kind == DATA:
            return self._data(body, now)
        elif kind != TEXT:
            return [Damaged()]
        return []

    def _check(self, is_so: bool, what: str) -> None:
        if not is_so:
            raise LinkRefused("rtde_refused", _("RTDE: the controller refuses {what}"), what=what)

    def _data(self, body: bytes, now: float) -> list[Heard]:
        if len(body) != ROW.size or body[0] != self._recipe:
            return [Damaged()]
        _recipe, timestamp, *values, safety = ROW.unpack(body)
        q, qd, temperatures = np.array(values).reshape(3, 6)
        if not (np.isfinite(qd).all() and np.isfinite(timestamp)):
            return [Damaged()]
        sample = Sample(received=now, q=q, qd=qd, temperature=temperatures, device_time=timestamp)
        stopped = safety not in {NORMAL, REDUCED}
        told, self._is_stopped = self._is_stopped, stopped
        return [sample, DeviceFault(f"safety_mode {safety}")] if stopped and not told else [sample]
