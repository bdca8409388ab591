from __future__ import annotations

import json
from pathlib import Path

import pytest

import armlab
from armlab.calibration import RealArm, RealJoint, write_real_arm
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
    page = tmp_path / "iso.html"
    assert run(["iso9283", SIX, "--real", str(tmp_path / "real.toml"), "--report", str(page)]) == 0
    said = capsys.readouterr().out
    assert "AP" in said
    assert "RD not known" in said  # nothing in this arm is random
    assert "not known" in page.read_text()


def test_the_repeatability_of_an_arm_without_a_random_part_is_not_known(tmp_path: Path, capsys: Captured) -> None:
    joints = tuple(RealJoint(each.name, offset=1e-3, dead_band=0.0) for each in armlab.load(SIX).joints)
    random = (
        *joints[:-1],
        RealJoint(joints[-1].name, resolution=1e-4),
    )
    for parts, is_known in ((joints, False), (random, True)):
        write_real_arm(RealArm(armlab.load(SIX), parts), tmp_path / "real.toml")
        assert run(["iso9283", SIX, "--real", str(tmp_path / "real.toml"), "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        assert {each.get("repeatability") is not None for each in report["poses"]} == {is_known}
        assert (report["distance"].get("repeatability") is not None) == is_known
        assert all(each.get("turn") is not None for each in report["poses"])


def test_a_file_of_another_arm_is_refused(tmp_path: Path, capsys: Captured) -> None:
    write_real_arm(RealArm(armlab.load("ur5e")), tmp_path / "real.toml")
    assert run(["iso9283", SIX, "--real", str(tmp_path / "real.toml"), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "real_arm_of_another"


def test_recorded_paths_are_tested_and_those_to_run_are_written(tmp_path: Path, capsys: Captured) -> None:
    meant, paths, page = tmp_path / "meant.csv", tmp_path / "paths.csv", tmp_path / "iso.html"
    assert run(["iso9283", SIX, "--commanded", str(meant)]) == 0
    head, *rows = meant.read_text().splitlines()
    assert head == "path,x,y,z"
    cycles = [row.replace(",", f",{cycle},", 1) for cycle in (1, 2, 3) for row in rows]
    paths.write_text("\n".join(["path,cycle,x,y,z", *cycles]))
    capsys.readouterr()
    assert run(["iso9283", SIX, "--paths", str(paths), "--report", str(page), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["poses"] == []
    assert {each["name"] for each in report["paths"]} == {"line", "large circle", "small circle"}
    assert all(each["accuracy"] < 0.2 for each in report["paths"])  # mm: chords of the circles
    assert report["corners"]["rounding"] < 1e-3
    assert page.read_text().count("<img") == 3
    assert run(["iso9283", SIX, "--paths", str(paths)]) == 0
    assert "RT" in capsys.readouterr().out
