"""A bus of STS servos, emulated: ping, read, write, sync read and sync write of their control tables."""

from __future__ import annotations

import numpy as np

from armlab.link.drivers.feetech import (
    ALL,
    GOAL,
    MODEL,
    PRESENT,
    READ,
    SYNC_READ,
    SYNC_WRITE,
    TORQUE_ENABLE,
    FeetechFramer,
    packet,
    signed,
    unsigned,
)
from armlab.link.peers.servos import EmulatedServos
from armlab.link.wiring import WireMap

PING, WRITE = 0x01, 0x03
TABLE_BYTES = 71
STS3215 = 777


class FeetechBus:
    """One servo per joint; a goal is approached at the speed that was written with it."""

    def __init__(self, servos: EmulatedServos, wires: WireMap) -> None:
        self.servos, self._wires = servos, wires
        self._framer, self._out = FeetechFramer(), b""
        self._tables = {channel: bytearray(TABLE_BYTES) for channel in wires.channels}
        for table in self._tables.values():
            table[MODEL : MODEL + 2] = STS3215.to_bytes(2, "little")
        self._aim = wires.to_wire(servos.q)

    def connected(self) -> None:
        """Servos do not notice who is there."""
        self._framer, self._out = FeetechFramer(), b""

    def receive(self, data: bytes) -> None:
        """Take instructions."""
        for body in self._framer.feed(data):
            servo, kind, parameters = body[0], body[1], body[2:]
            if kind == SYNC_READ and len(parameters) > 2:
                for one in parameters[2:]:
                    self._read(one, parameters[0], parameters[1])
            elif kind == SYNC_WRITE and len(parameters) > 2:
                self._sync_write(parameters)
            elif kind == PING and servo in self._tables:
                self._out += packet(servo, 0)
            elif kind == READ and len(parameters) == 2:
                self._read(servo, parameters[0], parameters[1])
            elif kind == WRITE and len(parameters) > 1:
                self._write(servo, parameters[0], parameters[1:])
                if servo != ALL and servo in self._tables:
                    self._out += packet(servo, 0)

    def _read(self, servo: int, address: int, count: int) -> None:
        if servo in self._tables and address + count <= TABLE_BYTES:
            self._out += packet(servo, 0, bytes(self._tables[servo][address : address + count]))

    def _write(self, servo: int, address: int, data: bytes) -> None:
        for one in self._tables if servo == ALL else (servo,):
            if one in self._tables and address >= TORQUE_ENABLE and address + len(data) <= PRESENT:
                self._tables[one][address : address + len(data)] = data

    def _sync_write(self, parameters: bytes) -> None:
        address, count = parameters[0], parameters[1]
        for at in range(2, len(parameters) - count, count + 1):
            self._write(parameters[at], address, parameters[at + 1 : at + 1 + count])

    def advance(self, seconds: float) -> bytes:
        """Let time pass."""
        tables = [self._tables[channel] for channel in self._wires.channels]
        is_on = all(table[TORQUE_ENABLE] == 1 for table in tables)
        if is_on:
            goals = np.array([signed(int.from_bytes(table[GOAL : GOAL + 2], "little")) for table in tables])
            speeds = np.array([signed(int.from_bytes(table[GOAL + 4 : GOAL + 6], "little")) for table in tables])
            most = np.where(speeds == 0, 1e6, np.abs(speeds)) * seconds
            self._aim = self._aim + np.clip(goals - self._aim, -most, most)
        else:
            self._aim = self._wires.to_wire(self.servos.q)
        self.servos.aim(self._wires.from_wire(self._aim) if is_on else None)
        self.servos.advance(seconds)
        rates = self._wires.to_wire(self.servos.q + self.servos.qd) - self._wires.to_wire(self.servos.q)
        for table, position, rate in zip(tables, self._wires.to_wire(self.servos.q), rates, strict=True):
            present = unsigned(round(float(position))) + unsigned(round(float(rate))) + b"\x00\x00\x78\x1e"
            table[PRESENT : PRESENT + len(present)] = present
        sent, self._out = self._out, b""
        return sent
