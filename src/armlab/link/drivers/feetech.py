"""`feetech`: serial bus servos of the STS series, as in SO-100 and SO-101 arms; the channel of a joint is its id.

A packet is FF FF, id, length, instruction or error, parameters, and the complement of the sum of all from the id on.
All servos are asked at once (sync read) and answer one after the other; goals are written at once (sync write). A servo
goes to its goal and stays there: with goals two periods ahead, an arm whose link is gone holds two periods later.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from armlab.arrays import Floats
from armlab.errors import LinkRefused
from armlab.link.driver import Capabilities, Damaged, Heard, Identity, Sample, Setpoint, Source, StopKind
from armlab.link.transport import Transport
from armlab.link.wiring import WireMap

RATE = 50.0
ANSWER_S = 0.03
HEAD, ALL = b"\xff\xff", 0xFE
READ, SYNC_READ, SYNC_WRITE = 0x02, 0x82, 0x83
MODEL, TORQUE_ENABLE, GOAL, PRESENT = 3, 40, 42, 56
"""Addresses of the control table; numbers are little-endian, the highest bit of a speed or position is its sign."""
PRESENT_BYTES = 8
"""Position, speed and load of two bytes each, voltage, temperature."""
SIGN = 0x8000
FASTEST = 3400
LONGEST = 250


def packet(servo: int, kind: int, parameters: bytes = b"") -> bytes:
    """Return a packet of the bus; `kind` is an instruction, or in an answer the error bits."""
    body = bytes((servo, len(parameters) + 2, kind)) + parameters
    return HEAD + body + bytes((~sum(body) & 0xFF,))


def signed(value: int) -> int:
    """Return a number whose highest bit is its sign."""
    return -(value & (SIGN - 1)) if value & SIGN else value


def unsigned(value: int) -> bytes:
    """Return a number as two bytes, its sign in the highest bit."""
    return (min(abs(value), SIGN - 1) | (SIGN if value < 0 else 0)).to_bytes(2, "little")


class FeetechFramer:
    """Finds packets: id, error or instruction, parameters."""

    def __init__(self) -> None:
        self.damaged = 0
        self._buffer = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Return the bodies of whole packets, from the id on, without length and sum."""
        self._buffer += data
        whole: list[bytes] = []
        while (at := self._buffer.find(HEAD)) >= 0:
            rest = self._buffer[at:]
            if len(rest) < 4 or (rest[3] <= LONGEST and len(rest) < rest[3] + 4):
                self._buffer = rest
                return whole
            size = rest[3]
            body = rest[2 : size + 4]
            if 2 <= size <= LONGEST and ~sum(body[:-1]) & 0xFF == body[-1]:
                whole.append(body[:1] + body[2:-1])
                self._buffer = rest[size + 4 :]
            else:
                self.damaged += 1
                self._buffer = rest[1:]
        self._buffer = self._buffer[-1:] if self._buffer.endswith(b"\xff") else b""
        return whole


