"""A recording that ends anywhere gives back all that was whole; a damaged one all that is not damaged."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pytest
import zstandard
from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer
from refusals import refused

from armlab.errors import InvalidInput
from armlab.recording import Recorder, mcap_read, read_recording, recover
from armlab.recording.definitions import DEFINITIONS, JOINT_STATE
from armlab.recording.mcap_write import MAGIC

NAMES = ("one", "two", "three")
COUNT = 3000


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[int]]:
    """The bytes of a recording, and how large the file was after each message."""
    path, sizes = tmp_path_factory.mktemp("recording") / "a.mcap", []
    rng = np.random.default_rng(1)
    with Recorder(path, NAMES) as recorder:
        for k in range(COUNT):
            recorder.write(k * 0.002, rng.normal(size=3), rng.normal(size=3), rng.normal(size=3))
            sizes.append(path.stat().st_size)
    return path.read_bytes(), sizes


def chunk_end(data: bytes, sizes: list[int], cut: int) -> int:
    """Return how many messages are in chunks that lie whole in front of `cut`."""
    ends = []
    place = len(MAGIC)
    while place < sizes[-1]:
        code, length = struct.unpack_from("<BQ", data, place)
        place += 9 + length
        if code == 0x06:
            ends.append(place)
    flushed = sorted(set(sizes))[1:]  # after every chunk and its index
    whole = sum(end <= cut for end in ends)
    return sum(size < flushed[whole - 1] for size in sizes) if whole else 0


def test_a_file_cut_anywhere_gives_back_every_whole_chunk(tmp_path: Path, written: tuple[bytes, list[int]]) -> None:
    data, sizes = written
    path, rng = tmp_path / "cut.mcap", np.random.default_rng(2)
    path.write_bytes(data)
    whole = read_recording(path)
    assert len(whole.t) == COUNT
    seen = set()
    for cut in (*rng.integers(len(MAGIC), len(data), 50).tolist(), sizes[0], sizes[-1], len(data) - 1):
        path.write_bytes(data[:cut])
        recording = read_recording(path)
        n = len(recording.t)
        seen.add(n)
        if cut < sizes[-1]:
            assert n == chunk_end(data, sizes, cut)
            assert "recording_cut" in [f.code for f in recording.findings]
        else:
            assert n >= chunk_end(data, sizes, cut)
        np.testing.assert_array_equal(recording.q, whole.q[:n])
        assert not recording.is_whole
    assert len(seen) > 5


def test_a_cut_file_becomes_a_whole_one(tmp_path: Path, written: tuple[bytes, list[int]]) -> None:
    data, sizes = written
    (tmp_path / "cut.mcap").write_bytes(data[: sizes[-1] // 2])
    findings = recover(tmp_path / "cut.mcap", tmp_path / "whole.mcap")
    assert [f.code for f in findings] == ["recording_cut"]
    assert "the end is missing; read up to byte" in str(findings[0].message)
    before, after = read_recording(tmp_path / "cut.mcap"), read_recording(tmp_path / "whole.mcap")
    assert after.is_whole
    assert after.metadata == before.metadata
    np.testing.assert_array_equal(after.q, before.q)
    with (tmp_path / "whole.mcap").open("rb") as stream:
        summary = make_reader(stream, validate_crcs=True).get_summary()
    assert summary is not None
    assert summary.statistics is not None
    assert summary.statistics.message_count == len(before.t) > 100
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cut.mcap", "whole.mcap"]


def test_recovering_never_overwrites_and_leaves_nothing_behind(
    tmp_path: Path, written: tuple[bytes, list[int]]
) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(written[0])
    with refused("file_exists", InvalidInput):
        recover(path, path)
    with refused("file_missing", InvalidInput):
        recover(tmp_path / "none.mcap", tmp_path / "b.mcap")
    (tmp_path / "text.mcap").write_text("no recording")
    with refused("not_mcap", InvalidInput):
        recover(tmp_path / "text.mcap", tmp_path / "b.mcap")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.mcap", "text.mcap"]


RECORD_FOR_EVER = """
import sys
from armlab.recording import Recorder
recorder = Recorder(sys.argv[1], ["a", "b"])
k = 0
while True:
    recorder.write(k * 0.01, [k, -k], [0.0, 0.0], [1.0, 1.0])
    k += 1
    if k == 120:
        print("ready", flush=True)
    if k >= 120:
        sys.stdin.read(1)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_process_leaves_a_readable_file(tmp_path: Path) -> None:
    path = tmp_path / "killed.mcap"
    with subprocess.Popen(
        [sys.executable, "-c", RECORD_FOR_EVER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        os.kill(process.pid, signal.SIGKILL)
    recording = read_recording(path)
    assert process.returncode == -signal.SIGKILL
    assert [f.code for f in recording.findings] == ["recording_cut"]
    np.testing.assert_array_equal(recording.q[:, 0], np.arange(100))  # two chunks of half a second


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_process_killed_while_it_writes_leaves_all_messages_up_to_some_time(tmp_path: Path) -> None:
    path = tmp_path / "killed.mcap"
    busy = RECORD_FOR_EVER.replace("        sys.stdin.read(1)\n", "        pass\n")
    with subprocess.Popen([sys.executable, "-c", busy, str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.2)
        os.kill(process.pid, signal.SIGKILL)
    recording = read_recording(path)
    assert len(recording.t) >= 102
    np.testing.assert_array_equal(recording.q[:, 0], np.arange(len(recording.t)))


def test_a_damaged_chunk_is_left_out_and_the_rest_is_read(tmp_path: Path, written: tuple[bytes, list[int]]) -> None:
    data, sizes = written
    second = sorted(set(sizes))[1]  # where the second chunk begins
    for place in (second + 100, second + 60, second + 9 + 24, second + 9 + 21):  # data, its start, checksum, size
        path = tmp_path / "a.mcap"
        path.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
        recording = read_recording(path)
        assert [f.code for f in recording.findings] == ["recording_damaged"]
        assert f"the record at byte {second} is damaged" in str(recording.findings[0].message)
        assert COUNT - 300 < len(recording.t) < COUNT


def test_files_of_other_writers_are_read(tmp_path: Path) -> None:
    for compression in CompressionType:
        path = tmp_path / f"{compression.name}.mcap"
        with path.open("wb") as stream:
            writer = Writer(stream, compression=compression)
            writer.start(profile="ros2")
            schema = writer.register_schema(JOINT_STATE, "ros2msg", DEFINITIONS[JOINT_STATE].encode())
            channel = writer.register_channel("/arm/joint_states", "cdr", schema)
            other = writer.register_channel("/words", "json", 0)
            writer.add_message(other, 0, b"{}", 0)
            for k in range(10):
                body = struct.pack("<iI", k, 500) + struct.pack("<I", 1) + b"\0\0\0\0"
                body += struct.pack("<II", 1, 2) + b"j\0\0\0" + struct.pack("<I", 1) + struct.pack("<d", k)
                writer.add_message(channel, k, b"\0\1\0\0" + body + struct.pack("<II", 0, 0), k)
            writer.finish()
        recording = read_recording(path)
        assert recording.is_whole
        assert recording.names == ("j",)
        np.testing.assert_array_equal(recording.q[:, 0], np.arange(10))
        np.testing.assert_allclose(recording.t, np.arange(10) + 5e-7)


def test_messages_that_are_none_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    good = (
        struct.pack("<iII", 1, 0, 1) + b"\0\0\0\0" + struct.pack("<II", 1, 2) + b"j\0\0\0" + struct.pack("<Id", 1, 5.0)
    )
    good = b"\0\1\0\0" + good + struct.pack("<II", 0, 0)
    bad = (
        b"", b"\0\0\0\0" + good[4:], good[:30], good[:4] + b"\0" * 8 + b"\xff" * 40, good.replace(b"j\0", b"k\0"),
        good.replace(b"j\0", b"\xff\0"), good[:32] + struct.pack("<I", 0) + good[36:],
    )  # fmt: skip
    with path.open("wb") as stream:
        writer = Writer(stream)
        writer.start(profile="ros2")
        schema = writer.register_schema(JOINT_STATE, "ros2msg", b"")
        channel = writer.register_channel("/joint_states", "cdr", schema)
        for data in (good, *bad, good):
            writer.add_message(channel, 0, data, 0)
        writer.finish()
    recording = read_recording(path)
    assert recording.q.tolist() == [[5.0], [5.0]]
    assert sum(int(f.where["count"]) for f in recording.findings) == len(bad)
    assert {f.code for f in recording.findings} == {"recording_message"}


def test_too_large_files_are_refused_before_they_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: tuple[bytes, list[int]]
) -> None:
    large = tmp_path / "large.mcap"
    with large.open("wb") as stream:
        stream.truncate(mcap_read.MOST_BYTES + 1)  # takes no room on the disk
    with refused("recording_too_large", InvalidInput):
        read_recording(large)
    (tmp_path / "a.mcap").write_bytes(written[0])
    monkeypatch.setattr(mcap_read, "MOST_BYTES", 400_000)
    with refused("recording_too_large_unpacked", InvalidInput):
        read_recording(tmp_path / "a.mcap")


def test_a_chunk_that_unpacks_to_more_than_it_says_is_damaged(tmp_path: Path) -> None:
    packed = zstandard.ZstdCompressor().compress(bytes(50_000_000))
    payload = struct.pack("<QQQI", 0, 0, 1000, zlib.crc32(bytes(1000))) + struct.pack("<I", 4) + b"zstd"
    payload += struct.pack("<Q", len(packed)) + packed
    (tmp_path / "bomb.mcap").write_bytes(MAGIC + struct.pack("<BQ", 0x06, len(payload)) + payload)
    codes = [f.code for f in read_recording(tmp_path / "bomb.mcap").findings]
    assert codes == ["recording_damaged", "recording_cut", "recording_empty"]


def test_what_is_not_a_recording_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.mcap").write_text("hello, this is a text")
    for path, sentence in (
        (tmp_path / "text.mcap", "not an MCAP recording"),
        (tmp_path / "none.mcap", "no such file"),
        (tmp_path, "cannot be read"),
    ):
        with pytest.raises(InvalidInput, match=sentence):
            read_recording(path)


def test_random_bytes_behind_a_good_beginning_never_break_the_reader(
    tmp_path: Path, written: tuple[bytes, list[int]]
) -> None:
    data, rng = written[0], np.random.default_rng(3)
    path = tmp_path / "a.mcap"
    for _ in range(100):
        damaged = bytearray(data[:20_000])
        for place in rng.integers(len(MAGIC), len(damaged), 8):
            damaged[place] = int(rng.integers(256))
        path.write_bytes(damaged)
        assert not read_recording(path).is_whole
