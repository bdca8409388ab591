"""A folder of recordings: named, found, made whole, and never larger than it may be."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from armlab.errors import InvalidInput, UnknownName
from armlab.model.robot import Robot
from armlab.recording import RecordingFolder, read_recording
from armlab.recording.folder import RunningRecording


def write(running: RunningRecording, samples: int, rate: float = 60.0) -> None:
    rng = np.random.default_rng(4)
    for k in range(samples):
        running.write(k / rate, rng.normal(size=(8, 3)), np.full(9, float(k)), None)


def abandon(running: RunningRecording) -> None:
    """Leave the file as a killed process does: without its end, and unlocked."""
    running._recorder._file.abandon()
    assert running._lock is not None
    running._lock.close()


def test_a_recording_is_named_by_its_start_and_its_arm_and_says_how_long_it_is(tmp_path: Path, robot: Robot) -> None:
    folder = RecordingFolder(tmp_path / "new" / "folder")
    running = folder.start(robot, {"program": "test"})
    write(running, 61)
    assert [saved.duration for saved in folder.saved()] == [None], "it is still running"
    running.close()
    (saved,) = folder.saved()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_made-up\.mcap", saved.name)
    assert saved.name.startswith(saved.started.strftime("%Y-%m-%d_%H-%M-%S"))
    assert saved.robot == "made-up"
    assert saved.duration == pytest.approx(1.0)
    assert saved.size == folder.path(saved.name).stat().st_size
    assert read_recording(folder.path(saved.name)).metadata["program"] == "test"


def test_recordings_of_the_same_second_have_names_of_their_own(tmp_path: Path, robot: Robot) -> None:
    folder = RecordingFolder(tmp_path)
    running = [folder.start(robot, {}) for _ in range(3)]
    for one in running:
        write(one, 2)
        one.close()
    assert len(folder.saved()) == len({one.path for one in running}) == 3


def test_what_was_cut_off_is_made_whole_when_somebody_asks(tmp_path: Path, robot: Robot) -> None:
    folder = RecordingFolder(tmp_path)
    running = folder.start(robot, {})
    write(running, 100)
    abandon(running)
    before = read_recording(running.path)
    assert not before.is_whole
    (saved,) = folder.saved()
    after = read_recording(running.path)
    assert after.is_whole
    np.testing.assert_array_equal(after.joints, before.joints)
    assert after.signals is not None
    np.testing.assert_array_equal(after.signals[:-1, 0], np.arange(len(after.t) - 1))  # the last may be cut in two
    assert saved.duration == pytest.approx(after.t[-1])
    assert [path.name for path in tmp_path.iterdir()] == [saved.name]


def test_a_file_that_is_being_written_is_left_alone(tmp_path: Path, robot: Robot) -> None:
    running = RecordingFolder(tmp_path).start(robot, {})
    write(running, 100)
    RecordingFolder(tmp_path).saved()  # another server on the same folder
    write_on = np.zeros((8, 3))
    running.write(10.0, write_on, np.zeros(9), None)
    running.close()
    assert read_recording(running.path).is_whole
    assert read_recording(running.path).t[-1] == 10.0


def test_a_cut_file_without_a_sample_goes_and_what_is_no_recording_stays(tmp_path: Path, robot: Robot) -> None:
    folder = RecordingFolder(tmp_path)
    abandon(folder.start(robot, {}))
    other = tmp_path / "2020-01-01_00-00-00_text.mcap"
    other.write_text("this is not a recording")
    mine = tmp_path / "notes.mcap"
    mine.write_text("a file of the user")
    assert [saved.name for saved in folder.saved()] == [other.name]
    assert mine.exists()


def test_the_oldest_make_room_but_not_what_runs(tmp_path: Path, robot: Robot) -> None:
    folder = RecordingFolder(tmp_path, most_files=3)
    for year in range(2020, 2023):
        running = folder.start(robot, {})
        write(running, 5)
        running.close()
        running.path.rename(tmp_path / f"{year}-01-01_00-00-00_made-up.mcap")
    kept = folder.start(robot, {})
    oldest = tmp_path / "2019-01-01_00-00-00_made-up.mcap"
    kept.path.rename(oldest)  # the oldest, but running
    again = folder.start(robot, {})
    assert [saved.name for saved in folder.saved()][1:] == ["2022-01-01_00-00-00_made-up.mcap", oldest.name]
    for running in (kept, again):
        running.close()


def test_the_folder_keeps_to_its_size(tmp_path: Path, robot: Robot) -> None:
    folder = RecordingFolder(tmp_path, most_bytes=20_000)
    for _ in range(6):
        running = folder.start(robot, {})
        write(running, 60)
        running.close()
    sizes = [saved.size for saved in folder.saved()]
    assert sum(sizes[1:]) < 20_000
    assert len(sizes) < 6


def test_only_names_of_recordings_are_found(tmp_path: Path, robot: Robot) -> None:
    folder = RecordingFolder(tmp_path / "recordings")
    folder.start(robot, {}).close()
    (tmp_path / "2020-01-01_00-00-00_x.mcap").write_text("outside")
    for name in ("../2020-01-01_00-00-00_x.mcap", "none.mcap", "", ".."):
        with pytest.raises(UnknownName) as caught:
            folder.path(name)
        assert caught.value.code == "unknown_recording"


def test_a_folder_that_cannot_be_made_is_an_error_of_ours(tmp_path: Path, robot: Robot) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput) as caught:
        RecordingFolder(tmp_path / "file" / "inside").start(robot, {})
    assert caught.value.code == "cannot_write"
