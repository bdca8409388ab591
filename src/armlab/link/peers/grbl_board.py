"""A board with grbl 1.1, emulated: jog commands, status reports, cancelling; one line after the other."""

from __future__ import annotations

import re
from collections import deque

import numpy as np

from armlab.arrays import Floats
from armlab.link.drivers.grbl import AXES, JOG_CANCEL
from armlab.link.framing import LineFramer
from armlab.link.peers.servos import EmulatedServos
from armlab.link.wiring import WireMap

BLOCKS = 15
"""Motions that are planned ahead; a line that has no room gets its answer when there is some."""
BANNER = b"\r\nGrbl 1.1h ['$' for help]\r\n"
WORD = re.compile(r"([A-Z])(-?\d+(?:\.\d*)?)")
BAD_NUMBER, BAD_STATEMENT, NO_FEED = 2, 3, 22


class GrblBoard:
    """Steppers that are where they are told to be, and know nothing else."""

    def __init__(self, servos: EmulatedServos, wires: WireMap) -> None:
        self.servos, self._wires = servos, wires
        self.executed = 0
        self.connected()

    def connected(self) -> None:
        """Start anew; steppers keep their positions here, as if nobody had moved them by hand."""
        self._framer, self._out = LineFramer(), [BANNER]
        self._blocks: deque[tuple[Floats, float]] = deque()
        self._lines: deque[bytes] = deque()
        self._at = np.array(self._wires.to_wire(self.servos.q))
        self.servos.aim(self.servos.q)

    def receive(self, data: bytes) -> None:
        """Take lines, and single characters that act at once wherever they stand."""
        for _time in range(data.count(b"?")):
            self._out.append(self._status())
        if JOG_CANCEL in data:
            self._blocks.clear()
        self._lines.extend(self._framer.feed(data.replace(b"?", b"").replace(JOG_CANCEL, b"").replace(b"\n", b" \n")))

    def _status(self) -> bytes:
        position = [0.0] * 3 + [0.0] * max(0, max(self._wires.channels) - 2)
        for channel, value in zip(self._wires.channels, self._at.tolist(), strict=True):
            position[channel] = value
        state = "Jog" if self._blocks else "Idle"
        return f"<{state}|MPos:{','.join(f'{value:.3f}' for value in position)}|FS:0,0>\r\n".encode()

    def _take(self, line: bytes) -> bytes:
        text = line.decode("ascii", "replace").replace(" ", "").upper()
        if not text:
            return b"ok\r\n"
        if text == "$I":
            return b"[VER:1.1h.20190830:]\r\n[OPT:V,15,128]\r\nok\r\n"
        if not text.startswith("$J="):
            return b"error:%d\r\n" % BAD_STATEMENT
        words = WORD.findall(text[3:])
        if "".join(letter + number for letter, number in words) != text[3:]:
            return b"error:%d\r\n" % BAD_NUMBER
        feed = next((float(number) for letter, number in words if letter == "F"), 0.0)
        if feed <= 0.0:
            return b"error:%d\r\n" % NO_FEED
        goal = self._goal()
        for letter, number in words:
            if letter in AXES and AXES.index(letter) in self._wires.channels:
                goal[self._wires.channels.index(AXES.index(letter))] = float(number)
        self._blocks.append((goal, feed / 60.0))
        self.executed += 1
        return b"ok\r\n"

    def _goal(self) -> Floats:
        return np.array(self._blocks[-1][0] if self._blocks else self._at)

    def advance(self, seconds: float) -> bytes:
        """Let time pass."""
        while self._lines and len(self._blocks) < BLOCKS:
            self._out.append(self._take(self._lines.popleft()))
        left = seconds
        while self._blocks and left > 0.0:
            goal, speed = self._blocks[0]
            away = goal - self._at
            takes = float(np.linalg.norm(away)) / speed
            share = 1.0 if takes <= left else left / takes
            self._at = self._at + share * away
            left -= min(takes, left)
            if share >= 1.0:
                self._blocks.popleft()
        self.servos.aim(self._wires.from_wire(self._at))
        self.servos.advance(seconds)
        sent, self._out = b"".join(self._out), []
        return sent