class FeetechDriver:
    """Drives a bus of STS servos."""

    def __init__(self, transport: Transport, wires: WireMap) -> None:
        n = len(wires.joints)
        nothing: Source = "none"
        measured: Source = "measured"
        self.capabilities = Capabilities(
            position=(measured,) * n,
            velocity=(measured,) * n,
            torque=(nothing,) * n,
            temperature=(measured,) * n,
            setpoint="stream",
            rate=RATE,
            own_watchdog=None,
            stops=frozenset({"hold", "power_off"}),
        )
        self._transport, self._wires = transport, wires
        self._begin()

    def _begin(self) -> None:
        self._framer, self._damaged = FeetechFramer(), 0
        self._asked, self._is_known, self._is_enabled = -1.0, False, False
        self._answers: dict[int, bytes] | None = None
        self._last: Floats | None = None
        self._present: Floats | None = None

    def open(self) -> None:
        """Open the port."""
        self._begin()
        self._transport.open()

    def poll(self, now: float) -> Sequence[Heard]:
        """Take answers; ask again when all have come, or too late."""
        heard: list[Heard] = []
        for body in self._framer.feed(self._transport.read()):
            heard += self._take(body, now)
        if self._framer.damaged > self._damaged:
            heard.append(Damaged(self._framer.damaged - self._damaged))
            self._damaged = self._framer.damaged
        if self._answers is not None and now - self._asked > ANSWER_S:
            self._answers = None
            if self._is_known:
                heard.append(Damaged())
        if self._answers is None and now - self._asked >= 1.0 / RATE - 1e-9:
            self._ask(now)
        return heard

    def _ask(self, now: float) -> None:
        self._asked, self._answers = now, {}
        if self._is_known:
            asked = bytes((PRESENT, PRESENT_BYTES, *self._wires.channels))
            self._transport.write(packet(ALL, SYNC_READ, asked))
        else:
            self._transport.write(packet(self._wires.channels[0], READ, bytes((MODEL, 2))))

    def _take(self, body: bytes, now: float) -> list[Heard]:
        servo, parameters = body[0], body[2:]
        if not self._is_known:
            if len(parameters) != 2 or servo != self._wires.channels[0]:
                return []
            self._is_known, self._answers = True, None
            return [Identity(f"feetech {int.from_bytes(parameters, 'little')}")]
        if self._answers is None or servo not in self._wires.channels or len(parameters) != PRESENT_BYTES:
            return []
        self._answers[servo] = parameters
        if len(self._answers) < len(self._wires.channels):
            return []
        rows = [self._answers[channel] for channel in self._wires.channels]
        self._answers = None
        position = [float(signed(int.from_bytes(row[0:2], "little"))) for row in rows]
        self._present = np.array(position)
        speed = [float(signed(int.from_bytes(row[2:4], "little"))) for row in rows]
        return [
            Sample(
                received=now,
                q=self._wires.from_wire(position),
                qd=self._wires.rates_from_wire(speed),
                temperature=np.array([float(row[7]) for row in rows]),
                commanded=self._last,
                is_enabled=self._is_enabled,
            )
        ]

    def enable(self, sequence: int, q: Floats) -> None:  # noqa: ARG002
        """Set the goals to `q`, and only then switch the torques on."""
        self._last = q
        self._goals(q, np.zeros(len(q)))
        self._torques(1)
        self._is_enabled = True

    def send(self, setpoint: Setpoint) -> None:
        """Write goals, and how fast to go there from where the joints are."""
        goal = self._wires.to_wire(setpoint.q)
        speeds = np.abs(goal - (goal if self._present is None else self._present)) / setpoint.seconds
        self._last = setpoint.q
        self._goals(setpoint.q, speeds)

    def _goals(self, q: Floats, speeds: Floats) -> None:
        """A goal is a position, a time (0: not used) and a speed, of which 0 would be the fastest."""
        data = bytes((GOAL, 6))
        for channel, goal, speed in zip(self._wires.channels, self._wires.to_wire(q).tolist(), speeds, strict=True):
            top = min(max(round(float(speed)), 1), FASTEST)
            data += bytes((channel,)) + unsigned(round(goal)) + b"\x00\x00" + unsigned(top)
        self._transport.write(packet(ALL, SYNC_WRITE, data))

    def _torques(self, value: int) -> None:
        rows = b"".join(bytes((channel, value)) for channel in self._wires.channels)
        self._transport.write(packet(ALL, SYNC_WRITE, bytes((TORQUE_ENABLE, 1)) + rows))

    def keep_alive(self, sequence: int) -> None:
        """Do nothing: the servos have no watchdog."""

    def stop(self, kind: StopKind = "hold") -> None:
        """Switch off; to hold nothing is needed, because no goal is farther than two periods ahead."""
        if kind == "power_off":
            self._is_enabled = False
            with suppress(LinkRefused):
                self._torques(0)

    def close(self) -> None:
        """Close the port."""
        self._transport.close()
