"""Tables hold every digit and tell their units."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from refusals import refused

from armlab.errors import InvalidInput
from armlab.model.robot import Robot
from armlab.recording import Recorder, Recording, export_csv, export_parquet, export_recording, read_recording

HEADING = ["time_s", "q_turn_deg", "q_slide_mm", "q_bend_deg", "qd_turn_deg_s", "qd_slide_mm_s", "qd_bend_deg_s"]
FORCES = ["tau_turn_Nm", "tau_slide_N", "tau_bend_Nm"]


@pytest.fixture
def recording(tmp_path: Path, robot: Robot) -> Recording:
    rng = np.random.default_rng(1)
    with Recorder(tmp_path / "a.mcap", robot, source={"seed": 4}) as recorder:
        for k in range(200):
            recorder.write(k / 3.0, *rng.normal(size=(3, 3)))
    return read_recording(tmp_path / "a.mcap")


def as_table(recording: Recording) -> list[list[float]]:
    """Return the columns in degrees and mm."""
    shown = np.array([180.0 / np.pi, 1000.0, 180.0 / np.pi])
    q, qd = shown * recording.q, shown * recording.qd
    rows: list[list[float]] = np.column_stack([recording.t, q, qd, recording.tau]).tolist()
    return rows


def test_csv_holds_every_digit(tmp_path: Path, recording: Recording) -> None:
    export_csv(recording, tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(newline="", encoding="utf-8") as stream:
        heading, *rows = csv.reader(stream)
    assert heading == HEADING + FORCES
    assert [[float(cell) for cell in row] for row in rows] == as_table(recording)


def test_parquet_holds_every_digit_and_the_metadata(tmp_path: Path, recording: Recording) -> None:
    export_parquet(recording, tmp_path / "a.parquet")
    table = pq.read_table(tmp_path / "a.parquet")
    assert table.column_names == HEADING + FORCES
    np.testing.assert_array_equal(np.column_stack([c.to_numpy() for c in table.columns]), as_table(recording))
    assert table.schema.metadata[b"seed"] == b"4"
    assert table.schema.metadata[b"robot"] == b"made-up"


def test_what_was_never_recorded_has_no_column_and_what_is_missing_no_value(tmp_path: Path) -> None:
    with Recorder(tmp_path / "a.mcap", ["x, y"]) as recorder:
        recorder.write(0.0, [1.0])
        recorder.write(1.0, [2.0], None, [3.0])
    recording = read_recording(tmp_path / "a.mcap")
    export_csv(recording, tmp_path / "a.csv")
    text = (tmp_path / "a.csv").read_text(encoding="utf-8")
    assert text == "time_s,q_x_y_rad_or_m,tau_x_y_Nm_or_N\n0.0,1.0,\n1.0,2.0,3.0\n"
    export_parquet(recording, tmp_path / "a.parquet")
    assert pq.read_table(tmp_path / "a.parquet").column(2).to_pylist() == [None, 3.0]


def test_joints_whose_names_differ_by_spaces_only_keep_a_column_each(tmp_path: Path) -> None:
    recording = Recording(("a b", "a  b", "c"), np.zeros(1), np.arange(24.0).reshape(1, 8, 3))
    export_csv(recording, tmp_path / "a.csv")
    heading, row = (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()
    assert heading.split(",")[1:4] == ["q_a_b_1_rad_or_m", "q_a_b_2_rad_or_m", "q_c_3_rad_or_m"]
    assert " " not in heading
    assert [float(cell) for cell in row.split(",")] == [0.0, *range(24)]


def test_tool_energy_and_gap_follow_in_the_units_of_the_page_from_every_kind_of_file(
    tmp_path: Path, robot: Robot
) -> None:
    signals = np.array([[1e-5, 2.0, 3.0, 0.1, 0.2, 0.3, np.pi, 0.0, -np.pi / 2]] * 2)
    signals[1] = np.nan
    signals[:, 2] = np.nan
    joints = np.random.default_rng(2).normal(size=(2, 8, 3))
    made = Recording.of(robot, [0.0, 0.5], joints, signals=signals)
    export_recording(made, tmp_path / "a.mcap", robot)
    read = read_recording(tmp_path / "a.mcap")
    assert read.signals is not None
    np.testing.assert_array_equal(read.signals, signals)
    export_csv(read, tmp_path / "a.csv")
    first, second = csv.DictReader((tmp_path / "a.csv").read_text(encoding="utf-8").splitlines())
    shown = {"joint_gap_mm": 0.01, "kinetic_energy_J": 2.0, "tool_x_mm": 100.0, "tool_y_mm": 200.0, "tool_z_mm": 300.0}
    shown |= {"tool_a_deg": 180.0, "tool_b_deg": 0.0, "tool_c_deg": -90.0}
    assert {name: float(first[name]) for name in shown} == pytest.approx(shown)
    assert {second[name] for name in shown} == {""}
    assert "potential_energy_J" not in first


def test_signals_that_are_not_finite_are_refused(tmp_path: Path, robot: Robot) -> None:
    signals = np.full(9, np.nan)
    signals[4] = np.inf
    with Recorder(tmp_path / "a.mcap", robot) as recorder, pytest.raises(InvalidInput) as caught:
        recorder.write_joints(0.0, np.zeros((8, 3)), None, signals)
    assert caught.value.code == "not_finite"
    assert not len(read_recording(tmp_path / "a.mcap").t)


@pytest.mark.parametrize("units", ["nonsense", '["rad"]', '["rad", "rad", "mm"]'])
def test_units_that_make_no_sense_are_not_believed(tmp_path: Path, recording: Recording, units: str) -> None:
    odd = Recording(recording.names, recording.t, recording.joints, {"units": units})
    export_csv(odd, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text(encoding="utf-8").startswith("time_s,q_turn_rad_or_m,")


def test_an_empty_recording_is_a_heading(tmp_path: Path, robot: Robot) -> None:
    Recorder(tmp_path / "a.mcap", robot).close()
    recording = read_recording(tmp_path / "a.mcap")
    export_csv(recording, tmp_path / "a.csv")
    export_parquet(recording, tmp_path / "a.parquet")
    assert (tmp_path / "a.csv").read_text(encoding="utf-8") == ",".join(HEADING[:4]) + "\n"
    assert pq.read_table(tmp_path / "a.parquet").num_rows == 0


def test_bad_names_are_refused_and_nothing_is_left_behind(tmp_path: Path, recording: Recording) -> None:
    before = sorted(tmp_path.iterdir())
    for export in (export_csv, export_parquet):
        with refused("file_suffix", InvalidInput, file="a.txt"):
            export(recording, tmp_path / "a.txt")
    with pytest.raises(InvalidInput, match="cannot be written"):
        export_csv(recording, tmp_path / "no" / "a.csv")
    assert sorted(tmp_path.iterdir()) == before
