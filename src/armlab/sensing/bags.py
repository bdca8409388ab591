"""Records of inertial sensors as ROS 2 messages: MCAP files, and bags of rosbag2 in SQLite files."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np
from mcap.records import Channel, Metadata, Schema

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.files import written_whole
from armlab.formats.xml_attributes import printable
from armlab.messages import _
from armlab.recording.cdr import CdrReader, CdrWriter, Malformed, Template
from armlab.recording.definitions import DEFINITIONS, ENCODING, IMU, MAGNETIC_FIELD, POSE
from armlab.recording.mcap_read import McapMessage, McapScan
from armlab.recording.mcap_write import McapFile
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.table import check_rows
from armlab.version import __version__

TOPICS = {IMU: "/imu", MAGNETIC_FIELD: "/imu/mag", POSE: "/imu/true_pose"}
METADATA = "armlab"
_DOUBLES = {IMU: 37, MAGNETIC_FIELD: 12, POSE: 7}
"""Numbers behind the header of each kind of message."""
_LEAST_LENGTH = 100_000
"""Bytes of a value, in a small bag."""
_TESLA = 1e-6
"""T per µT: a MagneticField is in tesla."""
_GYRO, _ACC = slice(13, 16), slice(25, 28)


class _Row(NamedTuple):
    kind: str
    topic: str
    time_ns: int
    data: bytes


def write_bag(record: ImuRecord, path: Path) -> None:
    """Write a record as an MCAP file of Imu messages, with MagneticField and true PoseStamped where they are known."""
    with written_whole(path) as beside:
        file = McapFile(beside, f"armlab {__version__}")
        try:
            file.add(Metadata(METADATA, {**record.notes, "name": record.name}))
            times = np.round((record.t - min(record.t[0], 0.0)) * 1e9).astype(np.int64).tolist()
            for number, (kind, rows) in enumerate(_messages(record).items(), start=1):
                file.add(Schema(id=number, name=kind, encoding=ENCODING, data=DEFINITIONS[kind].encode()))
                file.add(Channel(id=number, topic=TOPICS[kind], message_encoding="cdr", metadata={}, schema_id=number))
                template = _template(record.name if kind != POSE else "world", _DOUBLES[kind])
                for time, row in zip(times, rows, strict=True):
                    file.add_message(number, time, template.filled(time, [row.tobytes()]))
            file.close()
        finally:
            file.abandon()


def read_bag(path: Path) -> ImuRecord:
    """Return the first Imu topic of a bag, with the magnetometer and true poses of the same times.

    A folder is a bag of rosbag2 with one or several files.

    Raises:
        InvalidInput: if it holds no Imu messages, or they cannot be read.
    """
    rows: dict[str, dict[int, Floats]] = {IMU: {}, MAGNETIC_FIELD: {}, POSE: {}}
    topics: dict[str, str] = {}
    files = sorted(file for file in path.iterdir() if file.suffix in {".mcap", ".db3"}) if path.is_dir() else [path]
    for message in (
        row for file in files for row in (_db3_rows if file.suffix.lower() == ".db3" else _mcap_rows)(file)
    ):
        if topics.setdefault(message.kind, message.topic) != message.topic:
            continue
        try:
            cursor = CdrReader(message.data)
            time = cursor.stamp() or message.time_ns
            cursor.text()
            rows[message.kind][time] = np.frombuffer(cursor.block(_DOUBLES[message.kind]), dtype="<f8")
        except Malformed as error:
            raise InvalidInput(error.reason).within(path.name) from None
    if not rows[IMU]:
        raise InvalidInput("no_imu_messages", _("{file}: no messages of type {kind}"), file=path.name, kind=IMU)
    return _record(path, rows)


def _record(path: Path, rows: dict[str, dict[int, Floats]]) -> ImuRecord:
    times = sorted(rows[IMU])
    imu = np.array([rows[IMU][time] for time in times])
    check_rows(imu[:, [13, 14, 15, 25, 26, 27]], path.name)
    mag, poses = _at(rows[MAGNETIC_FIELD], times), _at(rows[POSE], times)
    turn = None if poses is None else poses[:, [6, 3, 4, 5]]
    if turn is None and (imu[:, 4] != -1.0).all() and np.ptp(imu[:, :4], axis=0).any():
        turn = imu[:, [3, 0, 1, 2]]  # drivers that know no orientation often leave it at 0 or 1
    return ImuRecord(
        (np.array(times) - times[0]) * 1e-9,
        imu[:, _GYRO],
        imu[:, _ACC],
        None if mag is None else mag[:, :3] / _TESLA,
        turn,
        None if poses is None else poses[:, :3],
        name=path.name,
    )


def _at(rows: dict[int, Floats], times: list[int]) -> Floats | None:
    """Return the messages at the times of the Imu messages, or None where one is missing."""
    return np.array([rows[time] for time in times]) if rows and all(time in rows for time in times) else None


def _messages(record: ImuRecord) -> dict[str, Floats]:
    m = len(record)
    imu = np.zeros((m, _DOUBLES[IMU]))
    imu[:, 3], imu[:, 4] = 1.0, -1.0  # the first covariance says that there is no orientation
    imu[:, _GYRO], imu[:, _ACC] = record.gyro, record.acc
    out = {IMU: imu}
    if record.mag is not None:
        out[MAGNETIC_FIELD] = np.zeros((m, _DOUBLES[MAGNETIC_FIELD]))
        out[MAGNETIC_FIELD][:, :3] = record.mag * _TESLA
    if record.orientation is not None:
        out[POSE] = np.zeros((m, _DOUBLES[POSE]))
        out[POSE][:, :3] = 0.0 if record.position is None else record.position
        out[POSE][:, 3:] = record.orientation[:, [1, 2, 3, 0]]
    return out


def _template(frame: str, doubles: int) -> Template:
    body = CdrWriter()
    body.stamp()
    body.text(frame)
    body.block(doubles)
    return Template(body)


def _mcap_rows(path: Path) -> Iterator[_Row]:
    kinds: dict[int, str] = {}
    channels: dict[int, tuple[str, str]] = {}
    for record in McapScan(path).records():
        if isinstance(record, Schema):
            kinds[record.id] = record.name
        elif isinstance(record, Channel) and kinds.get(record.schema_id) in _DOUBLES:
            channels[record.id] = kinds[record.schema_id], record.topic
        elif isinstance(record, McapMessage) and record.channel in channels:
            kind, topic = channels[record.channel]
            yield _Row(kind, topic, record.time_ns, record.data)


def _db3_rows(path: Path) -> Iterator[_Row]:
    if not path.is_file():
        raise InvalidInput("file_missing", _("no such file")).within(str(path))
    try:
        with closing(_opened(path)) as bag:
            topics = {number: (kind, name) for number, name, kind in bag.execute("SELECT id, name, type FROM topics")}
            for number, time, data in bag.execute("SELECT topic_id, timestamp, data FROM messages ORDER BY timestamp"):
                kind, topic = topics.get(number, ("", ""))
                if kind not in _DOUBLES:
                    continue
                if not (isinstance(time, int) and isinstance(data, bytes) and isinstance(topic, str)):
                    raise sqlite3.DataError("a message without a time, topic or data")
                yield _Row(kind, topic, time, data)
    except (
        sqlite3.Error,
        UnicodeDecodeError,
    ) as error:  # damaged names stand in SQLite's own message
        raise InvalidInput(
            "not_a_bag", _("{file}: not a bag of rosbag2 ({reason})"), file=path.name, reason=printable(str(error))
        ) from None


def _opened(path: Path) -> sqlite3.Connection:
    """Return a bag to read, with work and values bounded by its size: a table may be an endless query."""
    bag, size = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True), path.stat().st_size
    bag.text_factory = lambda text: text.decode("utf-8", "replace")
    bag.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(size, _LEAST_LENGTH))
    beats = itertools.count(1)
    most = 1000 + size // 100
    bag.set_progress_handler(lambda: next(beats) > most, 1000)  # 10 steps of SQLite for each byte
    return bag
