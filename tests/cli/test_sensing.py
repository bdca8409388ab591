"""The commands about sensors: their JSON, their tables, their figures and their refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from armlab.cli.main import run
from armlab.sensing.experiments import ExperimentName, experiment_of
from armlab.sensing.files import read_imu, write_imu
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.noise import still_record
from armlab.sensing.presets import PRESETS, preset


@pytest.fixture
def still(tmp_path: Path) -> Path:
    record = still_record(preset("mpu-6050"), 3.0, 100.0, seed=1)
    truth = np.tile([1.0, 0, 0, 0], (len(record), 1))
    return write_imu(ImuRecord(record.t, record.gyro, record.acc, None, truth), tmp_path / "still.csv")


def test_allan_finds_the_numbers_of_a_preset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figure = tmp_path / "allan.png"
    assert run(["allan", "bmi088", "--hours", "0.2", "--json", "-o", str(figure)]) == 0
    report = json.loads(capsys.readouterr().out)
    found, stated = report["gyroscope"]["found"], report["gyroscope"]["stated"]
    assert found["noise_density"] == pytest.approx(stated["noise_density"], rel=0.03)
    assert stated["noise_density"] == pytest.approx(0.014)
    assert len(report["gyroscope"]["tau"]) == len(report["gyroscope"]["deviation"])
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_allan_reads_recordings_and_lists_presets(still: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["allan", str(still)]) == 0
    assert "µg/√Hz" in capsys.readouterr().out
    assert run(["allan", "?", "--json"]) == 0
    assert {row["name"] for row in json.loads(capsys.readouterr().out)} == set(PRESETS)


def test_recordings_in_motion_are_told(still: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Their noise cannot be found, and the bias of the gyroscope is not known at the start."""
    record = read_imu(still).record
    swinging = record.gyro + np.sin(4.0 * record.t + 1.0)[:, None]
    moving = write_imu(ImuRecord(record.t, swinging, record.acc), tmp_path / "moving.csv")
    for arguments, code in ((["allan"], "imu_moves"), (["navigate", "--filter", "vqf"], "imu_starts_moving")):
        codes = []
        for file in (still, moving):
            assert run([*arguments, str(file), "--json"]) == 0
            codes.append([finding["code"] for finding in json.loads(capsys.readouterr().out)["findings"]])
        assert codes == [[], [code]]
    assert run(["allan", str(moving)]) == 0
    assert "moving.csv" in capsys.readouterr().out


