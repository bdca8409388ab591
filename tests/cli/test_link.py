"""`armlab emulate`, `armlab connect` and `armlab run --on`: an arm without hardware, and what is done with it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from armlab.cli.main import run
from armlab.link.link_file import read_link
from armlab.recording import read_recording

SIMULATED = 'schema = 1\narm = "braccio"\ndriver = "simulated"\n'


def test_an_arm_is_watched_and_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    link, record = tmp_path / "arm.toml", tmp_path / "seen.mcap"
    link.write_text(SIMULATED, encoding="utf-8")
    assert run(["connect", str(link), "--seconds", "0.5", "--json", "--record", str(record)]) == 0
    status = json.loads(capsys.readouterr().out)
    assert status["firmware"] == "armlab-braccio 1"
    assert {joint["source"] for joint in status["joints"]} == {"measured"}
    assert status["joints"][1]["value"] == pytest.approx(60.0, abs=1.0)
    seen = read_recording(record)
    assert len(seen.t) == status["counts"]["samples"]
    assert seen.metadata["quality"] == "measured"


def test_where_nothing_answers_the_status_is_1_and_one_sentence_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link = tmp_path / "arm.toml"
    command = [sys.executable, "-m", "armlab", "emulate", "braccio", "-o", str(link), "--seconds", "0"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert read_link(link).table.port in said
    assert run(["connect", str(link), "--seconds", "0.3"]) == 1
    assert "cannot be opened" in capsys.readouterr().err


def test_an_arm_that_cannot_be_emulated_and_a_fault_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["emulate", "bracio"]) == 2
    assert "did you mean braccio?" in capsys.readouterr().err
    assert run(["emulate", "braccio", "--fault", "tired:elbow@3"]) == 2
    assert "expected KIND:JOINT@SECONDS" in capsys.readouterr().err


def test_a_program_runs_on_an_arm_and_one_with_a_mistake_moves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link, program = tmp_path / "arm.toml", tmp_path / "go.py"
    link.write_text(SIMULATED, encoding="utf-8")
    program.write_text("move_joints(radians([95, 60, 45, 30, 90]))\n", encoding="utf-8")
    assert run(["run", str(program), "--on", str(link), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["is_whole"]
    assert report["end"][0] == pytest.approx(95.0, abs=0.5)
    assert report["took"] > 10.0 * report["duration"]
    program.write_text("move_joints(radians([300, 60, 45, 30, 90]))\n", encoding="utf-8")
    assert run(["run", str(program), "--on", str(link), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert not report["has_moved"]
    assert report["findings"][0]["line"] == 1
    assert run(["run", str(program), "--on", str(link), "--robot", "scara"]) == 2
    assert "the link file is for braccio" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--record", "--input", "--real"])
def test_options_of_simulated_runs_are_refused_on_an_arm(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link, program = tmp_path / "arm.toml", tmp_path / "wave.py"
    link.write_text(SIMULATED)
    program.write_text("print('hello')\n")
    values = {"--record": "out.mcap", "--input": "inputs.json", "--real": "real.toml"}
    assert run(["run", str(program), "--on", str(link), option, values[option], "--json"]) == 2
    told = json.loads(capsys.readouterr().out)["error"]
    assert (told["code"], told["parameters"]) == ("option_of_simulations", {"option": option})
