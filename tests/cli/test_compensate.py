from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from calibration.measuring import joint_path

import armlab
from armlab.calibration import path_errors, real_arm, write_real_arm
from armlab.cli.main import run
from armlab.cli.programs import gcode_options, part_place, source_of_name
from armlab.program.prepare import PreparedProgram, RunOptions, cell_of, prepare

Captured = pytest.CaptureFixture[str]
SIX = "kuka-kr6-r700"


@pytest.fixture
def real_file(tmp_path: Path) -> Path:
    write_real_arm(real_arm(armlab.load(SIX, tool="pen"), "industrial", seed=1), tmp_path / "real.toml")
    return tmp_path / "real.toml"


def prepared(name: str, place: str | None) -> PreparedProgram:
    options = RunOptions(gcode_options("linuxcnc", None, None, block_delete=False), stops_at_errors=False)
    return prepare(
        source_of_name(name, None), cell_of(SIX, None, armlab.load_tool("pen")), part_place(place, None), options
    )


def test_a_check_says_how_far_the_real_arm_is_from_the_path(real_file: Path, capsys: Captured) -> None:
    arguments = ["check", "drawing", "--robot", SIX, "--tool", "pen", "--real", str(real_file)]
    assert run([*arguments, "--json"]) == 0
    real = json.loads(capsys.readouterr().out)["real"]
    assert real["mean_before"] > 0.2
    assert real["mean_after"] < 0.1 * real["mean_before"]
    assert run(arguments) == 0
    assert "compensated" in capsys.readouterr().out


def test_a_compensated_translation_draws_what_was_meant(tmp_path: Path, real_file: Path, capsys: Captured) -> None:
    common = ["--robot", SIX, "--tool", "pen"]
    folder = tmp_path / "new"
    assert (
        run(["translate", "drawing", *common, "--to", "gcode", "--compensate", str(real_file), "-o", str(folder)]) == 0
    )
    capsys.readouterr()
    text = (folder / "drawing.ngc").read_text()
    place = re.search(r"--place ([-\d.,]+)", text)
    assert place is not None
    robot = armlab.load(SIX, tool="pen")
    real = real_arm(robot, "industrial", seed=1)
    meant, written = prepared("drawing", None), prepared(str(folder / "drawing.ngc"), place[1])
    first = joint_path(robot, meant.instructions, meant.start)
    second = joint_path(robot, written.instructions, written.start)
    drawn = second[np.linalg.norm(second - second[0], axis=1) > 0.5 * np.linalg.norm(second[-1] - second[0])]
    errors = path_errors(real, first, drawn)
    assert errors.mean_after < 0.2 * errors.mean_before


def test_a_real_arm_of_another_robot_is_refused(real_file: Path, capsys: Captured) -> None:
    assert run(["check", "star", "--robot", "kuka-kr16-2", "--real", str(real_file), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "real_arm_of_another"
