"""Framers: bytes in, frames out, with no input or output of their own; what is damaged is counted and left out."""

from __future__ import annotations

from typing import Protocol

LONGEST_LINE = 400


class Framer(Protocol):
    """Finds the frames in a stream of bytes."""

    damaged: int
    """Frames that were left out, up to now."""

    def feed(self, data: bytes) -> list[bytes]:
        """Return the whole frames that `data` completes."""


def crc16_ccitt(data: bytes) -> int:
    """Return the CRC-16 of polynomial 0x1021, begun with 0xFFFF, most significant bit first."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _bit in range(8):
            crc = ((crc << 1) ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


class LineFramer:
    """Lines that end with a newline; one that is too long is damaged."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self.damaged = 0
        self._longest, self._buffer, self._skips = longest, b"", False

    def feed(self, data: bytes) -> list[bytes]:
        """Return whole lines without their ends."""
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        whole = []
        for line in lines:
            if self._skips or len(line) > self._longest:
                self.damaged += not self._skips
                self._skips = False
            elif line.strip(b"\r"):
                whole.append(line.strip(b"\r"))
        if len(self._buffer) > self._longest:
            self.damaged += not self._skips
            self._buffer, self._skips = b"", True
        return whole


class CheckedLineFramer:
    """Lines that end with `*` and four hexadecimal digits: the CRC-16 of what is before them."""

    def __init__(self) -> None:
        self._lines, self._wrong = LineFramer(), 0

    @property
    def damaged(self) -> int:
        """Lines that were left out, up to now."""
        return self._lines.damaged + self._wrong

    def feed(self, data: bytes) -> list[bytes]:
        """Return the lines whose CRC is right, without it."""
        whole = []
        for line in self._lines.feed(data):
            body, star, digits = line.rpartition(b"*")
            if star and digits == b"%04X" % crc16_ccitt(body):
                whole.append(body)
            else:
                self._wrong += 1
        return whole


def checked_line(body: bytes) -> bytes:
    """Return a line with its CRC and its end."""
    return body + b"*%04X\n" % crc16_ccitt(body)
