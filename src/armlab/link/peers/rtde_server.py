"""A Universal Robot's RTDE server, emulated: outputs only, at the rate that is asked for."""

from __future__ import annotations

import struct

from armlab.arrays import Floats
from armlab.link.drivers.rtde import CONTROLLER, DATA, OUTPUT_SETUP, START, VERSION, RtdeFramer, packet
from armlab.link.peers.servos import EmulatedServos

TYPES = {
    "timestamp": "DOUBLE",
    "target_q": "VECTOR6D",
    "target_qd": "VECTOR6D",
    "actual_q": "VECTOR6D",
    "actual_qd": "VECTOR6D",
    "actual_current": "VECTOR6D",
    "joint_temperatures": "VECTOR6D",
    "actual_TCP_pose": "VECTOR6D",
    "robot_mode": "INT32",
    "safety_mode": "INT32",
    "runtime_state": "UINT32",
    "speed_scaling": "DOUBLE",
    "robot_status_bits": "UINT32",
    "safety_status_bits": "UINT32",
}
FORMATS = {"DOUBLE": "d", "VECTOR6D": "6d", "INT32": "i", "UINT32": "I"}
SCALARS = {"robot_mode": 7, "safety_mode": 1, "runtime_state": 1, "speed_scaling": 1.0}
RUNNING = 7
FASTEST = 500.0


class RtdeServer:
    """Answers the requests of RTDE; an output that it does not have is NOT_FOUND, as a controller says it."""

    def __init__(self, servos: EmulatedServos) -> None:
        self.servos = servos
        self.safety_mode = 1
        self.connected()

    def connected(self) -> None:
        """Begin anew with another client."""
        self._framer, self._out = RtdeFramer(), b""
        self._names: list[str] = []
        self._runs, self._period, self._told = False, 1.0 / FASTEST, self.servos.time

    def receive(self, data: bytes) -> None:
        """Take requests."""
        for body in self._framer.feed(data):
            kind, rest = body[0], body[1:]
            if kind == VERSION:
                self._out += packet(VERSION, b"\x01" if rest == b"\x00\x02" else b"\x00")
            elif kind == CONTROLLER:
                self._out += packet(CONTROLLER, struct.pack(">4I", 5, 12, 0, 0))
            elif kind == OUTPUT_SETUP and len(rest) > 8:
                self._set_up(rest)
            elif kind == START:
                self._runs = bool(self._names)
                self._out += packet(START, b"\x01" if self._runs else b"\x00")
            elif kind == ord("P"):
                self._runs = False
                self._out += packet(ord("P"), b"\x01")

    def _set_up(self, rest: bytes) -> None:
        (rate,) = struct.unpack_from(">d", rest)
        given = rest[8:].decode("ascii", "replace").strip("\x00").split(",")
        names = [name for name in given if name]  # ur_rtde ends its list with a comma
        types = [TYPES.get(name, "NOT_FOUND") for name in names]
        self._names = names if "NOT_FOUND" not in types else []
        self._period = 1.0 / min(max(rate, 1.0), FASTEST)
        self._out += packet(OUTPUT_SETUP, bytes([1]) + ",".join(types).encode())

    def advance(self, seconds: float) -> bytes:
        """Let time pass."""
        self.servos.advance(seconds)
        if self._runs and self.servos.time - self._told >= self._period - 1e-9:
            self._told = self.servos.time
            body = b"".join(self._value(name) for name in self._names)
            self._out += packet(DATA, b"\x01" + body)
        sent, self._out = self._out, b""
        return sent

    def _value(self, name: str) -> bytes:
        kind = ">" + FORMATS[TYPES[name]]
        if TYPES[name] == "VECTOR6D":
            return struct.pack(kind, *self._row(name).tolist())
        if name == "timestamp":
            return struct.pack(kind, self.servos.time)
        value = self.safety_mode if name == "safety_mode" else SCALARS.get(name, 0)
        return struct.pack(kind, value)

    def _row(self, name: str) -> Floats:
        if name.endswith("_qd"):
            return self.servos.qd
        return self.servos.q if name.endswith("_q") else 0.0 * self.servos.q + 25.0