def test_navigate_shows_all_filters_or_one(still: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figure = tmp_path / "errors.png"
    assert run(["navigate", str(still), "--json", "-o", str(figure)]) == 0
    reports = json.loads(capsys.readouterr().out)
    assert [report["filter"] for report in reports] == [
        "strapdown",
        "complementary",
        "madgwick",
        "mahony",
        "vqf",
        "eskf",
    ]
    assert all(report["rmse"]["inclination"] < 3.0 for report in reports)
    assert figure.is_file()
    assert run(["navigate", str(still), "--filter", "mahony", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["samples"] == reports[0]["samples"]
    assert run(["navigate", str(still)]) == 0
    assert "mahony" in capsys.readouterr().out


def test_the_truth_may_be_in_another_file(still: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = still_record(preset("mpu-6050"), 3.0, 100.0, seed=1)
    blind = write_imu(record, tmp_path / "blind.csv")
    assert run(["navigate", str(blind), "--filter", "vqf", "--json"]) == 0
    assert "rmse" not in json.loads(capsys.readouterr().out)
    assert run(["navigate", str(blind), "--filter", "vqf", "--truth", str(still), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rmse"]["total"] < 5.0
    assert run(["navigate", str(still), "--truth", str(blind), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "truth_missing"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["allan", "mpu"], "unknown_preset"),
        (["allan", "bmi088", "--hours", "1000"], "option_out_of_range"),
        (["navigate", "nowhere.csv"], "file_missing"),
        (["navigate", "nowhere.txt"], "file_suffix"),
    ],
)
def test_wrong_arguments_are_refused(arguments: list[str], code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*arguments, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code


def _scenario(tmp_path: Path) -> str:
    path = tmp_path / "wave.json"
    steps = [{"do": "wait", "seconds": 0.5}, {"do": "move", "to": [20, 30]}]
    path.write_text(json.dumps({"schema": 1, "name": "wave", "arm": "planar2", "steps": steps}))
    return str(path)


def test_sense_writes_what_navigate_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "imu.mcap"
    arguments = ["sense", _scenario(tmp_path), "--imu", "tool:mpu-6050", "--imu", "base", "-o", str(out), "--json"]
    assert run([*arguments, "--plot", str(tmp_path / "imu.png")]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [sensor["link"] for sensor in report["sensors"]] == ["tool", "base"]
    assert report["sensors"][0]["samples"] == int(report["duration"] * 100)
    written = [Path(name) for name in report["files"]]
    assert [path.name for path in written] == ["imu-tool.mcap", "imu-base.mcap", "imu.png"]
    assert run(["navigate", str(written[0]), "--filter", "eskf", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rmse"]["inclination"] < 5.0


@pytest.mark.parametrize(
    ("steps", "options", "rest"),
    [
        ([{"do": "move", "to": [20, 30]}], [], 2.0),
        ([{"do": "move", "to": [20, 30]}], ["--rest", "1"], 1.0),
        ([{"do": "move", "to": [20, 30]}], ["--rest", "0"], 0.0),
        ([{"do": "wait", "seconds": 0.5}, {"do": "move", "to": [20, 30]}], [], 0.5),
    ],
)
def test_a_recording_begins_at_rest_unless_told_otherwise(
    tmp_path: Path, steps: list[object], options: list[str], rest: float, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "wave.json", tmp_path / "imu.csv"
    path.write_text(json.dumps({"schema": 1, "name": "wave", "arm": "planar2", "steps": steps}))
    arguments = ["sense", str(path), "--imu", "tool:mpu-6050", "-o", str(out), *options, "--json"]
    assert run(arguments) == 0
    record = read_imu(out).record
    capsys.readouterr()
    moves = np.linalg.norm(np.asarray(record.velocity), axis=1) > 1e-2
    assert record.t[np.argmax(moves)] == pytest.approx(rest, abs=0.1)
    assert run(["navigate", str(out), "--json"]) == 0
    reports = {report["filter"]: report for report in json.loads(capsys.readouterr().out)}
    codes = [finding["code"] for finding in reports["eskf"]["findings"]]
    assert codes == ([] if rest else ["imu_starts_moving"])
    assert reports["strapdown"]["position_deviation"] is None
    if rest:
        assert reports["eskf"]["position_error"] < 3.0 * reports["eskf"]["position_deviation"]
    assert run(["navigate", str(out)]) == 0
    assert "integrated twice" in " ".join(capsys.readouterr().out.split())


def test_every_kind_of_sensor_is_written_with_its_own_rate_noise_and_truth(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "read.csv"
    asked = ["--imu", "tool:mpu-6050,rate=200", "--encoders", "noise=0.5,rate=500", "--torques", "ideal"]
    asked += ["--wrench", "ideal", "--laser", "tool:noise=2,latency=5", "--proximity", "tool", "--contact", "link_2"]
    assert run(["sense", _scenario(tmp_path), *asked, "--rest", "0", "--seed", "3", "-o", str(out), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    rows = {row["kind"]: row for row in report["sensors"]}
    assert [row["rate"] for row in rows.values()] == [200, 500, 100, 100, 100, 100, 100]
    assert [row["seed"] for row in rows.values()] == [3, 4, 5, 6, 7, 8, 9]
    assert rows["laser"]["latency"] == 5.0
    assert rows["encoders"]["samples"] == int(report["duration"] * 500)
    files = dict(zip(rows, map(Path, report["files"]), strict=True))
    assert files["encoders"].name == "read-encoders.csv"
    tables = {kind: np.genfromtxt(path, delimiter=",", names=True) for kind, path in files.items()}
    joints = tables["encoders"]
    off = np.degrees(joints["theta1_rad"] - joints["true_theta1_rad"])
    assert np.std(off) == pytest.approx(0.5, rel=0.15)
    np.testing.assert_array_equal(tables["torques"]["theta1_Nm"], tables["torques"]["true_theta1_Nm"])
    assert joints["time_s"][0] == pytest.approx(0.002)
    assert (tables["contact"]["force_N"] == 0.0).all()  # nothing is touched


@pytest.mark.parametrize(
    ("imus", "code"),
    [
        (["--imu", "knee"], "unknown_link"),
        (["--imu", "tool", "--imu", "tool:bmi088"], "sensor_twice"),
        (["--imu", "tool:bmx"], "unknown_preset"),
        (["--imu", "tool@1,2"], "sensor_place"),
        (["--imu", "tool", "--rate", "300"], "rate_not_possible"),
        ([], "no_sensors"),
        (["--encoders", "rate=300"], "rate_not_possible"),
        (["--encoders", "ideal", "--encoders", "noise=1"], "sensor_twice"),
        (["--wrench", "colour=1"], "sensor_setting"),
        (["--laser", "tool:mpu-6050"], "sensor_setting"),
        (["--contact", "knee"], "unknown_link"),
        (["--torques", "latency=-1"], "delay_negative"),
    ],
)
def test_sensors_that_cannot_be_are_refused(
    tmp_path: Path, imus: list[str], code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["sense", _scenario(tmp_path), *imus, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code


@pytest.mark.parametrize(
    ("program", "robot", "link"), [("drawing", "scara", "tool"), ("star", "kuka-kr6-r700", "link_6")]
)
def test_sense_runs_programs_too(
    tmp_path: Path, program: str, robot: str, link: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "imu.csv"
    assert run(["sense", program, "--robot", robot, "--imu", f"{link}:bmi088", "-o", str(out), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["sensors"][0]["samples"] == pytest.approx(report["duration"] * 100, abs=1)
    assert len(read_imu(out).record) == report["sensors"][0]["samples"]


def test_a_sensor_off_the_axis_feels_the_turn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On S5's carousel: ω² r at 0.75 m, and nothing but gravity on the axis."""
    out = tmp_path / "imu.csv"
    places = ["--imu", "bar@750,0,0", "-o", str(out)]
    assert run(["sense", "s5-carousel", *places, "--rate", "50", "--json"]) == 0
    capsys.readouterr()
    acc = read_imu(out).record.acc
    assert np.median(-acc[:, 0]) == pytest.approx((np.pi / 4) ** 2 * 0.75, abs=1e-3)


@pytest.mark.parametrize(
    ("name", "scenario", "places", "rate"),
    [
        ("a", "s5-tilt", ["bar@750,0,0", "cross_bar@25,0,0"], 20),
        ("b", "s5-cube", ["cube"], 100),
        ("c", "s5-carousel", ["bar@750,0,0"], 50),
        ("d", "s5-bar", [f"bar-{i}" for i in range(1, 7)], 1000),
    ],
)
def test_experiments_of_s5_are_written_to_files_and_processed_afterwards(
    tmp_path: Path,
    name: ExperimentName,
    scenario: str,
    places: list[str],
    rate: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    imus = [part for place in places for part in ("--imu", place)]
    out = tmp_path / "imu.csv"
    assert run(["sense", scenario, *imus, "--rate", str(rate), "-o", str(out), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    experiment = experiment_of(name, [read_imu(path).record for path in report["files"]])
    for row in experiment.rows:
        assert row.our_error <= 1e-9, row
        assert row.our_error < row.paper_error


@pytest.mark.parametrize("command", [["sense", "s5-titl", "--imu", "bar"], ["run", "s5-titl"], ["check", "s5-titl"]])
def test_a_mistyped_scenario_is_named_before_anything_else_is_asked(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command) == 2
    said = capsys.readouterr().err
    assert "'s5-titl'" in said
    assert "s5-tilt" in said


def test_a_program_file_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sense", str(tmp_path / "none.ngc"), "--imu", "bar"]) == 2
    assert "none.ngc" in capsys.readouterr().err


def test_the_allan_deviation_of_an_ideal_sensor_is_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    still = ImuRecord(np.linspace(0.0, 3.99, 400), np.zeros((400, 3)), np.tile([0.0, 0.0, 9.81], (400, 1)))
    assert run(["allan", str(write_imu(still, tmp_path / "ideal.csv")), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["gyroscope"]["found"]
    assert all(value == 0.0 for value in found.values())
