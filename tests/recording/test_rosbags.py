"""Other people's readers understand our recordings: rosbags every message, the mcap package the file's structure."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap.stream_reader import StreamReader
from rosbags.highlevel import AnyReader

from armlab import catalog
from armlab.geometry import pose
from armlab.messages import Message
from armlab.model.finding import Finding
from armlab.recording import Recorder, read_recording
from oracles.arms import joint_values

KUKA = catalog.load("kuka-kr6-r700")
COUNT = 400
STEP = 0.01
FINDING = Finding(
    "warning", Message("torque_near_limit", "{text}", text="joint 'A2' is warm – 95 %"), {"joint": "A2", "time": 1.5}
)


def rows() -> Any:
    rng = np.random.default_rng(1)
    return joint_values(KUKA, COUNT, 1), rng.normal(size=(COUNT, 6)), rng.normal(size=(COUNT, 6))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording with everything in it."""
    target = tmp_path_factory.mktemp("recording") / "all.mcap"
    q, qd, tau = rows()
    with Recorder(target, KUKA, source={"seed": 7, "structure": "articulation"}) as recorder:
        for k in range(COUNT):
            recorder.write(
                k * STEP, q[k], qd[k], tau[k], qdd=3.0 * qd[k],
                command_q=q[k] + 0.5, command_qd=qd[k] - 0.5, command_qdd=4.0 * qd[k], command_tau=2.0 * tau[k],
                frames=KUKA.frames(q[k]), diagnostics=[FINDING] * (k % 3 == 0),
            )  # fmt: skip
    return target


@pytest.fixture(scope="module")
def messages(path: Path) -> dict[str, list[tuple[int, Any]]]:
    """What rosbags reads, by topic."""
    found: dict[str, list[tuple[int, Any]]] = {}
    with AnyReader([path]) as reader:
        for connection, time, data in reader.messages():
            found.setdefault(connection.topic, []).append((time, reader.deserialize(data, connection.msgtype)))
    return found


def test_rosbags_finds_every_topic_and_every_message(messages: dict[str, list[Any]]) -> None:
    assert {topic: len(found) for topic, found in messages.items()} == {
        "/joint_states": COUNT, "/joint_commands": COUNT, "/tf": COUNT, "/diagnostics": 134,
        "/joint_accelerations": COUNT, "/joint_command_accelerations": COUNT,
    }  # fmt: skip


def test_rosbags_reads_the_same_joint_states(messages: dict[str, list[Any]]) -> None:
    q, qd, tau = rows()
    for k, (time, message) in enumerate(messages["/joint_states"]):
        assert time == round(k * STEP * 1e9) == message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
        assert list(message.name) == ["A1", "A2", "A3", "A4", "A5", "A6"]
        np.testing.assert_array_equal(message.position, q[k])
        np.testing.assert_array_equal(message.velocity, qd[k])
        np.testing.assert_array_equal(message.effort, tau[k])


def test_rosbags_reads_what_was_commanded_from_a_topic_of_its_own(messages: dict[str, list[Any]], path: Path) -> None:
    q, qd, tau = rows()
    for k, (_, message) in enumerate(messages["/joint_commands"]):
        np.testing.assert_array_equal(message.position, q[k] + 0.5)
        np.testing.assert_array_equal(message.velocity, qd[k] - 0.5)
        np.testing.assert_array_equal(message.effort, 2.0 * tau[k])
    recording = read_recording(path)
    for read, written in (
        (recording.q, q),
        (recording.qdd, 3.0 * qd),
        (recording.command_q, q + 0.5),
        (recording.command_qd, qd - 0.5),
        (recording.command_qdd, 4.0 * qd),
        (recording.command_tau, 2.0 * tau),
    ):
        np.testing.assert_array_equal(read, written)


