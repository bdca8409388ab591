"""What is on the disk after a kill ends with a whole sample; what is in memory needs no disk."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from armlab.catalog import load
from armlab.recording import Recorder, Recording, RecordingFolder, read_recording
from armlab.recording.exports import FileKind, export_recording, exported_bytes
from armlab.recording.mcap_write import CHUNK_BYTES

ROBOT = load("planar3")


def rows(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return `QUANTITIES` (count, 8, 3) and `SIGNALS` (count, 9), all known."""
    random = np.random.default_rng(3)
    return random.uniform(0.3, 0.9, (count, 8, 3)), random.uniform(0.1, 1.0, (count, 9))


@pytest.mark.parametrize("rate", [60.0, 100.0, 5000.0])
def test_a_file_that_is_cut_off_at_any_time_ends_with_a_whole_sample(tmp_path: Path, rate: float) -> None:
    joints, signals = rows(400)
    recorder, seen = Recorder(tmp_path / "run.mcap", ROBOT), set()
    for i in range(400):
        frames = ROBOT.frames(np.ascontiguousarray(joints[i, 0])) if i % 3 == 0 else None
        recorder.write_joints(i / rate, joints[i], frames, signals[i])
        size = recorder._file.path.stat().st_size
        if size in seen:
            continue
        seen.add(size)
        found = read_recording(tmp_path / "run.mcap")
        np.testing.assert_array_equal(found.joints, joints[: len(found.t)])
        if len(found.t):
            np.testing.assert_array_equal(found.signals, signals[: len(found.t)])
            assert i / rate - found.t[-1] < 0.51
    assert len(seen) > 3
    recorder.close()
    assert len(read_recording(tmp_path / "run.mcap").t) == 400


def test_messages_of_one_time_without_end_do_not_gather_in_memory(tmp_path: Path) -> None:
    joints, signals = rows(1)
    recorder = Recorder(tmp_path / "run.mcap", ROBOT)
    for _ in range(40 * CHUNK_BYTES // 1000):
        recorder.write_joints(0.0, joints[0], None, signals[0])
    assert recorder._file._size <= 17 * CHUNK_BYTES
    recorder.close()


@pytest.mark.parametrize("kind", ["csv", "mcap", "parquet"])
def test_bytes_of_a_recording_are_those_of_its_file_and_need_no_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: FileKind
) -> None:
    joints, signals = rows(100)
    recording = Recording.of(ROBOT, np.arange(100) / 60.0, joints, signals=signals)
    path = tmp_path / f"run.{kind}"
    export_recording(recording, path, ROBOT)

    def full(*_arguments: object, **_more: object) -> None:
        raise OSError(28, "No space left on device")

    for place in ("tempfile.mkdtemp", "tempfile.mkstemp", "pathlib.Path.open", "pathlib.Path.write_bytes"):
        monkeypatch.setattr(place, full)
    content = exported_bytes(recording, kind, ROBOT)
    monkeypatch.undo()
    assert content == path.read_bytes()


def test_a_saved_recording_is_given_away_with_everything_in_it_also_while_it_runs(tmp_path: Path) -> None:
    from mcap.reader import make_reader

    folder, (joints, signals) = RecordingFolder(tmp_path), rows(200)
    running = folder.start(ROBOT, {})

    def content() -> dict[str, int]:
        counts: dict[str, int] = {}
        for _schema, channel, _message in make_reader(io.BytesIO(folder.content(running.path.name))).iter_messages():
            counts[channel.topic] = counts.get(channel.topic, 0) + 1
        return counts

    for i in range(200):
        running.write(i / 60.0, joints[i], signals[i], ROBOT.frames(np.ascontiguousarray(joints[i, 0])))
    so_far = content()
    assert 150 < so_far["/tf"] == so_far["/joint_states"] < 200
    running.close()
    assert content()["/tf"] == content()["/joint_states"] == 200
    assert folder.content(running.path.name) == running.path.read_bytes()
