"""What a recording holds, as arrays; and a whole file out of one that was cut off."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from mcap.records import Channel, Metadata, Schema

from armlab.arrays import Floats, read_only
from armlab.errors import InvalidInput
from armlab.model.finding import Finding, Level
from armlab.recording.cdr import Cursor, Malformed
from armlab.recording.definitions import DIAGNOSTICS, IMU, JOINT_STATE
from armlab.recording.mcap_read import McapScan, Message
from armlab.recording.mcap_write import McapFile
from armlab.recording.recorder import COMMAND_TOPIC, IMU_TOPIC, JOINTS, METADATA
from armlab.version import __version__


@dataclass(frozen=True, slots=True, eq=False)
class ImuSeries:
    """The readings of one inertial sensor over time."""

    t: Floats
    """(m,) s."""
    angular_velocity: Floats
    """(m, 3) rad/s."""
    acceleration: Floats
    """(m, 3) m/s²."""
    orientation: Floats
    """(m, 4) w x y z; NaN where it is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """Joint states over time, and what was recorded beside them."""

    names: tuple[str, ...]
    t: Floats
    """(m,) s."""
    q: Floats
    """(m, n) rad or m."""
    qd: Floats
    """(m, n) rad/s or m/s; NaN where it was not recorded."""
    tau: Floats
    """(m, n) N m or N; NaN where it was not recorded."""
    metadata: Mapping[str, str]
    imu: Mapping[str, ImuSeries] = field(default_factory=dict)
    diagnostics: tuple[tuple[float, Finding], ...] = ()
    """Times and what was noticed."""
    findings: tuple[Finding, ...] = ()
    """What is wrong with the file."""

    def listed(self, key: str) -> list[str]:
        """Return the list of texts that the metadata has under `key`; an empty one if there is none."""
        return _listed(self.metadata, key)

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the file is missing or damaged."""
        return not self.findings


def read_recording(path: Path | str) -> Recording:
    """Return what a recording holds; of one that was cut off anywhere, all that was written whole.

    Any MCAP file with ROS 2 joint states will do. `findings` of the result tell what is missing or damaged.

    Raises:
        InvalidInput: if there is no such file, it is no MCAP file, or it is larger than 2 GB.
    """
    scan = McapScan(Path(path))
    reading = _Reading(scan)
    for record in scan.records():
        reading.take(record)
    return reading.result()


def recover(path: Path | str, out: Path | str) -> tuple[Finding, ...]:
    """Write all that can be read of a recording to a new, whole file; return what was missing or damaged.

    Raises:
        InvalidInput: if `path` is no recording, or there is a file `out` already.
    """
    scan, target = McapScan(Path(path)), Path(out)
    if target.exists():
        raise InvalidInput(f"{target}: there is a file already; choose another name")
    beside = target.with_name(f".{secrets.token_hex(8)}")
    file = McapFile(beside, f"armlab {__version__}")
    try:
        for record in scan.records():
            if isinstance(record, Message):
                file.add_message(*record)
            else:
                file.add(record)
        file.close()
        beside.replace(target)
    except OSError as error:
        raise InvalidInput(f"{target}: cannot be written ({error.strerror})") from None
    finally:
        file.abandon()
        beside.unlink(missing_ok=True)
    return tuple(scan.findings)


class _Reading:
    """Gathers the numbers of messages as bytes, and makes arrays of them at the end."""

    def __init__(self, scan: McapScan) -> None:
        self._scan = scan
        self._kinds: dict[int, str] = {}
        self._takers: dict[int, Callable[[bytes], None]] = {}
        self._metadata: dict[str, str] = {}
        self._names: tuple[str, ...] = ()
        self._heading = b""
        self._times: list[int] = []
        self._rows: tuple[list[bytes], list[bytes], list[bytes]] = ([], [], [])
        self._imus: dict[str, list[tuple[int, bytes]]] = {}
        self._diagnostics: list[tuple[float, Finding]] = []
        self._refused: dict[str, int] = {}

    def take(self, record: Any) -> None:
        """Take in one record of the file."""
        if isinstance(record, Message):
            taker = self._takers.get(record.channel)
            if taker is not None:
                try:
                    taker(record.data)
                except Malformed as error:
                    self._refused[str(error)] = self._refused.get(str(error), 0) + 1
        elif isinstance(record, Schema):
            self._kinds[record.id] = record.name
        elif isinstance(record, Channel):
            self._meet(record)
        elif isinstance(record, Metadata) and record.name == METADATA:
            self._metadata |= record.metadata

    def _meet(self, channel: Any) -> None:
        kind = self._kinds.get(channel.schema_id, "")
        if channel.message_encoding != "cdr":
            return
        if kind == JOINT_STATE and channel.topic != COMMAND_TOPIC:
            self._takers[channel.id] = self._joints
        elif kind == DIAGNOSTICS:
            self._takers[channel.id] = self._noticed
        elif kind == IMU:
            series = self._imus.setdefault(channel.topic.removeprefix(IMU_TOPIC), [])
            self._takers[channel.id] = lambda data: _take_imu(data, series)

    def _joints(self, data: bytes) -> None:
        cursor = Cursor(data)
        time = cursor.stamp()
        names = self._joint_names(cursor, data)
        blocks, size = [cursor.doubles() for _ in range(3)], 8 * len(names)
        if len(blocks[0]) != size or any(len(block) not in {0, size} for block in blocks[1:]):
            raise Malformed("it has not one number per joint")
        missing = np.full(len(names), np.nan).tobytes()
        self._times.append(time)
        for rows, block in zip(self._rows, blocks, strict=True):
            rows.append(block or missing)

    def _joint_names(self, cursor: Cursor, data: bytes) -> tuple[str, ...]:
        """Return the names, and leave the cursor behind them; they are the same bytes in almost every message."""
        start = cursor.place
        if self._heading and data.startswith(self._heading, start):
            cursor.place += len(self._heading)
            return self._names
        cursor.text()
        names = cursor.texts()
        if not self._names:
            self._names, self._heading = names, data[start : cursor.place]
        if names != self._names:
            raise Malformed("it has other joints than the first one")
        return names

    def _noticed(self, data: bytes) -> None:
        cursor = Cursor(data)
        time = cursor.stamp() * 1e-9
        cursor.text()
        for _ in range(cursor.count()):
            level: Level = ("note", "warning", "error", "warning")[cursor.byte() & 3]
            code, message, _ = cursor.text(), cursor.text(), cursor.text()
            where = {cursor.text(): cursor.text() for _ in range(cursor.count())}
            self._diagnostics.append((time, Finding(level, code, message, where)))

    def result(self) -> Recording:
        """Return all that was gathered."""
        findings = list(self._scan.findings)
        for reason, count in self._refused.items():
            message = f"{self._scan.path.name}: {count} messages were left out: {reason}"
            findings.append(Finding("error", "recording_message", message, {"count": count}))
        if not self._times:
            message = f"{self._scan.path.name}: there are no joint states in it"
            findings.append(Finding("warning", "recording_empty", message))
        names = self._names or tuple(_listed(self._metadata, JOINTS))
        q, qd, tau = (_array(rows, len(names)) for rows in self._rows)
        return Recording(
            names,
            _seconds(self._times),
            q,
            qd,
            tau,
            MappingProxyType(self._metadata),
            MappingProxyType({name: _imu_series(rows) for name, rows in self._imus.items()}),
            tuple(self._diagnostics),
            tuple(findings),
        )


def _take_imu(data: bytes, series: list[tuple[int, bytes]]) -> None:
    cursor = Cursor(data)
    time = cursor.stamp()
    cursor.text()
    series.append((time, cursor.block(37)))


def _imu_series(rows: list[tuple[int, bytes]]) -> ImuSeries:
    numbers = _array([block for _, block in rows], 37)
    orientation = numbers[:, [3, 0, 1, 2]]
    orientation[numbers[:, 4] == -1.0] = np.nan
    return ImuSeries(
        _seconds([time for time, _ in rows]),
        read_only(numbers[:, 13:16]),
        read_only(numbers[:, 25:28]),
        read_only(orientation),
    )


def _listed(metadata: Mapping[str, str], key: str) -> list[str]:
    try:
        values = json.loads(metadata.get(key, "[]"))
    except ValueError:
        return []
    return values if isinstance(values, list) and all(isinstance(value, str) for value in values) else []


def _array(rows: list[bytes], width: int) -> Floats:
    return read_only(np.frombuffer(b"".join(rows), dtype="<f8").reshape(len(rows), width))


def _seconds(times: list[int]) -> Floats:
    return read_only(np.array(times, dtype=np.int64) / 1e9)
