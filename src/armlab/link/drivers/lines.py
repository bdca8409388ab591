"""`lines`: the protocol of our own firmware, which `armlab firmware` writes.

Lines of text with a CRC. Pulses are whole tenths of a microsecond; the host counts its commands from 1 to 65535.

    host → board   I,seq            who are you
                   E,seq,p1,…,pn    drives on, hold at these pulses; only this ends a trip of the watchdog
                   S,seq,ms,p1,…,pn be at these pulses in so many ms
                   K,seq            still here
                   H,seq  O,seq     hold; drives off
    board → host   B,firmware,serial,channels,watchdog_ms
                   T,count,ms,flags,acked,p1,…,pn,a1,…,an[,gx,gy,gz,ax,ay,az]
                   A,seq,reason     0 accepted, 1 drives off, 2 watchdog tripped, 3 old sequence, 4 outside, 5 malformed

Flags: 1 drives on, 2 watchdog tripped. Analog values are −1 where nothing is wired; rates are mrad/s, forces mm/s².
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from armlab.arrays import Floats
from armlab.errors import LinkRefused
from armlab.link.driver import Answer, Capabilities, Damaged, Heard, Identity, Sample, Setpoint, Source, StopKind
from armlab.link.framing import CheckedLineFramer, checked_line
from armlab.link.transport import Transport
from armlab.link.wiring import WireMap

TENTHS = 10.0
WATCHDOG = 0.25
RATE = 50.0
ENABLED, TRIPPED = 1, 2
REASONS = {1: "drives off", 2: "watchdog tripped", 3: "old sequence", 4: "outside", 5: "malformed"}
LARGEST_SEQUENCE = 65535


def numbers_of(body: bytes) -> list[int] | None:
    """Return the whole numbers behind the first comma of a line; None where one is not a number."""
    try:
        return [int(text) for text in body.split(b",")[1:]]
    except ValueError:
        return None


class LinesDriver:
    """Drives a board with our firmware; with analog `feedback` positions are measured, otherwise commanded."""

    def __init__(self, transport: Transport, wires: WireMap, feedback: WireMap | None = None) -> None:
        n = len(wires.joints)
        nothing: Source = "none"
        source: Source = "commanded" if feedback is None else "measured"
        self.capabilities = Capabilities(
            position=(source,) * n,
            velocity=(nothing,) * n,
            torque=(nothing,) * n,
            temperature=(nothing,) * n,
            setpoint="stream",
            rate=RATE,
            own_watchdog=WATCHDOG,
            stops=frozenset({"hold", "power_off"}),
            has_clock=True,
            answers=True,
            resets_on_open=True,
            needs_rest=feedback is None,
        )
        self._transport, self._wires, self._feedback = transport, wires, feedback
        self._framer, self._damaged, self._is_known = CheckedLineFramer(), 0, False
        self._asked = 0.0

    def open(self) -> None:
        """Open the port; the board says who it is when it has started, or when it is asked."""
        self._framer, self._damaged, self._is_known = CheckedLineFramer(), 0, False
        self._asked = -1.0
        self._transport.open()

    def poll(self, now: float) -> Sequence[Heard]:
        """Return what has arrived; ask who is there until somebody says so."""
        if not self._is_known and now - self._asked > 0.5:
            self._asked = now
            self._write(b"I,0")
        heard: list[Heard] = []
        for body in self._framer.feed(self._transport.read()):
            one = self._read(body, now)
            heard.append(Damaged() if one is None else one)
        if self._framer.damaged > self._damaged and self._is_known:  # what comes before may begin in the middle
            heard.append(Damaged(self._framer.damaged - self._damaged))
        self._damaged = self._framer.damaged
        return heard

    def _read(self, body: bytes, now: float) -> Heard | None:
        if body.startswith(b"B,"):
            parts = body.decode("ascii", "replace").split(",")
            self._is_known = len(parts) == 5 and parts[3] == str(len(self._wires.joints))
            return Identity(parts[1], parts[2]) if self._is_known else None
        numbers = numbers_of(body)
        if numbers is None:
            return None
        if body.startswith(b"A,") and len(numbers) == 2:
            reason = numbers[1]
            return Answer(numbers[0], REASONS.get(reason, str(reason)) if reason else "")
        if body.startswith(b"T,"):
            return self._sample(numbers, now)
        return None

    def _sample(self, numbers: list[int], now: float) -> Sample | None:
        n = len(self._wires.joints)
        if len(numbers) not in {4 + 2 * n, 10 + 2 * n} or max(abs(number) for number in numbers) > 2**33:
            return None
        count, millis, flags, _acked = numbers[:4]
        pulses, analog, imu = numbers[4 : 4 + n], numbers[4 + n : 4 + 2 * n], numbers[4 + 2 * n :]
        commanded = self._wires.from_wire(np.array(pulses) / TENTHS)
        is_measured = self._feedback is not None and min(analog) >= 0
        return Sample(
            received=now,
            q=self._feedback.from_wire(analog) if self._feedback is not None and is_measured else commanded,
            device_time=millis * 1e-3,
            sequence=count,
            commanded=commanded,
            imu=np.array(imu) * 1e-3 if imu else None,
            is_enabled=bool(flags & ENABLED),
            is_tripped=bool(flags & TRIPPED),
        )

    def enable(self, sequence: int, q: Floats) -> None:
        """Switch the drives on at `q`."""
        self._write(b"E,%d,%s" % (sequence, self._pulses(q)))

    def send(self, setpoint: Setpoint) -> None:
        """Send a set-point."""
        ms = max(round(setpoint.seconds * 1e3), 1)
        self._write(b"S,%d,%d,%s" % (setpoint.sequence, ms, self._pulses(setpoint.q)))

    def _pulses(self, q: Floats) -> bytes:
        return b",".join(b"%d" % round(pulse * TENTHS) for pulse in self._wires.to_wire(q).tolist())

    def keep_alive(self, sequence: int) -> None:
        """Tell the board that we are there."""
        self._write(b"K,%d" % sequence)

    def stop(self, kind: StopKind = "hold") -> None:
        """Hold, or switch off; where that cannot be said any more, the board's watchdog holds."""
        with suppress(LinkRefused):
            self._write(b"O,0" if kind == "power_off" else b"H,0")

    def close(self) -> None:
        """Close the port."""
        self._transport.close()

    def _write(self, body: bytes) -> None:
        self._transport.write(checked_line(body))