def test_rosbags_reads_the_same_accelerations(messages: dict[str, list[Any]]) -> None:
    qd = rows()[1]
    for topic, factor in (("/joint_accelerations", 3.0), ("/joint_command_accelerations", 4.0)):
        for k, (time, message) in enumerate(messages[topic]):
            assert time == round(k * STEP * 1e9)
            assert list(message.joint_names) == ["A1", "A2", "A3", "A4", "A5", "A6"]
            (point,) = message.points
            np.testing.assert_array_equal(point.accelerations, factor * qd[k])
            assert [len(part) for part in (point.positions, point.velocities, point.effort)] == [0, 0, 0]


def test_rosbags_reads_the_same_frames(messages: dict[str, list[Any]]) -> None:
    q = rows()[0]
    for k, (_, message) in enumerate(messages["/tf"]):
        assert [t.child_frame_id for t in message.transforms] == list(KUKA.frame_names)
        assert {t.header.frame_id for t in message.transforms} == {"world"}
        for T, stamped in zip(KUKA.frames(q[k]), message.transforms, strict=True):
            p, r = stamped.transform.translation, stamped.transform.rotation
            again = pose.from_xyz_quaternion([p.x, p.y, p.z], [r.w, r.x, r.y, r.z])
            np.testing.assert_allclose(again, T, atol=1e-12)
            assert stamped.header.stamp.sec * 10**9 + stamped.header.stamp.nanosec == round(k * STEP * 1e9)


def test_rosbags_reads_the_same_findings(messages: dict[str, list[Any]]) -> None:
    status = messages["/diagnostics"][0][1].status[0]
    assert (status.level, status.name, status.message) == (1, FINDING.code, str(FINDING.message))
    assert status.hardware_id == "kuka-kr6-r700"
    assert [(pair.key, pair.value) for pair in status.values] == [("joint", "A2"), ("time", "1.5")]


def test_rosbags_reads_states_without_speeds_or_forces(tmp_path: Path) -> None:
    with Recorder(tmp_path / "bare.mcap", ["a", "bc"]) as recorder:
        recorder.write(0.0, [1.0, 2.0])
        recorder.write(1.0, [1.0, 2.0], [3.0, 4.0])
        recorder.write(2.0, [1.0, 2.0], None, [5.0, 6.0])
    with AnyReader([tmp_path / "bare.mcap"]) as reader:
        found: list[Any] = [reader.deserialize(data, c.msgtype) for c, _, data in reader.messages()]
    assert [list(m.position) for m in found] == [[1.0, 2.0]] * 3
    assert [list(m.velocity) for m in found] == [[], [3.0, 4.0], []]
    assert [list(m.effort) for m in found] == [[], [], [5.0, 6.0]]


def test_the_mcap_package_finds_index_checksums_and_metadata(path: Path) -> None:
    with path.open("rb") as stream:
        reader = make_reader(stream, validate_crcs=True)
        summary = reader.get_summary()
        assert summary is not None
        assert summary.statistics is not None
        assert summary.statistics.message_count == 5 * COUNT + 134
        assert summary.statistics.chunk_count == len(summary.chunk_indexes) > 3
        assert reader.get_header().profile == "ros2"
        facts = {record.name: record.metadata for record in reader.iter_metadata()}
        assert facts["armlab"]["robot"] == "kuka-kr6-r700"
        assert facts["armlab"]["seed"] == "7"
    with path.open("rb") as stream:
        kinds = {type(record).__name__ for record in StreamReader(stream, validate_crcs=True).records}
    assert {"Header", "Footer", "DataEnd", "Statistics", "MessageIndex", "SummaryOffset"} <= kinds


def test_rosbags_jumps_to_a_time(path: Path) -> None:
    with AnyReader([path]) as reader:
        frames = [c for c in reader.connections if c.topic == "/tf"]
        assert sum(1 for _ in reader.messages(frames, start=3 * 10**9)) == COUNT - 300


def test_the_footer_has_the_checksum_of_the_summary(path: Path) -> None:
    data = path.read_bytes()
    start, _, crc = struct.unpack_from("<QQI", data, len(data) - 28)
    assert zlib.crc32(data[start:-12]) == crc
