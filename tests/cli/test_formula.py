from __future__ import annotations

import json

import pytest

from armlab.cli.main import run

Captured = pytest.CaptureFixture[str]


def test_a_right_formula_ends_with_status_0(capsys: Captured) -> None:
    assert run(["formula", "planar2", "x", "L1*cos(t1) + L2*cos(t1+t2)"]) == 0
    assert capsys.readouterr().out.startswith("right: this is x of planar2 at every joint value")


def test_a_wrong_formula_ends_with_status_1_and_a_pose(capsys: Captured) -> None:
    assert run(["formula", "planar2", "x", "L1*cos(t1) + L2*cos(t2)"]) == 1
    captured = capsys.readouterr()
    assert captured.out.startswith("wrong: at theta_1 = ")
    assert captured.err == ""


@pytest.mark.parametrize("text", ["-L1*sin(theta_1) - L2*sin(theta_1 + theta_2)", "-sin(t1)L1 - L2 s12"])
def test_a_formula_may_begin_with_a_minus(capsys: Captured, text: str) -> None:
    assert run(["formula", "planar2", "J11", text]) == 0
    assert run(["formula", "planar2", "r12", "-sin(theta1 + theta2)"]) == 0
    assert run(["formula", "planar2", "r12", "-theta1"]) == 1
    assert "the formula is" in capsys.readouterr().out


def test_json_holds_the_verdict(capsys: Captured) -> None:
    assert run(["formula", "scara-s3", "z", "L3 + d3", "--json"]) == 1
    verdict = json.loads(capsys.readouterr().out)
    assert set(verdict) == {"right", "code", "message", "parameters", "counter_example", "yours", "expected"}
    assert verdict["right"] is False
    assert verdict["yours"] == pytest.approx(50 + verdict["counter_example"]["d_3"])
    assert verdict["expected"] == pytest.approx(50 - verdict["counter_example"]["d_3"])


def test_the_tool_counts(capsys: Captured) -> None:
    assert run(["formula", "scara", "x", "L1 c1 + L2 c12", "--tool", "gripper"]) == 0
    assert run(["formula", "scara", "z", "350 + Z", "--tool", "gripper"]) == 1
    assert "too large" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["planar2", "x", "L1 cos(t1"], "column 10: ')' is missing for the '(' of column 7"),
        (["planar2", "x", "__import__('os').system('ls')"], "column 1: the character '_' has no meaning in a formula"),
        (["planar2", "w", "1"], "planar2: no quantity named 'w'"),
        (["planar9", "x", "1"], "no robot named 'planar9'"),
    ],
)
def test_nonsense_is_one_sentence_and_status_2(capsys: Captured, arguments: list[str], sentence: str) -> None:
    assert run(["formula", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"armlab: {sentence}")
    assert captured.err.count("\n") == 1
