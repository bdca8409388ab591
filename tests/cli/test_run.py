from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armlab
from armlab.calibration import RealArm, real_arm, write_real_arm
from armlab.cli.main import run
from armlab.recording import read_recording

Captured = pytest.CaptureFixture[str]


def ran(capsys: Captured, *arguments: str) -> dict[str, Any]:
    assert run(["run", *arguments, "--json"]) == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return report


def test_a_drawing_ends_where_its_last_line_says(capsys: Captured) -> None:
    report = ran(capsys, "drawing", "--robot", "scara", "--place", "380,-47.5,290", "--fast")
    assert report["end"]["xyz"] == pytest.approx([380.0, -47.5, 300.0], abs=0.05)
    assert report["motions"] == 17
    assert report["findings"] == []
    assert report["tracking_max"] == 0.0


def test_physics_follow_and_a_recording_holds_the_whole_run(tmp_path: Path, capsys: Captured) -> None:
    file, program = tmp_path / "out.mcap", tmp_path / "line.ngc"
    program.write_text("f3000\ng0 z5\ng1 x20\ng1 y20\n")
    report = ran(capsys, str(program), "--robot", "scara", "--place", "400,0,290", "--record", str(file))
    assert 0.0 < report["tracking_max"] < 0.01
    recording = read_recording(file)
    assert float(recording.t[-1]) == pytest.approx(report["duration"], abs=0.02)


def test_inputs_of_a_script_decide_and_messages_and_outputs_are_told(tmp_path: Path, capsys: Captured) -> None:
    program, script = tmp_path / "a.ngc", tmp_path / "inputs.toml"
    program.write_text("m66 p1 l3 q5\no1 if [#5399 gt 0]\nm64 p2\n(msg,part)\no1 else\n(msg,none)\no1 endif\n")
    script.write_text('[[input]]\nname = "1"\nvalue = true\nat = 1.5\n')
    with_part = ran(capsys, str(program), "--robot", "scara", "--input", str(script))
    assert (with_part["messages"], with_part["outputs"]) == (["part"], {"2": True})
    assert with_part["duration"] == pytest.approx(1.5)
    without = ran(capsys, str(program), "--robot", "scara")
    assert (without["messages"], without["duration"]) == (["none"], pytest.approx(5.0))


def test_the_first_error_ends_a_run_with_status_1(tmp_path: Path, capsys: Captured) -> None:
    program = tmp_path / "a.ngc"
    program.write_text("g0 x1\ng1 x2\ng0 x3\n")
    assert run(["run", str(program), "--robot", "scara", "--fast"]) == 1
    told = capsys.readouterr().out
    assert f"{program}:2:1: error: " in told


def test_standard_input_is_run_in_the_language_that_is_named(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"f600\ng0 z1\ng1 x5\n")))
    report = ran(capsys, "-", "--robot", "scara", "--place", "400,0,290", "--fast", "--language", "gcode")
    assert report["end"]["xyz"] == pytest.approx([405.0, 0.0, 291.0], abs=0.01)


@pytest.mark.parametrize(
    "arguments",
    [("drawing",), ("drawing", "--robot", "nobody"), ("drawing", "--robot", "scara", "--dialect", "latin"),
     ("drawing", "--robot", "scara", "--language", "latin"), ("drawing", "--robot", "scara", "--record", "a.txt")],
)  # fmt: skip
def test_wrong_arguments_get_one_sentence(capsys: Captured, arguments: tuple[str, ...]) -> None:
    assert run(["run", *arguments]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("command", [["check"], ["run", "--fast"]])
def test_a_program_that_never_ends_is_told_after_the_time_that_was_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    file = tmp_path / "a.ngc"
    file.write_text("f6000\no1 while [1]\ng1 x10\ng1 x0\no1 endwhile\n")
    assert run([*command, str(file), "--robot", "scara", "--time-limit", "5"]) == 1
    assert "a.ngc:" in (told := capsys.readouterr().out)
    assert "error: the program runs longer than 5 s [program_endless]" in told


def test_a_real_arm_ends_beside_where_the_program_sends_it(tmp_path: Path, capsys: Captured) -> None:
    robot = armlab.load("kuka-kr6-r700", tool="pen")
    write_real_arm(RealArm(robot), tmp_path / "perfect.toml")
    write_real_arm(real_arm(robot, "industrial", seed=1), tmp_path / "real.toml")
    common = ("drawing", "--robot", "kuka-kr6-r700", "--tool", "pen", "--fast")
    ends = [
        np.array(ran(capsys, *common, *more)["end"]["xyz"])
        for more in ((), ("--real", str(tmp_path / "perfect.toml")), ("--real", str(tmp_path / "real.toml")))
    ]
    assert np.linalg.norm(ends[1] - ends[0]) < 1e-3
    assert 0.2 < np.linalg.norm(ends[2] - ends[0]) < 10.0
