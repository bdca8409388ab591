"""Recordings of a session: on disk while they run, ended by another arm, and in memory where the disk refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cell.driven import Driven, project

from armlab.cell import sample_buffer
from armlab.cell.command_handler import CommandHandler
from armlab.cell.events import Notice, RecordingReport
from armlab.cell.session import Session
from armlab.geometry import pose
from armlab.recording import RecordingFolder, read_recording


class Recorded(Driven):
    """A driven session that records to a folder."""

    def __init__(self, folder: Path, arm: str = "planar3") -> None:
        super().__init__(arm)
        self.session = Session(project(arm), recordings=RecordingFolder(folder))
        self.handler = CommandHandler(self.session)


def test_a_recording_is_on_disk_while_it_runs_and_a_page_is_told_where(tmp_path: Path) -> None:
    driven = Recorded(tmp_path)
    driven.ask("record", on=True)
    (report,) = driven.of(RecordingReport)
    assert report.is_running
    assert report.path is not None
    assert driven.session.introduction().count(report) == 1
    driven.send(80.0, 10.0, 10.0)
    driven.wait(2.0)
    running = read_recording(report.path)
    assert 1.0 < running.t[-1] < 2.0, "at most the last half second is missing"
    driven.ask("record", on=False)
    done = driven.of(RecordingReport)[-1]
    assert (done.is_running, done.path) == (False, report.path)
    assert done.duration == pytest.approx(2.0, abs=0.05)
    whole = read_recording(report.path)
    assert whole.is_whole
    rows = driven.session.samples.rows()
    np.testing.assert_array_equal(whole.joints, rows.joints)
    np.testing.assert_array_equal(whole.signals, rows.signals)


def test_the_tool_pose_of_a_recording_is_that_of_its_joints(tmp_path: Path) -> None:
    driven = Recorded(tmp_path, "kuka-kr6-r700")
    driven.ask("record", on=True)
    driven.send(20.0, -80.0, 80.0, 10.0, 30.0, 0.0)
    driven.wait(0.5)
    rows = driven.session.samples.rows()
    T = driven.session.robot.fk(rows.q)
    np.testing.assert_allclose(pose.from_xyz_abc(rows.signals[:, 3:6], rows.signals[:, 6:]), T, atol=1e-6)
    assert (rows.signals[:, 1] > 0.0).any(), "it moves"
    driven.session.close()


def test_another_arm_ends_the_recording_and_other_lengths_do_not(tmp_path: Path) -> None:
    driven = Recorded(tmp_path)
    driven.ask("record", on=True)
    driven.wait(0.2)
    driven.edit(arm={"name": "planar3", "base": [0.0, 0.0, 100.0, 0.0, 0.0, 0.0]})
    driven.wait(0.2)
    assert driven.session.samples.is_recording
    driven.edit(arm={"name": "planar2"})
    assert not driven.session.samples.is_recording
    report = driven.of(RecordingReport)[-1]
    assert not report.is_running
    assert report.path is not None
    assert read_recording(report.path).t[-1] == pytest.approx(0.4, abs=0.05)
    assert not len(driven.session.samples.rows().t), "the plots of the old arm are gone"


def test_a_session_that_ends_finishes_its_recording(tmp_path: Path) -> None:
    driven = Recorded(tmp_path)
    driven.ask("record", on=True)
    driven.wait(0.3)
    driven.session.close()
    (path,) = tmp_path.iterdir()
    assert read_recording(path).is_whole
    assert read_recording(path).t[-1] == pytest.approx(0.3, abs=0.05)


def test_where_the_disk_refuses_the_recording_goes_on_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    driven = Recorded(tmp_path / "file" / "inside")
    driven.ask("record", on=True)
    driven.wait(0.2)
    assert [event.code for event in driven.of(Notice)] == ["recording_in_memory"]
    driven.ask("record", on=False)
    report = driven.of(RecordingReport)[-1]
    assert report.path is None
    assert report.duration == pytest.approx(0.2, abs=0.05)
    assert len(driven.session.samples.rows().t) > 5


def test_a_disk_that_fills_up_is_told_once_and_nothing_in_memory_is_lost(tmp_path: Path) -> None:
    driven = Recorded(tmp_path)
    driven.ask("record", on=True)
    driven.wait(0.3)
    file = driven.session.recorders.of("arm")._file
    assert file is not None
    file._recorder._file._stream.close()  # from here on nothing can be written
    driven.wait(1.0)
    assert driven.notices() == ["recording_in_memory"]
    assert driven.of(RecordingReport)[-1].path is None
    driven.ask("record", on=False)
    assert driven.session.samples.duration == pytest.approx(1.3, abs=0.05)


def test_a_recording_ends_when_it_is_as_long_as_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample_buffer, "LONGEST", 30)
    driven = Recorded(tmp_path)
    driven.ask("record", on=True)
    driven.wait(1.0)
    assert driven.notices() == ["recording_full"]
    report = driven.of(RecordingReport)[-1]
    assert not report.is_running
    assert report.path is not None
    assert len(read_recording(report.path).t) == len(driven.session.samples.rows().t) == 30
