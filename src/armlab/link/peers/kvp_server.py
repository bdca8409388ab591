"""A KUKA controller with KUKAVARPROXY, emulated: it answers what is asked for one after the other."""

from __future__ import annotations

import struct

from armlab.link.drivers.kvp import AXES, HEAD, NAME, KvpFramer
from armlab.link.peers.servos import EmulatedServos
from armlab.units import joint_scale


class KvpServer:
    """Serves variables of an arm; those that are unknown are answered as KUKAVARPROXY does."""

    def __init__(self, servos: EmulatedServos) -> None:
        self.servos = servos
        self._framer, self._out = KvpFramer(), b""

    def connected(self) -> None:
        """Begin anew with another client."""
        self._framer, self._out = KvpFramer(), b""

    def receive(self, data: bytes) -> None:
        """Take requests."""
        for packet in self._framer.feed(data):
            if len(packet) >= 7 and packet[4] == 0:
                name = packet[7:].decode("ascii", "replace")
                self._answer(HEAD.unpack_from(packet)[0], self.variable(name))

    def variable(self, name: str) -> str | None:
        """Return the text of a variable; None where there is none of that name."""
        joints = self.servos.robot.joints
        degrees = [value / joint_scale(joint.kind) for value, joint in zip(self.servos.q, joints, strict=True)]
        axes = ", ".join(f"A{k + 1} {value:.6f}" for k, value in enumerate(degrees))
        known = {AXES: f"{{E6AXIS: {axes}, E1 0.0}}", NAME: f'"#{self.servos.robot.name.upper()}"', "$OV_PRO": "100"}
        return known.get(name.upper())

    def _answer(self, number: int, value: str | None) -> None:
        text = (value or "").encode("ascii")
        body = struct.pack(">BH", 0, len(text)) + text + (b"\x00\x01\x01" if value is not None else b"\x00\x00\x00")
        self._out += HEAD.pack(number, len(body)) + body

    def advance(self, seconds: float) -> bytes:
        """Let time pass."""
        self.servos.advance(seconds)
        sent, self._out = self._out, b""
        return sent
