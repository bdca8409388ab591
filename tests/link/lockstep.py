"""A link and an emulated arm in lock step: one clock for both, and a wire with seeded faults between."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from armlab.errors import LinkRefused
from armlab.link.driver import Driver
from armlab.link.drivers.lines import LinesDriver
from armlab.link.guard import LinkState
from armlab.link.link import ArmLink
from armlab.link.link_file import LinkFile, read_link
from armlab.link.peers.arms import EmulatedArm, emulated_arm
from armlab.link.peers.lines_board import LinesBoard
from armlab.link.peers.wire import PeerWire

TICK = 0.01
WHO = "tests"
TRIALS = int(os.environ.get("ARMLAB_LINK_TRIALS", "5"))
"""Seeds of each trial; `make peers` runs 10,000."""


class FaultyWire(PeerWire):
    """A wire that damages what it carries, by a seed."""

    def __init__(self, peer: LinesBoard, seed: int = 0) -> None:
        super().__init__(peer)
        self.rng = np.random.default_rng(seed)
        self.damage = 0.0
        """Probability that a byte is lost, doubled or changed, either way."""
        self.cut_after: int | None = None
        """Bytes, of both directions, after which the cable is out."""
        self.is_cut = self.is_deaf = False
        self.holds_back = 0.0
        """s that what arrives is held back; then it comes at once."""
        self._held, self._since = b"", 0.0

    def open(self) -> None:
        if self.is_cut:
            raise LinkRefused("port_not_opened", "{port}: cut", port="wire")
        self._held = b""
        super().open()

    def _carried(self, data: bytes) -> bytes:
        if self.is_cut:
            return b""
        if self.cut_after is not None:
            data, self.cut_after = data[: self.cut_after], self.cut_after - len(data)
            if self.cut_after <= 0:
                self.cut_after, self.is_cut = None, True
        if self.damage <= 0.0:
            return data
        out = bytearray()
        for byte, dice in zip(data, self.rng.random(len(data)).tolist(), strict=True):
            if dice >= self.damage:
                out.append(byte)
            elif dice < self.damage / 3.0:
                out.append(int(self.rng.integers(256)))
            elif dice < 2.0 * self.damage / 3.0:
                out += bytes((byte, byte))
        return bytes(out)

    def read(self) -> bytes:
        if self.is_cut:
            raise LinkRefused("port_lost", "{port}: cut", port="wire")
        return super().read()

    def write(self, data: bytes) -> None:
        if self.is_cut:
            raise LinkRefused("port_lost", "{port}: cut", port="wire")
        if self.is_deaf:
            raise LinkRefused("peer_does_not_read", "{port}: deaf", port="wire")
        self.peer.receive(self._carried(data))

    def advance(self, seconds: float) -> None:
        data = self._carried(self.peer.advance(seconds))
        self._held += data
        self._since += seconds
        if self._since >= self.holds_back:
            if self._is_open:
                self._arrived += self._held
            self._held, self._since = b"", 0.0


class LockStep:
    """A Braccio, its link, and their common time."""

    def __init__(self, folder: Path, *, has_feedback: bool = True, faults: tuple[str, ...] = (), seed: int = 0) -> None:
        self.arm: EmulatedArm = emulated_arm("braccio", faults, has_feedback=has_feedback, seed=seed)
        assert isinstance(self.arm.peer, LinesBoard)
        self.board = self.arm.peer
        self.wire = FaultyWire(self.board, seed)
        self.file: LinkFile = link_file(folder, self.arm)
        assert self.file.wires is not None
        self.driver: Driver = LinesDriver(self.wire, self.file.wires, self.file.feedback)
        self.link = ArmLink(self.file, self.driver)
        self.now = 100.0

    def state(self) -> LinkState:
        return self.link.state

    def step(self, seconds: float = TICK, *, renew: bool = True) -> None:
        """One tick: the arm's time passes, then the link looks."""
        self.now += seconds
        self.wire.advance(seconds)
        if renew and self.link.guard.lease.holder == WHO:
            self.link.guard.lease.take(WHO, self.now)
        self.link.tick(self.now)

    def run(self, seconds: float, each: Callable[[], object] = lambda: None, *, renew: bool = True) -> None:
        """Ticks for so long; `each` before every one."""
        for _tick in range(round(seconds / TICK)):
            each()
            self.step(renew=renew)

    def connected(self) -> LockStep:
        """Connect and read for a moment."""
        self.link.connect()
        self.run(0.3)
        assert self.link.state is LinkState.MONITOR
        return self

    def armed(self) -> LockStep:
        """Arm, and wait until the drives are on."""
        assert self.link.arm(WHO, self.now) is None
        self.run(0.1)
        assert self.link.state is LinkState.ARMED, list(self.link.guard.reasons)
        return self

    def move(self, joint: int = 1, speed: float = 0.5) -> None:
        """Want one more step of one joint, so fast (rad/s)."""
        if self.link.state in {LinkState.ARMED, LinkState.MOVING} and self.link.commanded is not None:
            q, qd = self.link.commanded.copy(), np.zeros(5)
            q[joint] += speed * 2.0 * TICK
            qd[joint] = speed
            self.link.want(q, qd, 2.0 * TICK, WHO, self.now)


def link_file(folder: Path, arm: EmulatedArm) -> LinkFile:
    path = folder / "arm.toml"
    path.write_text(arm.link_text("tcp://127.0.0.1:1"), encoding="utf-8")
    return read_link(path)
