from __future__ import annotations

import json
from pathlib import Path

import pytest

from armlab.cli.main import run

Captured = pytest.CaptureFixture[str]


def test_files_are_written_into_the_folder_and_can_be_checked(tmp_path: Path, capsys: Captured) -> None:
    arguments = ["translate", "star", "--to", "krl", "--robot", "kuka-kr6-r700"]
    assert run([*arguments, "-o", str(tmp_path / "new"), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["language"], [file["name"] for file in report["files"]]) == ("krl", ["star.src", "star.dat"])
    assert {path.name for path in (tmp_path / "new").iterdir()} == {"star.src", "star.dat"}
    assert run(["check", str(tmp_path / "new" / "star.src"), "--robot", "kuka-kr6-r700"]) == 0


def test_without_a_folder_the_program_is_shown(capsys: Captured) -> None:
    assert run(["translate", "drawing", "--to", "rapid", "--robot", "abb-irb120"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("MODULE drawing")
    assert "note" in shown.err


def test_the_source_is_never_overwritten(tmp_path: Path, capsys: Captured) -> None:
    source = tmp_path / "a.src"
    source.write_text("DEF a()\nPTP {A1 10}\nEND\n")
    assert run(["translate", str(source), "--to", "krl", "--robot", "kuka-kr6-r700", "-o", str(tmp_path)]) == 2
    assert "a.src" in capsys.readouterr().err
    assert source.read_text() == "DEF a()\nPTP {A1 10}\nEND\n"
    assert list(tmp_path.iterdir()) == [source]


def test_a_name_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    arguments = ["translate", "star", "--to", "python", "--robot", "kuka-kr6-r700", "-o", str(folder)]
    assert run([*arguments, "--name", "../../up"]) == 0
    assert [path.name for path in folder.iterdir()] == ["up.py"]


def test_an_error_in_the_program_ends_with_status_1(tmp_path: Path, capsys: Captured) -> None:
    source = tmp_path / "a.src"
    source.write_text("DEF a()\nLIN\nEND\n")
    assert run(["translate", str(source), "--to", "python", "--robot", "kuka-kr6-r700", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["files"], report["findings"][0]["line"]) == ([], 2)


def test_an_arm_must_be_named(capsys: Captured) -> None:
    assert run(["translate", "star", "--to", "python", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "robot_missing"
