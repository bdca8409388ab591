"""Read a recording as far as it is whole; and make a whole file out of one that was cut off."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from mcap.records import Channel, Metadata, Schema

from armlab.arrays import Floats, read_only
from armlab.errors import InvalidInput
from armlab.files import written_whole
from armlab.messages import Message, _, n_
from armlab.model.finding import Finding, Severity
from armlab.recording.cdr import CdrReader, Malformed
from armlab.recording.definitions import DIAGNOSTICS, JOINT_STATE, JOINT_TRAJECTORY, NAMED_VALUES
from armlab.recording.mcap_read import McapMessage, McapScan
from armlab.recording.mcap_write import McapFile
from armlab.recording.recorder import (
    ACCELERATION_TOPIC,
    COMMAND_ACCELERATION_TOPIC,
    COMMAND_TOPIC,
    METADATA,
    SIGNAL_TOPIC,
)
from armlab.recording.recording import (
    COMMAND_Q,
    COMMAND_QD,
    COMMAND_QDD,
    COMMAND_TAU,
    JOINTS,
    QD,
    QDD,
    QUANTITIES,
    SIGNALS,
    TAU,
    Q,
    Recording,
    listed,
)
from armlab.recording.tables import read_csv, read_parquet
from armlab.version import __version__


def read_recording(path: Path | str) -> Recording:
    """Return what a recording holds; of an MCAP file that was cut off anywhere, all that was written whole.

    Any MCAP file with ROS 2 joint states will do, and CSV and Parquet files with the columns that the exports write.
    `findings` of the result tell what is missing or damaged.

    Raises:
        InvalidInput: if there is no such file, it is not such a file, or it is larger than 2 GB.
    """
    match Path(path).suffix.lower():
        case ".csv":
            return read_csv(Path(path))
        case ".parquet":
            return read_parquet(Path(path))
    scan = McapScan(Path(path))
    gatherer = _Gatherer(scan)
    for record in scan.records():
        gatherer.take(record)
    return gatherer.result()


def recover(path: Path | str, out: Path | str) -> tuple[Finding, ...]:
    """Write all that can be read of a recording to a new, whole file; return what was missing or damaged.

    Raises:
        InvalidInput: if `path` is not a recording, or there is a file `out` already.
    """
    scan, target = McapScan(Path(path)), Path(out)
    if target.exists():
        raise InvalidInput("file_exists", _("{path}: the file exists already; choose another name"), path=str(target))
    with written_whole(target) as beside:
        _copy(scan, beside)
    return tuple(scan.findings)


def recovered_bytes(path: Path) -> bytes:
    """Return the same as `recover` writes; nothing goes to any disk.

    Raises:
        InvalidInput: if `path` is not a recording.
    """
    out = BytesIO()
    _copy(McapScan(path), out)
    return out.getvalue()


def _copy(scan: McapScan, target: Path | BytesIO) -> None:
    file = McapFile(target, f"armlab {__version__}")
    try:
        for record in scan.records():
            if isinstance(record, McapMessage):
                file.add_message(*record)
            else:
                file.add(record)
        file.close()
    finally:
        file.abandon()


class _Gatherer:
    """Gathers the numbers of messages as bytes, and makes arrays of them at the end."""

    def __init__(self, scan: McapScan) -> None:
        self._scan = scan
        self._kinds: dict[int, str] = {}
        self._takers: dict[int, Callable[[bytes], None]] = {}
        self._metadata: dict[str, str] = {}
        self._names: tuple[str, ...] = ()
        self._heading = b""
        self._missing = b""
        self._times: list[int] = []
        self._rows: tuple[list[bytes], ...] = tuple([] for _quantity in QUANTITIES)
        self._now = 0
        self._signals: dict[int, bytes] = {}
        self._diagnostics: list[tuple[float, Finding]] = []
        self._refused: dict[Message, int] = {}

    def take(self, record: Any) -> None:
        """Take in one record of the file."""
        if isinstance(record, McapMessage):
            taker = self._takers.get(record.channel)
            if taker is not None:
                self._now = record.time_ns
                try:
                    taker(record.data)
                except Malformed as error:
                    self._refused[error.reason] = self._refused.get(error.reason, 0) + 1
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
        accelerations = {ACCELERATION_TOPIC: QDD, COMMAND_ACCELERATION_TOPIC: COMMAND_QDD}
        if kind == JOINT_STATE:
            self._takers[channel.id] = self._commands if channel.topic == COMMAND_TOPIC else self._states
        elif kind == JOINT_TRAJECTORY and channel.topic in accelerations:
            row = accelerations[channel.topic]
            self._takers[channel.id] = lambda data: self._accelerations(data, row)
        elif kind == NAMED_VALUES and channel.topic == SIGNAL_TOPIC:
            self._takers[channel.id] = self._named_values
        elif kind == DIAGNOSTICS:
            self._takers[channel.id] = self._noticed

    def _states(self, data: bytes) -> None:
        cursor = CdrReader(data)
        time = cursor.stamp()
        names = self._joint_names(cursor, data)
        position, velocity, effort = (cursor.doubles() for _part in range(3))
        self._check_sizes(velocity, effort)
        if len(position) != 8 * len(names):
            raise _one_number_per_joint()
        self._times.append(time)
        for rows in self._rows:
            rows.append(self._missing)
        self._put(Q, position)
        self._put(QD, velocity)
        self._put(TAU, effort)

    def _commands(self, data: bytes) -> None:
        """Take what was commanded at the time of the last joint state."""
        cursor = CdrReader(data)
        time = cursor.stamp()
        self._joint_names(cursor, data)
        blocks = [cursor.doubles() for _part in range(3)]
        self._check_sizes(*blocks)
        if self._times and time == self._times[-1]:
            for row, block in zip((COMMAND_Q, COMMAND_QD, COMMAND_TAU), blocks, strict=True):
                self._put(row, block)

    def _accelerations(self, data: bytes, row: int) -> None:
        """Take the accelerations of the first point: those at the time of the last joint state."""
        cursor = CdrReader(data)
        time = cursor.stamp()
        self._joint_names(cursor, data)
        if cursor.count() == 0:
            return
        _positions, _velocities, accelerations = (cursor.doubles() for _part in range(3))
        self._check_sizes(accelerations)
        if self._times and time == self._times[-1]:
            self._put(row, accelerations)

    def _named_values(self, data: bytes) -> None:
        """Take the signals at the time of the last joint state; other names than ours are left out."""
        cursor = CdrReader(data)
        names, values = cursor.texts(), cursor.doubles()
        if names == SIGNALS and len(values) == 8 * len(SIGNALS) and self._times and self._now == self._times[-1]:
            self._signals[len(self._times) - 1] = values

    def _put(self, row: int, block: bytes) -> None:
        if block:
            self._rows[row][-1] = block

    def _check_sizes(self, *blocks: bytes) -> None:
        if any(len(block) not in {0, len(self._missing)} for block in blocks):
            raise _one_number_per_joint()

    def _joint_names(self, cursor: CdrReader, data: bytes) -> tuple[str, ...]:
        """Return the names, and leave the cursor behind them; they are the same bytes in almost every message."""
        start = cursor.place
        if self._heading and data.startswith(self._heading, start):
            cursor.place += len(self._heading)
            return self._names
        cursor.text()
        names = cursor.texts()
        if len(set(names)) != len(names):
            raise Malformed(Message("joint_name_twice", _("two of its joints have the same name")))
        if not self._names:
            self._names, self._heading = names, data[start : cursor.place]
            self._missing = np.full(len(names), np.nan).tobytes()
        if names != self._names:
            raise Malformed(Message("other_joints", _("its joints are not those of the first message")))
        return names

    def _noticed(self, data: bytes) -> None:
        cursor = CdrReader(data)
        time = cursor.stamp() * 1e-9
        cursor.text()
        for _status in range(cursor.count()):
            level: Severity = ("note", "warning", "error", "warning")[cursor.byte() & 3]
            code, message, _hardware = cursor.text(), cursor.text(), cursor.text()
            where = {cursor.text(): cursor.text() for _pair in range(cursor.count())}
            self._diagnostics.append((time, Finding(level, Message(code, "{text}", text=message), where)))

    def result(self) -> Recording:
        """Return all that was gathered."""
        findings, file = list(self._scan.findings), self._scan.path.name
        for reason, count in self._refused.items():
            template = n_("{file}: {count} message left out: {reason}", "{file}: {count} messages left out: {reason}")
            message = Message("recording_message", template, file=file, count=count, reason=reason)
            findings.append(Finding("error", message, {"count": count}))
        if not self._times:
            findings.append(Finding("warning", Message("recording_empty", _("no joint states recorded")).within(file)))
        names = self._names or tuple(listed(self._metadata, JOINTS))
        joints = np.stack([_array(rows, len(names)) for rows in self._rows], axis=1)
        return Recording(
            names,
            read_only(np.array(self._times, dtype=np.int64) / 1e9),
            read_only(joints),
            MappingProxyType(self._metadata),
            tuple(self._diagnostics),
            tuple(findings),
            self._signal_rows(),
        )

    def _signal_rows(self) -> Floats | None:
        if not self._signals:
            return None
        unknown = np.full(len(SIGNALS), np.nan).tobytes()
        return read_only(_array([self._signals.get(k, unknown) for k in range(len(self._times))], len(SIGNALS)))


def _one_number_per_joint() -> Malformed:
    return Malformed(Message("one_number_per_joint", _("the message does not have one number per joint")))


def _array(rows: list[bytes], width: int) -> Floats:
    return np.frombuffer(b"".join(rows), dtype="<f8").reshape(len(rows), width)
