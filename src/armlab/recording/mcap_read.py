"""Read an MCAP file from its start on, as far as it is whole: also one that was cut off while it was written."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Channel, Chunk, Metadata, Schema

from armlab.errors import InvalidInput
from armlab.messages import Message, _, term
from armlab.model.finding import Finding
from armlab.recording.mcap_write import MAGIC
from armlab.validation import shown

MOST_BYTES = 2_000_000_000
"""Of a file, and of what its chunks unpack to."""
LARGEST_CHUNK = 2**28
WIDEST_WINDOW = 2**27
FOOTER_SIZE = 29

_HEAD = struct.Struct("<BQ")
_MESSAGE = struct.Struct("<HIQQ")
_BROKEN = (McapError, zstandard.ZstdError, struct.error, ValueError, OverflowError, RuntimeError, EOFError, MemoryError)
"""What damaged bytes make the readers of records and of compressed chunks raise."""


class _DamagedChunk(Exception):
    """A chunk that cannot be what was written."""

    def __init__(self, reason: Message) -> None:
        super().__init__(str(reason))
        self.reason = reason


class McapMessage(NamedTuple):
    """A message as it is in the file."""

    channel: int
    time_ns: int
    data: bytes


Record: TypeAlias = "Schema | Channel | Metadata | McapMessage"


class McapScan:
    """All that can be read of an MCAP file; `findings` tell what could not, once `records` has come to its end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.findings: list[Finding] = []
        self._unpacked = 0

    def records(self) -> Iterator[Record]:
        """Return schemas, channels, metadata and messages in the order of the file.

        Raises:
            InvalidInput: if there is no such file, it is not an MCAP file, or it is larger than 2 GB.
        """
        try:
            with self.path.open("rb") as stream:
                yield from self._data(stream, self._checked_size(stream))
        except FileNotFoundError:
            raise InvalidInput("file_missing", _("no such file")).within(str(self.path)) from None
        except OSError as error:
            raise InvalidInput(
                "cannot_read", _("{path}: cannot be read ({reason})"), path=str(self.path), reason=error.strerror
            ) from None

    def _checked_size(self, stream: BinaryIO) -> int:
        size = stream.seek(0, 2)
        stream.seek(0)
        if size > MOST_BYTES:
            raise InvalidInput(
                "recording_too_large",
                _("{path}: {size:.2f} GB are more than the {most:g} GB allowed"),
                path=str(self.path),
                size=size / 1e9,
                most=MOST_BYTES / 1e9,
            )
        if stream.read(len(MAGIC)) != MAGIC:
            raise InvalidInput("not_mcap", _("{path}: not an MCAP recording"), path=str(self.path))
        return size

    def _data(self, stream: BinaryIO, size: int) -> Iterator[Record]:
        place = len(MAGIC)
        while True:
            head = stream.read(_HEAD.size)
            if len(head) < _HEAD.size:
                return self._cut(place)
            code, length = _HEAD.unpack(head)
            if length > size - place - _HEAD.size:
                return self._cut(place)
            if code == Opcode.DATA_END:
                return self._check_end(stream, size, place)
            yield from self._one(code, stream.read(length), place)
            place += _HEAD.size + length

    def _one(self, code: int, payload: bytes, place: int) -> Iterator[Record]:
        try:
            if code == Opcode.CHUNK:
                inside = self._unpack(Chunk.read(ReadDataStream(BytesIO(payload))))
                yield from _inside(inside)
            else:
                record = _record(code, payload)
                if record is not None:
                    yield record
        except InvalidInput:
            raise
        except _DamagedChunk as error:
            self._leave_out(place, error.reason)
        except _BROKEN:
            self._leave_out(place, term(_("its bytes cannot be decoded")))

    def _leave_out(self, place: int, reason: Message) -> None:
        template = _("{file}: the record at byte {byte} is damaged and left out ({reason})")
        message = Message("recording_damaged", template, file=self.path.name, byte=place, reason=reason)
        self.findings.append(Finding("error", message, {"byte": place}))

    def _unpack(self, chunk: Any) -> bytes:
        size = int(chunk.uncompressed_size)
        if size > LARGEST_CHUNK:
            raise _DamagedChunk(term(_("it says that it is larger than any chunk may be")))
        self._unpacked += size
        if self._unpacked > MOST_BYTES:
            raise InvalidInput(
                "recording_too_large_unpacked",
                _("{path}: unpacks to more than the {most:g} GB allowed"),
                path=str(self.path),
                most=MOST_BYTES / 1e9,
            )
        if chunk.compression == "zstd":
            unpacker = zstandard.ZstdDecompressor(max_window_size=WIDEST_WINDOW)
            data: bytes = unpacker.stream_reader(chunk.data).read(size + 1)
        elif chunk.compression == "lz4":
            data = import_module("lz4.frame").LZ4FrameDecompressor().decompress(chunk.data, max_length=size + 1)
        elif chunk.compression == "":
            data = chunk.data
        else:
            raise _DamagedChunk(term(_("unknown compression '{name}'"), name=shown(chunk.compression)))
        if len(data) != size:
            raise _DamagedChunk(term(_("its size is not what it says")))
        if chunk.uncompressed_crc and zlib.crc32(data) != chunk.uncompressed_crc:
            raise _DamagedChunk(term(_("its checksum is wrong")))
        return data

    def _cut(self, place: int) -> None:
        template = _("{file}: the end is missing; read up to byte {byte}")
        message = Message("recording_cut", template, file=self.path.name, byte=place)
        self.findings.append(Finding("warning", message, {"byte": place}))

    def _check_end(self, stream: BinaryIO, size: int, place: int) -> None:
        stream.seek(max(0, size - len(MAGIC) - FOOTER_SIZE))
        end = stream.read()
        if end[-len(MAGIC) :] != MAGIC or end[0] != Opcode.FOOTER:
            template = _("{file}: the summary at the end is missing; all messages are read")
            message = Message("recording_summary_cut", template, file=self.path.name)
            self.findings.append(Finding("note", message, {"byte": place}))


def _inside(data: bytes) -> Iterator[Record]:
    place = 0
    while place < len(data):
        code, length = _HEAD.unpack_from(data, place)
        place += _HEAD.size
        if length > len(data) - place:
            raise _DamagedChunk(term(_("a record in it ends too early")))
        if code == Opcode.MESSAGE and length >= _MESSAGE.size:
            channel, _sequence, time_ns, _published = _MESSAGE.unpack_from(data, place)
            yield McapMessage(channel, time_ns, data[place + _MESSAGE.size : place + length])
        else:
            record = _record(code, data[place : place + length])
            if record is not None:
                yield record
        place += length


def _record(code: int, payload: bytes) -> Record | None:
    if code == Opcode.MESSAGE:
        channel, _sequence, time_ns, _published = _MESSAGE.unpack_from(payload)
        return McapMessage(channel, time_ns, payload[_MESSAGE.size :])
    kinds: dict[int, Any] = {Opcode.SCHEMA: Schema, Opcode.CHANNEL: Channel, Opcode.METADATA: Metadata}
    kind = kinds.get(code)
    record: Record | None = None if kind is None else kind.read(ReadDataStream(BytesIO(payload)))
    return record
