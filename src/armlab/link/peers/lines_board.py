"""A board with our firmware, emulated: what the sketch of `armlab firmware` does, statement for statement."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.link.drivers.lines import ENABLED, TENTHS, TRIPPED, WATCHDOG, numbers_of
from armlab.link.framing import CheckedLineFramer, checked_line
from armlab.link.peers.servos import EmulatedServos
from armlab.link.wiring import WireMap

TELEMETRY = 0.02
DEGREE, DEGREE_S = 103.0, 0.01
"""No pulse changes by more than a degree (tenths of µs) in that time (s)."""
LONGEST_MOVE_MS = 10_000
WRAP_MS = 2**32


class LinesBoard:
    """Answers commands, moves its servos, and holds them when it hears nothing for 250 ms.

    `rate` and `start` are of its clock: how fast it runs against true time, and what it begins with (s). A board with
    `feedback` has a potentiometer in each servo.
    """

    firmware = "armlab-braccio 1"

    def __init__(
        self,
        servos: EmulatedServos,
        wires: WireMap,
        feedback: WireMap | None = None,
        *,
        serial: str = "EMU1",
        rate: float = 1.0,
        start: float = 0.0,
        resets_on_open: bool = True,
    ) -> None:
        self.servos, self._wires, self._feedback, self._serial = servos, wires, feedback, serial
        self._rate, self._resets = rate, resets_on_open
        self.clock = start
        self.executed = 0
        """Set-points that were accepted so far."""
        self.tripped_after = 0.0
        """How long (s) nothing was heard when the watchdog tripped last."""
        self.reset()
        self.clock = start

    def reset(self) -> None:
        """Begin anew, as a board without power for a moment: drives off, the clock at 0."""
        self._framer, self._out = CheckedLineFramer(), [self._banner()]
        self.clock, self._count, self._flags, self._acked = 0.0, 0, 0, 0
        self._pulses: Floats = np.zeros(len(self._wires.joints))
        self._from, self._to, self._begun, self._lasts = self._pulses, self._pulses, 0.0, 0.0
        self._heard, self._told = 0.0, 0.0
        self.servos.aim(None)

    def connected(self) -> None:
        """Start anew where opening the port resets the board."""
        if self._resets:
            self.reset()

    def _banner(self) -> bytes:
        n, ms = len(self._wires.joints), round(WATCHDOG * 1e3)
        return checked_line(f"B,{self.firmware},{self._serial},{n},{ms}".encode())

    def receive(self, data: bytes) -> None:
        """Take commands."""
        for body in self._framer.feed(data):
            self._take(body)

    def _take(self, body: bytes) -> None:
        kind, numbers = body[:2], numbers_of(body)
        if not numbers:
            return
        match kind:
            case b"I,":
                self._out.append(self._banner())
            case b"K,":
                self._heard = self.clock
            case b"H,":
                self._hold()
                self._answer(numbers[0], 0)
            case b"O,":
                self._hold()
                self._flags = 0
                self.servos.aim(None)
                self._answer(numbers[0], 0)
            case b"E,":
                self._answer(numbers[0], self._enable(numbers[0], numbers[1:]))
            case b"S,":
                self._answer(numbers[0], self._setpoint(numbers))

    def _answer(self, sequence: int, reason: int) -> None:
        self._out.append(checked_line(b"A,%d,%d" % (sequence, reason)))

    def _enable(self, sequence: int, pulses: list[int]) -> int:
        if not self._fits(pulses):
            return 4
        if not self._flags & ENABLED:  # a board that holds already does not move
            self._pulses = np.array(pulses, dtype=np.float64)
        self._hold()
        self._flags, self._acked, self._heard = ENABLED, sequence, self.clock
        return 0

    def _setpoint(self, numbers: list[int]) -> int:
        if not self._flags & ENABLED:
            return 1
        if self._flags & TRIPPED:
            return 2
        if len(numbers) < 2 or not 0 < (numbers[0] - self._acked) % 65536 < 32768:
            return 3
        if not 0 < numbers[1] <= LONGEST_MOVE_MS or not self._fits(numbers[2:]):
            return 4
        self._acked, self._heard = numbers[0], self.clock
        self._from, self._to = self._pulses.copy(), np.array(numbers[2:], dtype=np.float64)
        self._begun, self._lasts = self.clock, numbers[1] * 1e-3
        self.executed += 1
        return 0

    def _fits(self, pulses: list[int]) -> bool:
        return len(pulses) == len(self._pulses) and all(4000 <= pulse <= 26000 for pulse in pulses)

    def _hold(self) -> None:
        self._from = self._to = self._pulses.copy()
        self._lasts = 0.0

    def advance(self, seconds: float) -> bytes:
        """Let time pass."""
        self.clock = (self.clock + seconds * self._rate) % (WRAP_MS * 1e-3)
        if self._flags == ENABLED and self.clock - self._heard > WATCHDOG:
            self.tripped_after = self.clock - self._heard
            self._hold()
            self._flags |= TRIPPED
        done = 1.0 if self._lasts <= 0.0 else min((self.clock - self._begun) / self._lasts, 1.0)
        goal = self._from + (self._to - self._from) * max(done, 0.0)
        most = DEGREE * seconds / DEGREE_S
        self._pulses = self._pulses + np.maximum(np.minimum(goal - self._pulses, most), -most)
        self.servos.aim(self._wires.from_wire(self._pulses / TENTHS) if self._flags & ENABLED else None)
        self.servos.advance(seconds)
        if self.clock - self._told >= TELEMETRY or self.clock < self._told:
            self._told = self.clock
            self._out.append(self._telemetry())
        sent, self._out = b"".join(self._out), []
        return sent

    def _telemetry(self) -> bytes:
        self._count = (self._count + 1) % 65536
        analog = [-1] * len(self._pulses)
        if self._feedback is not None:
            analog = [round(value) for value in self._feedback.to_wire(self.servos.measured()).tolist()]
        head = [self._count, int(self.clock * 1e3), self._flags, self._acked]
        numbers = [*head, *(round(pulse) for pulse in self._pulses.tolist()), *analog]
        return checked_line(b"T," + b",".join(b"%d" % number for number in numbers))
