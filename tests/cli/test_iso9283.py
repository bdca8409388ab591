from __future__ import annotations

import json
from pathlib import Path

import pytest

import armlab
from armlab.calibration import RealArm, write_real_arm
from armlab.cli.main import run

Captured = pytest.CaptureFixture[str]
SIX = "kuka-kr6-r700"


def test_an_arm_is_tested_and_reported(tmp_path: Path, capsys: Captured) -> None:
    page = tmp_path / "iso.html"
    assert run(["iso9283", SIX, "--tolerance", "iso", "--seed", "2", "--report", str(page), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in report["poses"]] == ["P1", "P2", "P3", "P4", "P5"]
    assert report["cycles"] == 30
    assert all(0.0 < each["accuracy"] < 2.0 for each in report["poses"])
    assert {each["name"] for each in report["paths"]} == {"line", "large circle", "small circle"}
    assert page.read_text().count("<img") == 4


def test_a_real_arm_from_a_file_is_tested(tmp_path: Path, capsys: Captured) -> None:
    write_real_arm(RealArm(armlab.load(SIX)), tmp_path / "real.toml")
    assert run(["iso9283", SIX, "--real", str(tmp_path / "real.toml")]) == 0
    assert "AP" in capsys.readouterr().out


def test_a_file_of_another_arm_is_refused(tmp_path: Path, capsys: Captured) -> None:
    write_real_arm(RealArm(armlab.load("ur5e")), tmp_path / "real.toml")
    assert run(["iso9283", SIX, "--real", str(tmp_path / "real.toml"), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "real_arm_of_another"
