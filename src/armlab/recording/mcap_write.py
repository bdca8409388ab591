"""Write an MCAP file in small pieces, each of them readable as soon as it is on the disk.

Messages are gathered in chunks. A chunk goes to the disk, whole and compressed, when it is large or spans half a second
of recorded time, and never between two messages of the same time: what was written then stays readable whatever happens
to the process, and ends with a whole sample. The summary at the end lets
other programs jump to any time. Record types and their layout come from the package `mcap`; its own writer is not used,
because it decides by itself when a chunk ends.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import zstandard
from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import (
    Channel,
    Chunk,
    ChunkIndex,
    DataEnd,
    Footer,
    Header,
    Metadata,
    MetadataIndex,
    Schema,
    Statistics,
    SummaryOffset,
)

from armlab.errors import InvalidInput
from armlab.messages import _

MAGIC = b"\x89MCAP0\r\n"
PROFILE = "ros2"
CHUNK_BYTES = 64 * 1024
CHUNK_NS = 500_000_000
LARGEST_CHUNK_BYTES = 16 * CHUNK_BYTES
"""A chunk this large ends in any case: a file of others may have any number of messages of one time."""
LEVEL = 1
"""zstd's quickest: the numbers hardly shrink further, the repeated names vanish at any level."""

_MESSAGE = struct.Struct("<BQHIQQ")
_INDEX = struct.Struct("<BQHI")


class McapFile:
    """An MCAP file that is being written: of a path, or in a stream that stays open."""

    def __init__(self, target: Path | BytesIO, library: str, *, overwrite: bool = False) -> None:
        self.path = target if isinstance(target, Path) else Path("memory")
        self._stream = _opened(target, overwrite=overwrite) if isinstance(target, Path) else target
        self._is_own = self._stream is not target
        self._is_over = False
        self._place = 0
        self._schemas: dict[int, Schema] = {}
        self._channels: dict[int, Channel] = {}
        self._chunks: list[ChunkIndex] = []
        self._metadata: list[MetadataIndex] = []
        self._counts: dict[int, int] = {}
        self._first: int
        self._last: int
        self._begin_chunk()
        self._put(MAGIC + _bytes_of(Header(PROFILE, library)))

    @property
    def is_open(self) -> bool:
        """Whether messages can be added."""
        return not (self._is_over or self._stream.closed)

    def add(self, record: Schema | Channel | Metadata) -> None:
        """Add what describes messages; it is on the disk when this returns, before the messages that wait."""
        data = _bytes_of(record)
        if isinstance(record, Metadata):
            self._metadata.append(MetadataIndex(self._place, len(data), record.name))
        elif isinstance(record, Schema):
            self._schemas[record.id] = record
        else:
            self._channels[record.id] = record
        self._put(data)

    def add_message(self, channel: int, time_ns: int, data: bytes) -> None:
        """Add a message of a channel; it is on the disk when its chunk is full, and one of another time comes."""
        if self._is_full(time_ns):
            self.flush()
        count = self._counts.get(channel, 0)
        self._counts[channel] = count + 1
        self._pieces.append(_MESSAGE.pack(5, 22 + len(data), channel, count & 0xFFFFFFFF, time_ns, time_ns))
        self._pieces.append(data)
        if channel in self._index:
            self._index[channel] += (time_ns, self._size)
        else:
            self._index[channel] = [time_ns, self._size]
        self._size += 31 + len(data)
        self._first = min(self._first, time_ns)
        self._last = max(self._last, time_ns)

    def _is_full(self, time_ns: int) -> bool:
        """Tell whether a message of this time begins another chunk."""
        if not self._pieces or self._size >= LARGEST_CHUNK_BYTES:
            return bool(self._pieces)
        return time_ns != self._last and (self._size >= CHUNK_BYTES or time_ns - self._first >= CHUNK_NS)

    def flush(self) -> None:
        """Bring everything that was added to the disk."""
        if not self._pieces:
            return
        raw = b"".join(self._pieces)
        packed = zstandard.ZstdCompressor(level=LEVEL).compress(raw)
        chunk = _bytes_of(
            Chunk(
                compression="zstd",
                data=packed,
                message_start_time=self._first,
                message_end_time=self._last,
                uncompressed_crc=zlib.crc32(raw),
                uncompressed_size=len(raw),
            )
        )
        offsets, indexes, place = {}, [], self._place + len(chunk)
        for channel, pairs in self._index.items():
            size = 8 * len(pairs)
            head = _INDEX.pack(Opcode.MESSAGE_INDEX, 6 + size, channel, size)
            indexes.append(head + struct.pack(f"<{len(pairs)}Q", *pairs))
            offsets[channel] = place
            place += len(indexes[-1])
        self._chunks.append(
            ChunkIndex(
                chunk_start_offset=self._place,
                chunk_length=len(chunk),
                compression="zstd",
                compressed_size=len(packed),
                uncompressed_size=len(raw),
                message_start_time=self._first,
                message_end_time=self._last,
                message_index_offsets=offsets,
                message_index_length=place - self._place - len(chunk),
            )
        )
        self._begin_chunk()
        self._put(chunk + b"".join(indexes))

    def close(self) -> None:
        """Write the rest and the summary, and close the file; a closed one stays as it is."""
        if not self.is_open:
            return
        self.flush()
        self._put(_bytes_of(DataEnd(0)))
        start = self._place
        described = (list(self._schemas.values()), list(self._channels.values()))
        summary, offsets = _summary((*described, [self._statistics()], self._chunks, self._metadata), start)
        footer = struct.pack("<BQQQ", Opcode.FOOTER, 20, start, start + len(summary))
        crc = zlib.crc32(footer, zlib.crc32(summary + offsets))
        self._put(summary + offsets + _bytes_of(Footer(start, start + len(summary), crc)) + MAGIC)
        self._end()

    def abandon(self) -> None:
        """Close the file as it is, without a summary; a closed one stays as it is."""
        self._begin_chunk()
        self._end()

    def _end(self) -> None:
        self._is_over = True
        if self._is_own:
            self._stream.close()

    def _statistics(self) -> Statistics:
        return Statistics(
            attachment_count=0,
            channel_count=len(self._channels),
            channel_message_counts=self._counts,
            chunk_count=len(self._chunks),
            message_count=sum(self._counts.values()),
            message_start_time=min((chunk.message_start_time for chunk in self._chunks), default=0),
            message_end_time=max((chunk.message_end_time for chunk in self._chunks), default=0),
            metadata_count=len(self._metadata),
            schema_count=len(self._schemas),
        )

    def _begin_chunk(self) -> None:
        self._pieces: list[bytes] = []
        self._index: dict[int, list[int]] = {}
        self._size, self._first, self._last = 0, 2**64 - 1, 0

    def _put(self, data: bytes) -> None:
        """Write whole records; if the disk refuses, take back the part that it took, and close."""
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[self._stream.write(rest) :]
        except OSError as error:
            self._give_up()
            raise cannot_write(self.path, error) from None
        self._place += len(data)

    def _give_up(self) -> None:
        try:
            self._stream.truncate(self._place)
        except OSError:
            return
        finally:
            self._end()


