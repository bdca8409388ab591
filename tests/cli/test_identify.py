"""From nothing to an identified arm, its payload and its faults, by the commands; and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from armlab import catalog
from armlab.cli.main import run

ARM = ("--robot", "planar2")


@pytest.fixture
def recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "run.csv"
    assert run(["identify", "--robot", "ur5e", "--excite", "--simulate", "-o", str(path), "--seed", "3"]) == 0
    capsys.readouterr()
    return path


def test_a_motion_is_written_recorded_and_identified(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arm, report = tmp_path / "arm.toml", tmp_path / "report.html"
    options = ["--robot", "ur5e", "-o", str(arm), "--report", str(report), "--json"]
    assert run(["identify", str(recording), *options]) == 0
    made = json.loads(capsys.readouterr().out)
    assert len(made["base"]) == 52
    assert min(drive["explained"] for drive in made["drives"]) > 0.99
    drawn = catalog.load("ur5e")
    identified = catalog.load(str(arm))
    for link, nominal, shown in zip(identified.links[1:], drawn.links[1:], made["links"], strict=True):
        assert link.inertia.mass == pytest.approx(shown["mass"], rel=1e-5)
        assert link.inertia.mass == pytest.approx(nominal.inertia.mass, rel=0.5)
    assert "Izz1R" in report.read_text()
    assert run(["identify", str(recording), "--robot", "ur5e"]) == 0
    assert "Coulomb" in capsys.readouterr().out


def test_a_payload_is_found_against_a_baseline(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loaded = tmp_path / "loaded.parquet"
    motion = ["--excite", "--simulate", "--seed", "3", "--load", "2,10,-20,60"]
    assert run(["identify", "--robot", "ur5e", *motion, "-o", str(loaded), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["measured"] is True
    report = tmp_path / "payload.md"
    options = ["--robot", "ur5e", "--payload", "--baseline", str(recording)]
    assert run(["identify", str(loaded), *options, "--json", "--report", str(report)]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["mass"] == pytest.approx(2.0, rel=0.01)
    assert made["com"] == pytest.approx([10.0, -20.0, 60.0], abs=2.0)
    assert "kg" in report.read_text()
    assert run(["identify", str(loaded), *options]) == 0
    assert "kg" in capsys.readouterr().out


def test_a_commanded_motion_has_no_torques_yet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "motion.csv"
    assert run(["identify", *ARM, "--excite", "-o", str(path), "--period", "4", "--rate", "50"]) == 0
    assert "condition number" in capsys.readouterr().out
    assert path.read_text().startswith("time_s,q_")
    assert run(["identify", str(path), *ARM, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "recording_without"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["identify", *ARM], "recording_or_excite"),
        (["identify", "run.csv"], "robot_needed"),
        (["identify", "run.csv", *ARM], "file_missing"),
        (["identify", "run.csv", *ARM, "--excite"], "recording_or_excite"),
        (["identify", "run.csv", *ARM, "--baseline", "x.csv"], "option_without"),
        (["identify", *ARM, "--excite", "--load", "1", "-o", "x.csv"], "option_without"),
        (["identify", *ARM, "--excite", "--simulate", "--load", "1,2", "-o", "x.csv"], "wrong_load"),
        (["identify", *ARM, "--excite"], "output_needed"),
        (["identify", *ARM, "--excite", "-o", "x.txt"], "file_suffix"),
        (["identify", *ARM, "--excite", "-o", "x.csv", "--period", "0"], "option_out_of_range"),
        (["diagnose", *ARM], "recording_or_inject"),
        (["diagnose", "run.csv"], "robot_needed"),
        (["diagnose", *ARM, "--inject", "rust", "-o", "x.csv"], "unknown_fault"),
        (["diagnose", *ARM, "--inject", "backlash:A9", "-o", "x.csv"], "unknown_joint"),
        (["diagnose", *ARM, "--inject", "loose_tool:A1", "-o", "x.csv"], "unknown_joint"),
        (["diagnose", *ARM, "--inject", "backlash"], "output_needed"),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: list[str],
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run([*arguments, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code
    assert not list(tmp_path.iterdir())


def test_an_injected_fault_is_diagnosed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, report = tmp_path / "run.csv", tmp_path / "clinic.html"
    assert run(["diagnose", "--robot", "ur5e", "--inject", "gear_wear:elbow@30", "-o", str(path), "--seed", "2"]) == 0
    imu = tmp_path / "run-imu.csv"
    assert imu.exists()
    capsys.readouterr()
    arguments = ["diagnose", str(path), "--robot", "ur5e", "--imu", str(imu), "--report", str(report)]
    assert run([*arguments, "--json"]) == 1
    made = json.loads(capsys.readouterr().out)
    assert (made["cause"], made["joint"], made["healthy"]) == ("gear_wear", "elbow", False)
    assert made["since"] == pytest.approx(30.0, abs=4.0)
    assert made["life"]["low"] <= made["life"]["high"]
    assert "elbow" in report.read_text()
    assert run(arguments) == 1
    assert "gear wear" in capsys.readouterr().out


def test_a_healthy_arm_ends_with_status_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.mcap"
    assert run(["diagnose", "--robot", "ur5e", "--inject", "none", "-o", str(path), "--seed", "8"]) == 0
    capsys.readouterr()
    assert run(["diagnose", str(path), "--robot", "ur5e"]) == 0
    assert "healthy" in capsys.readouterr().out
