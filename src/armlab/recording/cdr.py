"""CDR, the byte order of ROS 2 messages: little-endian, every number at a multiple of its own size.

Most messages of a recording have the same shape all the time. A `Template` is laid out once; then only times and
blocks of numbers are put into it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from armlab.messages import Message, _

ENCAPSULATION = b"\x00\x01\x00\x00"
"""In front of every message: plain CDR, little-endian. Places are counted from behind it."""
START = len(ENCAPSULATION)

_STAMP = struct.Struct("<iI")
_COUNT = struct.Struct("<I")


class CdrWriter:
    """A message that is being laid out."""

    def __init__(self) -> None:
        self.data = bytearray(ENCAPSULATION)
        self.stamps: list[int] = []
        self.blocks: list[int] = []

    def align(self, size: int) -> None:
        """Fill up with zeros to the next multiple of `size`."""
        self.data += bytes(-(len(self.data) - START) % size)

    def stamp(self, seconds: int = 0, nanoseconds: int = 0) -> None:
        """Add a time; a template fills it in later."""
        self.align(4)
        self.stamps.append(len(self.data))
        self.data += _STAMP.pack(seconds, nanoseconds)

    def byte(self, value: int) -> None:
        """Add one byte."""
        self.data.append(value)

    def count(self, value: int) -> None:
        """Add the length of what follows."""
        self.align(4)
        self.data += _COUNT.pack(value)

    def text(self, value: str) -> None:
        """Add a string."""
        data = value.encode(errors="replace") + b"\0"
        self.count(len(data))
        self.data += data

    def texts(self, values: Sequence[str]) -> None:
        """Add a list of strings."""
        self.count(len(values))
        for value in values:
            self.text(value)

    def block(self, doubles: int) -> None:
        """Leave room for numbers, which a template fills in later."""
        if doubles:
            self.align(8)
            self.blocks.append(len(self.data))
            self.data += bytes(8 * doubles)


class Template:
    """A message whose times and blocks of numbers are put in again and again."""

    def __init__(self, body: CdrWriter) -> None:
        self._data, self._stamps, self._blocks = bytearray(body.data), body.stamps, body.blocks

    def filled(self, time_ns: int, blocks: Sequence[bytes]) -> bytes:
        """Return the message with this time and these blocks."""
        data = self._data
        seconds, nanoseconds = divmod(time_ns, 1_000_000_000)
        for place in self._stamps:
            _STAMP.pack_into(data, place, seconds, nanoseconds)
        for place, block in zip(self._blocks, blocks, strict=True):
            data[place : place + len(block)] = block
        return bytes(data)


class Malformed(ValueError):
    """Bytes that are not a message of the expected kind; `reason` says why."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason)
        self.reason = reason


class CdrReader:
    """A message that is being read; every step checks that the bytes are there."""

    def __init__(self, data: bytes) -> None:
        if data[:2] != ENCAPSULATION[:2]:
            raise Malformed(Message("not_cdr", _("the message is not little-endian CDR")))
        self._data, self.place = data, START

    def _take(self, size: int, alignment: int) -> int:
        start = self.place + -(self.place - START) % alignment
        if size < 0 or start + size > len(self._data):
            raise Malformed(Message("message_too_short", _("the message is too short")))
        self.place = start + size
        return start

    def stamp(self) -> int:
        """Return a time in ns."""
        seconds, nanoseconds = _STAMP.unpack_from(self._data, self._take(8, 4))
        return int(seconds) * 1_000_000_000 + int(nanoseconds)

    def byte(self) -> int:
        """Return one byte."""
        return self._data[self._take(1, 1)]

    def count(self) -> int:
        """Return the length of what follows; never more than bytes are left."""
        value = int(_COUNT.unpack_from(self._data, self._take(4, 4))[0])
        if value > len(self._data) - self.place:
            raise Malformed(Message("message_too_short", _("the message is too short")))
        return value

    def text(self) -> str:
        """Return a string."""
        size = self.count()
        start = self._take(size, 1)
        try:
            return self._data[start : start + max(size - 1, 0)].decode()
        except UnicodeDecodeError:
            raise Malformed(Message("not_utf8", _("a text in the message is not UTF-8"))) from None

    def texts(self) -> tuple[str, ...]:
        """Return a list of strings."""
        return tuple(self.text() for _text in range(self.count()))

    def block(self, doubles: int) -> bytes:
        """Return the bytes of numbers."""
        if doubles == 0:
            return b""
        start = self._take(8 * doubles, 8)
        return self._data[start : start + 8 * doubles]

    def doubles(self) -> bytes:
        """Return the bytes of a list of numbers."""
        return self.block(self.count())
