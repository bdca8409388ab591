from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import sympy

from armlab.catalog import load
from armlab.cli.main import run
from armlab.kinematics import derive
from armlab.kinematics.symbolic.evaluate import evaluate

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _files() -> list[str]:
    return sorted(path.name for path in Path.cwd().iterdir())


def test_without_a_file_the_formulas_are_told_with_their_numbers(capsys: Captured) -> None:
    assert run(["derive", "planar2", "--q", "0,90"]) == 0
    text = capsys.readouterr().out
    assert "x = L_1*cos(theta_1) + L_2*cos(theta_1 + theta_2)\n  = 300 mm" in text
    assert "det J = L_1*L_2*sin(theta_2)\n      = 60000 mm^2" in text
    assert "singular where sin(theta_2) = 0: the arm is stretched" in text
    assert _files() == []


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("r.md", ["r-arm.png", "r-convergence.png", "r.md"]),
        ("r.tex", ["r-arm.png", "r-convergence.png", "r.tex"]),
        ("r.HTML", ["r.HTML"]),
    ],
)
def test_a_report_is_written_in_the_format_of_its_name(capsys: Captured, name: str, files: list[str]) -> None:
    assert run(["derive", "scara", "--q", "-10 20 -30 40", "-o", name]) == 0
    assert _files() == files
    captured = capsys.readouterr()
    assert captured.out.startswith(f"{name}: derivation of scara, tool at X ")
    assert captured.out.count("\n") == 1
    assert captured.err == ""


def test_the_json_holds_formulas_that_sympy_reads_and_their_numbers(capsys: Captured) -> None:
    assert run(["derive", "kuka-kr6-r900", "--json", "--q", "10,-80,70,20,50,30"]) == 0
    report = json.loads(capsys.readouterr().out)
    joints = dict(zip(report["variables"], np.radians(report["at"]["q"]), strict=True))
    known = {name: float(value) for name, value in {**report["parameters"], **joints}.items()}
    for short, expression in report["shared"].items():
        known[short] = float(sympy.sympify(expression).subs(known))
    for axis, value in zip("xyz", report["at"]["xyz"], strict=True):
        assert float(sympy.sympify(report[axis]).subs(known)) == pytest.approx(value, abs=1e-5)
    assert float(sympy.sympify(report["determinant"]).subs(known)) == pytest.approx(report["at"]["determinant"])
    assert report["at"]["determinant_unit"] == "mm^3"
    for condition in report["singular"]:
        assert float(sympy.sympify(condition["expression"]).subs(known)) == pytest.approx(condition["value"], abs=1e-5)
    robot = load("kuka-kr6-r900")
    J = evaluate(derive(robot), np.radians(report["at"]["q"])).jacobian
    np.testing.assert_allclose(np.array(report["at"]["jacobian"])[:3], J[:3] * 1e3, atol=1e-5)


def test_the_json_names_the_files_that_were_written(capsys: Captured) -> None:
    assert run(["derive", "planar2", "--json", "-o", "r.html"]) == 0
    assert json.loads(capsys.readouterr().out)["files"] == ["r.html"]


def test_an_arm_without_a_determinant_has_none_in_its_json(capsys: Captured) -> None:
    assert run(["derive", "franka-panda", "--json"]) == 0
    assert "determinant" not in json.loads(capsys.readouterr().out)


def test_a_named_pose_and_a_tool_are_taken(capsys: Captured) -> None:
    assert run(["derive", "planar2", "--configuration", "stretched", "--tool", "pen", "--json"]) == 0
    with_tool = json.loads(capsys.readouterr().out)
    robot = load("planar2", tool="pen")
    np.testing.assert_allclose(
        with_tool["at"]["xyz"], robot.fk(robot.configuration("stretched"))[:3, 3] * 1e3, atol=1e-6
    )
    assert with_tool["at"]["q"] == pytest.approx(np.degrees(robot.configuration("stretched")))


def test_values_outside_the_limits_are_derived_with_a_note(capsys: Captured) -> None:
    assert run(["derive", "kuka-kr6-r900", "--q", "0,90,0,0,0,0"]) == 0
    assert "note: joint 'A2': 90.0° is outside" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--q", "1"], "planar2: joint values needed: 2"),
        (["--q", "1,x"], "joint value: 'x' is not a number"),
        (["--q", "1,2", "--configuration", "stretched"], "give either joint values with --q or --configuration"),
        (["--configuration", "nowhere"], "planar2: no configuration named 'nowhere'"),
        (["-o", "r.docx"], "the file name must end in .md, .tex, .html"),
        (["-o", "no/such/r.md"], "there is no folder"),
        (["-o", "f.md"], "f.md: is a folder"),
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(capsys: Captured, arguments: list[str], sentence: str) -> None:
    Path("f.md").mkdir()
    assert run(["derive", "planar2", *arguments]) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert _files() == ["f.md"]