def _opened(path: Path, *, overwrite: bool) -> BinaryIO:
    try:
        return path.open("wb" if overwrite else "xb", buffering=0)
    except FileExistsError:
        raise InvalidInput(
            "file_exists",
            _("{path}: the file exists already; ask to overwrite it, or choose another name"),
            path=str(path),
        ) from None
    except OSError as error:
        raise cannot_write(path, error) from None
    except ValueError:
        raise InvalidInput("file_name", _("no file can have this name")).within(repr(str(path))) from None


def cannot_write(path: Path, error: OSError) -> InvalidInput:
    """Return the error of a file that the system refuses."""
    return InvalidInput(
        "cannot_write", _("{path}: cannot be written ({reason})"), path=str(path), reason=error.strerror
    )


def _bytes_of(record: Any) -> bytes:
    builder = RecordBuilder()
    record.write(builder)
    data: bytes = builder.end()
    return data


def _summary(groups: Sequence[Sequence[Any]], start: int) -> tuple[bytes, bytes]:
    """Return the records of all groups one after the other, and where each group is."""
    codes = (Opcode.SCHEMA, Opcode.CHANNEL, Opcode.STATISTICS, Opcode.CHUNK_INDEX, Opcode.METADATA_INDEX)
    summary, offsets = b"", b""
    for code, group in zip(codes, groups, strict=True):
        if group:
            data = b"".join(_bytes_of(record) for record in group)
            offsets += _bytes_of(SummaryOffset(code, start + len(summary), len(data)))
            summary += data
    return summary, offsets
