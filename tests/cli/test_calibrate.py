from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calibration.measuring import configurations, mean_distance, measured_poses, measured_positions

import armlab
from armlab.arrays import Floats
from armlab.calibration import Poses, Positions, RealArm, read_real_arm, real_arm, real_fk
from armlab.cli.main import run
from armlab.geometry import pose

Captured = pytest.CaptureFixture[str]
SIX = "kuka-kr6-r700"


def written(path: Path, measured: Poses | Positions, *, header: str | None = None) -> Path:
    """Write measurements as people do: degrees and mm."""
    q = np.degrees(measured.q)
    if isinstance(measured, Poses):
        table = np.column_stack([q, measured.T[:, :3, 3] * 1e3, np.degrees(pose.as_abc(measured.T))])
    else:
        table = np.column_stack([q, measured.points * 1e3])
    names = [f"q{i + 1}" for i in range(q.shape[1])] + list("xyzabc")[: table.shape[1] - q.shape[1]]
    lines = [header or ",".join(names), *(",".join(f"{value:.9f}" for value in row) for row in table)]
    path.write_text("\n".join(lines) + "\n")
    return path


def drawn() -> RealArm:
    return real_arm(armlab.load(SIX), "industrial", seed=3)


def refused(capsys: Captured, *arguments: str) -> dict[str, Any]:
    assert run(["calibrate", SIX, *arguments, "--json"]) == 2
    error: dict[str, Any] = json.loads(capsys.readouterr().out)["error"]
    return error


def test_a_calibration_writes_the_arm_that_was_measured(tmp_path: Path, capsys: Captured) -> None:
    real = drawn()
    file = written(tmp_path / "m.csv", measured_poses(real, configurations(real, 60, 1), 1))
    out, page = tmp_path / "real.toml", tmp_path / "report.html"
    assert run(["calibrate", SIX, str(file), "-o", str(out), "--report", str(page), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["after"]["mean"] < 0.1 * report["before"]["mean"]
    assert report["after"]["mean"] < report["cross_validation"]["mean"] < 0.2
    assert {"name", "value", "sigma", "identifiable"} <= set(report["parameters"][0])
    fresh = configurations(real, 100, 2)
    assert mean_distance(real_fk(read_real_arm(out), fresh), real_fk(real, fresh)) < 1e-4
    assert "<img" in page.read_text()


def test_the_screen_says_what_cannot_be_found(tmp_path: Path, capsys: Captured) -> None:
    real = drawn()
    file = written(tmp_path / "m.csv", measured_positions(real, configurations(real, 60, 1), 1))
    assert run(["calibrate", SIX, str(file), "--model", "geometry"]) == 0
    assert "tool turn x" in capsys.readouterr().out


def test_columns_may_have_the_names_of_the_joints_in_any_order(tmp_path: Path, capsys: Captured) -> None:
    real = drawn()
    measured = measured_positions(real, configurations(real, 40, 1), 1)
    swapped = Positions(measured.q[:, [1, 0, 2, 3, 4, 5]], measured.points)
    file = written(tmp_path / "m.csv", swapped, header="A2,A1,A3,A4,A5,A6,x,y,z")
    assert run(["calibrate", SIX, str(file), "--model", "geometry", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["after"]["mean"] < 0.2


def changed(q: Floats, points: Floats, what: str) -> tuple[Floats, Floats]:
    match what:
        case "few":
            return q[:3], points[:3]
        case "alike":
            return np.repeat(q[:1], 40, axis=0), np.repeat(points[:1], 40, axis=0)
        case "outside":
            return np.where(np.arange(6) == 2, 4.0, q), points
        case "radians":
            return np.radians(q), points
        case "metres":
            return q, points * 1e-3
        case _:
            return q[:, [1, 0, 2, 3, 4, 5]], points


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("few", "too_few_measurements"),
        ("alike", "measurements_alike"),
        ("radians", "measurement_units"),
        ("metres", "measurement_units"),
        ("order", "measurement_joint_order"),
    ],
)
def test_wrong_measurements_are_named(tmp_path: Path, capsys: Captured, what: str, code: str) -> None:
    real = drawn()
    measured = measured_positions(real, configurations(real, 40, 1), 1)
    file = written(tmp_path / "m.csv", Positions(*changed(measured.q, measured.points, what)))
    out = tmp_path / "real.toml"
    assert refused(capsys, str(file), "-o", str(out))["code"] == code
    assert not out.exists()


def test_a_value_that_is_none_is_named_with_its_line_and_column(tmp_path: Path, capsys: Captured) -> None:
    real = drawn()
    file = written(tmp_path / "m.csv", measured_positions(real, configurations(real, 40, 1), 1))
    lines = file.read_text().splitlines()
    cells = lines[7].split(",")
    for bad in ("nan", "", "12,3"):
        lines[7] = ",".join([*cells[:6], bad, *cells[7:]])
        file.write_text("\n".join(lines))
        error = refused(capsys, str(file))
        assert error["parameters"]["line"] == 8
        assert error["code"] == ("row_length" if bad == "12,3" else "measurement_value")


@pytest.mark.parametrize("text", ["", "q1,q2\n1,2\n", "q1,q2,q3,q4,q5,q6,x,y\n", "q1,q2,q3,q4,q5,q6,x,y,z,a\n", "\x00"])
def test_files_without_the_columns_are_refused(tmp_path: Path, capsys: Captured, text: str) -> None:
    file = tmp_path / "m.csv"
    file.write_text(text)
    assert refused(capsys, str(file))["code"] in {"measurement_columns", "measurements_empty", "not_text_file"}


def test_chosen_poses_are_written_measured_and_calibrated(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "poses.csv"
    assert run(["calibrate", SIX, str(file), "--choose", "45", "--simulate", "industrial", "--seed", "0"]) == 0
    capsys.readouterr()
    assert run(["calibrate", SIX, str(file), "--model", "full", "-o", str(tmp_path / "real.toml"), "--json"]) == 0
    read_real_arm(tmp_path / "real.toml")
    report = json.loads(capsys.readouterr().out)
    assert report["measurements"] == 45
    assert report["after"]["mean"] < 0.1 * report["before"]["mean"]
