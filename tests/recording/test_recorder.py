"""What is written is read again, and what cannot be written is refused."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refused

import armlab
from armlab import catalog
from armlab.errors import InvalidInput
from armlab.messages import Message
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.recording import QUANTITIES, Recorder, Recording, export_recording, read_recording
from oracles.arms import joint_values

KUKA = catalog.load("kuka-kr6-r700")


def record(path: Path, count: int, **more: Any) -> Any:
    q = joint_values(KUKA, count, 2)
    with Recorder(path, KUKA, **more) as recorder:
        for k in range(count):
            recorder.write(k * 0.001, q[k], -q[k], 2.0 * q[k])
    return q


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    q = record(tmp_path / "a.mcap", 1500, source={"seed": 3, "structure": "joints", "note": "ö"})
    recording = read_recording(tmp_path / "a.mcap")
    assert recording.is_whole
    assert recording.names == ("A1", "A2", "A3", "A4", "A5", "A6")
    np.testing.assert_array_equal(recording.t, np.arange(1500) / 1000)
    np.testing.assert_array_equal(recording.q, q)
    np.testing.assert_array_equal(recording.qd, -q)
    np.testing.assert_array_equal(recording.tau, 2.0 * q)
    assert recording.metadata["robot"] == "kuka-kr6-r700"
    assert recording.metadata["version"] == armlab.__version__
    assert {key: recording.metadata[key] for key in ("seed", "structure", "note")} == {
        "seed": "3", "structure": "joints", "note": "ö",
    }  # fmt: skip


def test_findings_are_read_again(tmp_path: Path, robot: Robot) -> None:
    finding = Finding("error", Message("hit", "{text}", text="it hit the table"), {"joint": "turn"})
    with Recorder(tmp_path / "a.mcap", robot) as recorder:
        for k in range(20):
            recorder.write(k * 0.1, robot.home, diagnostics=[finding] * (k == 7))
    recording = read_recording(tmp_path / "a.mcap")
    assert [noticed for _, noticed in recording.diagnostics] == [finding]
    assert recording.diagnostics[0][0] == pytest.approx(0.7)


def test_samples_as_a_recording_has_them_are_read_again_bit_by_bit(tmp_path: Path, robot: Robot) -> None:
    joints = np.random.default_rng(3).normal(size=(50, len(QUANTITIES), 3))
    joints[::3, 2:] = math.nan  # neither accelerations and forces nor commands are known
    joints[1::3, 4] = math.nan
    made = Recording.of(robot, np.arange(50) / 8.0, joints, {"seed": 2})
    with Recorder(tmp_path / "a.mcap", robot) as recorder:
        for time, row in zip(made.t, made.joints, strict=True):
            recorder.write_joints(time, row)
    np.testing.assert_array_equal(read_recording(tmp_path / "a.mcap").joints, joints)
    export_recording(made, tmp_path / "b.mcap", robot)
    again = read_recording(tmp_path / "b.mcap")
    np.testing.assert_array_equal(again.joints, joints)
    assert again.metadata == made.metadata


@pytest.mark.parametrize(("row", "value"), [(0, math.nan), (1, math.inf), (6, math.nan)])
def test_half_known_samples_are_refused(tmp_path: Path, robot: Robot, row: int, value: float) -> None:
    joints = np.zeros((len(QUANTITIES), 3))
    joints[row, 1] = value
    with Recorder(tmp_path / "a.mcap", robot) as recorder, pytest.raises(InvalidInput):
        recorder.write_joints(0.0, joints)
    assert len(read_recording(tmp_path / "a.mcap").t) == 0


def test_what_was_not_recorded_is_nan(tmp_path: Path, robot: Robot) -> None:
    with Recorder(tmp_path / "a.mcap", robot) as recorder:
        recorder.write(0.0, robot.home)
        recorder.write(0.1, robot.home, tau=[1.0, 2.0, 3.0])
    recording = read_recording(tmp_path / "a.mcap")
    assert np.isnan(recording.qd).all()
    assert np.isnan(recording.tau[0]).all()
    assert recording.tau[1].tolist() == [1.0, 2.0, 3.0]


def test_the_same_run_makes_the_same_file(tmp_path: Path) -> None:
    for name in ("a.mcap", "b.mcap"):
        record(tmp_path / name, 300)
    assert (tmp_path / "a.mcap").read_bytes() == (tmp_path / "b.mcap").read_bytes()


def test_ten_thousand_messages_are_a_small_file(tmp_path: Path) -> None:
    """Less than the numbers themselves, although every message holds all the names."""
    q = np.cumsum(np.random.default_rng(1).normal(size=(10_000, 6)), axis=0) * 1e-3
    with Recorder(tmp_path / "a.mcap", KUKA) as recorder:
        for k, row in enumerate(q):
            recorder.write(k * 0.001, row, row, row)
    assert (tmp_path / "a.mcap").stat().st_size < q.nbytes * 3


def test_messages_are_on_the_disk_after_half_a_second_of_recorded_time(tmp_path: Path, robot: Robot) -> None:
    recorder = Recorder(tmp_path / "a.mcap", robot)
    for k in range(102):
        recorder.write(k * 0.01, robot.home)
    assert len(read_recording(tmp_path / "a.mcap").t) == 100
    recorder.write(1.1, robot.home)
    assert len(read_recording(tmp_path / "a.mcap").t) == 100
    recorder.flush()
    assert len(read_recording(tmp_path / "a.mcap").t) == 103
    recorder.close()
    recorder.close()
    assert read_recording(tmp_path / "a.mcap").is_whole


def test_a_run_that_fails_leaves_a_whole_recording(tmp_path: Path, robot: Robot) -> None:
    def run(recorder: Recorder) -> None:
        with recorder:
            recorder.write(0.0, robot.home)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(Recorder(tmp_path / "a.mcap", robot))
    recording = read_recording(tmp_path / "a.mcap")
    assert recording.is_whole
    assert len(recording.t) == 1


def test_an_existing_file_is_kept_unless_asked(tmp_path: Path, robot: Robot) -> None:
    path = tmp_path / "a.mcap"
    path.write_text("precious")
    with refused("file_exists", InvalidInput):
        Recorder(path, robot)
    assert path.read_text() == "precious"
    Recorder(path, robot, overwrite=True).close()
    assert [finding.code for finding in read_recording(path).findings] == ["recording_empty"]


def test_a_refused_sample_adds_nothing(tmp_path: Path, robot: Robot) -> None:
    with Recorder(tmp_path / "a.mcap", robot) as recorder:
        recorder.write(1.0, robot.home)
        for arguments in ({"frames": np.zeros((5, 4, 4))}, {"command_q": [0.0]}):
            with pytest.raises(InvalidInput):
                recorder.write(2.0, robot.home, **arguments)
        recorder.write(1.5, robot.home)
    assert read_recording(tmp_path / "a.mcap").t.tolist() == [1.0, 1.5]


FRAMES = np.tile(np.eye(4), (5, 1, 1))


@pytest.mark.parametrize(
    ("time", "values", "sentence"),
    [
        (math.nan, {}, "time: expected 0 to 2147483648 s, got nan"),
        (-1.0, {}, "got -1.0"),
        (3e9, {}, "expected 0 to 2147483648 s, got 3000000000.0"),
        ("now", {}, "got 'now'"),
        (0.5, {}, "time: 0.5 s is before 1 s, the last one written"),
        (2.0, {"q": [1.0, 2.0]}, r"q: expected shape \(3,\), got \(2,\)"),
        (2.0, {"q": np.array([0.0, math.nan, 0.0])}, r"q\[1\]: nan is not a finite number"),
        (2.0, {"qd": np.array([0.0, 0.0, math.inf])}, r"qd\[2\]: inf is not a finite number"),
        (2.0, {"tau": np.zeros((1, 3))}, r"tau: expected shape \(3,\), got \(1, 3\)"),
        (2.0, {"frames": FRAMES[:4]}, r"frames: expected shape \(5, 4, 4\), got \(4, 4, 4\)"),
        (2.0, {"frames": FRAMES * 2.0}, r"frames\[0\]: the last row of a pose must be 0 0 0 1"),
        (2.0, {"frames": FRAMES * [1.0, 1.0, 1.1, 1.0]}, r"frames\[0\]: the upper left 3×3 is not a rotation"),
    ],
)
def test_what_cannot_be_recorded_is_refused(
    tmp_path: Path, robot: Robot, time: Any, values: dict[str, Any], sentence: str
) -> None:
    with Recorder(tmp_path / "a.mcap", robot) as recorder:
        recorder.write(1.0, robot.home)
        with pytest.raises(InvalidInput, match=sentence):
            recorder.write(time, **({"q": robot.home} | values))


@pytest.mark.parametrize(
    ("robot_or_names", "more", "sentence"),
    [
        ([], {}, "needs the name of at least one joint"),
        ("A1", {}, "joint: expected a list of names, got 'A1'"),
        (["a", ""], {}, "joint: '' is not a printable name"),
        (["a", "a"], {}, "joint: the name 'a' is given twice"),
        (["a"], {"frames": ["f", "f"]}, "frame: the name 'f' is given twice"),
        (["a"], {"source": {"seed": object()}}, "source: a value cannot be written as JSON"),
        (["a"], {"source": {1: "x"}}, "source: the key 1 is not a text"),
    ],
)
def test_bad_names_and_sources_are_refused_before_a_file_is_made(
    tmp_path: Path, robot_or_names: Any, more: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        Recorder(tmp_path / "a.mcap", robot_or_names, **more)
    assert list(tmp_path.iterdir()) == []


def test_bad_paths_are_refused(tmp_path: Path, robot: Robot) -> None:
    for name, sentence in (
        ("a.bag", "must end in .mcap"),
        ("no/such/a.mcap", "cannot be written"),
        ("a\0.mcap", "no file can have this name"),
    ):
        with pytest.raises(InvalidInput, match=sentence):
            Recorder(tmp_path / name, robot)


def test_a_frame_cannot_have_the_name_of_the_world(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.mcap", ["a"], frames=["world"])
    with recorder, pytest.raises(InvalidInput, match="'world' is the frame that all others"):
        recorder.write(0.0, [0.0], frames=np.eye(4)[None])


def test_a_closed_recorder_takes_nothing(tmp_path: Path, robot: Robot) -> None:
    recorder = Recorder(tmp_path / "a.mcap", robot)
    recorder.close()
    with refused("recorder_closed", InvalidInput):
        recorder.write(0.0, robot.home)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_a_full_disk_is_told_in_a_sentence(tmp_path: Path, robot: Robot) -> None:
    (tmp_path / "a.mcap").symlink_to("/dev/full")
    with refused("cannot_write", InvalidInput, reason="No space left on device"):
        Recorder(tmp_path / "a.mcap", robot, overwrite=True)
