"""`grbl`: arms of stepper motors on a board with grbl 1.1, as hobbyists build SCARAs.

Each joint is an axis (channel 0 is X, then Y Z A B C), each set-point a jog command, which grbl can cancel; `?` asks
for the status. Positions are counted steps: what is commanded, not measured. grbl numbers no answers, so no more than
one command is without an answer, and it has no watchdog: what it was told, it does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from armlab.arrays import Floats
from armlab.errors import LinkRefused
from armlab.link.driver import (
    Answer,
    Capabilities,
    Damaged,
    DeviceFault,
    Heard,
    Identity,
    Sample,
    Setpoint,
    Source,
    StopKind,
)
from armlab.link.framing import LineFramer
from armlab.link.transport import Transport
from armlab.link.wiring import WireMap

AXES = "XYZABC"
RATE = 25.0
JOG_CANCEL = b"\x85"
SLOWEST_FEED = 0.1
CATCH_UP = 1.1
"""Feeds are so much faster than needed, so that motions do not queue up."""
STATUS = re.compile(rb"<(\w+)(?::\d+)?\|MPos:(-?[\d.]+(?:,-?[\d.]+)*)(?:\|[^<>]*)?>")
BANNER = re.compile(rb"Grbl (\S+)")
NUMBER = re.compile(rb"-?\d+(?:\.\d*)?")
WITHOUT_DRIVES = {b"Alarm", b"Sleep"}


class GrblDriver:
    """Drives a board with grbl."""

    def __init__(self, transport: Transport, wires: WireMap) -> None:
        n = len(wires.joints)
        nothing: Source = "none"
        counted: Source = "commanded"
        self.capabilities = Capabilities(
            position=(counted,) * n,
            velocity=(nothing,) * n,
            torque=(nothing,) * n,
            temperature=(nothing,) * n,
            setpoint="queue",
            rate=RATE,
            own_watchdog=None,
            stops=frozenset({"hold"}),
            answers=True,
            resets_on_open=True,
        )
        self._transport, self._wires = transport, wires
        self._begin()

    def _begin(self) -> None:
        self._framer, self._damaged, self._is_known = LineFramer(), 0, False
        self._asked, self._outstanding = -1.0, 0
        self._last: Floats | None = None

    def open(self) -> None:
        """Open the port."""
        self._begin()
        self._transport.open()

    def poll(self, now: float) -> Sequence[Heard]:
        """Return what has arrived; ask for the banner until it comes, and then for the status."""
        if now - self._asked >= (1.0 / RATE if self._is_known else 0.5) - 1e-9:
            self._asked = now
            self._transport.write(b"?" if self._is_known else b"$I\n")
        heard = [one for line in self._framer.feed(self._transport.read()) for one in self._take(line.strip(), now)]
        if self._framer.damaged > self._damaged:
            heard.append(Damaged(self._framer.damaged - self._damaged))
            self._damaged = self._framer.damaged
        return heard

    def _take(self, line: bytes, now: float) -> list[Heard]:
        status = STATUS.fullmatch(line)
        if status is not None:
            return self._status(status[1], status[2], now)
        if line == b"ok" or line.startswith(b"error:"):
            number, self._outstanding = self._outstanding, 0
            return [Answer(number, "" if line == b"ok" else line.decode("ascii", "replace"))] if number else []
        if line.startswith(b"ALARM:"):
            return [DeviceFault(line.decode("ascii", "replace"))]
        banner = BANNER.match(line) or re.match(rb"\[VER:([\w.]+)", line)
        if banner is not None:
            self._is_known = True
            return [Identity(f"grbl {banner[1].decode('ascii', 'replace')[:20]}")]
        return [] if line.startswith((b"[", b"$")) or not self._is_known else [Damaged()]

    def _status(self, state: bytes, texts: bytes, now: float) -> list[Heard]:
        numbers = texts.split(b",")
        n = max(self._wires.channels) + 1
        if len(numbers) < n or not all(NUMBER.fullmatch(text) for text in numbers):
            return [Damaged()]
        q = self._wires.from_wire([float(numbers[channel]) for channel in self._wires.channels])
        self._last = q if self._last is None else self._last
        return [Sample(received=now, q=q, commanded=q, is_enabled=state not in WITHOUT_DRIVES)]

    def enable(self, sequence: int, q: Floats) -> None:
        """Ask for an answer: steppers hold whenever they have power."""
        self._last, self._outstanding = q, sequence
        self._transport.write(b"\n")

    def send(self, setpoint: Setpoint) -> None:
        """Jog; the feed is so that the motion takes as long as it should, in units of the wire per minute."""
        wire = self._wires.to_wire(setpoint.q)
        before = wire if self._last is None else self._wires.to_wire(self._last)
        feed = max(float(np.linalg.norm(wire - before)) / setpoint.seconds * 60.0 * CATCH_UP, SLOWEST_FEED)
        words = "".join(f"{AXES[i]}{value:.4f}" for i, value in zip(self._wires.channels, wire.tolist(), strict=True))
        self._last, self._outstanding = setpoint.q, setpoint.sequence
        self._transport.write(f"$J=G90G21{words}F{feed:.2f}\n".encode("ascii"))

    def keep_alive(self, sequence: int) -> None:
        """Do nothing: grbl has no watchdog."""

    def stop(self, kind: StopKind = "hold") -> None:  # noqa: ARG002
        """Cancel what is under way."""
        with suppress(LinkRefused):
            self._transport.write(JOG_CANCEL)

    def close(self) -> None:
        """Close the port."""
        self._transport.close()
