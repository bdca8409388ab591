"""`--tcp`: where the working point is, on every command that takes an arm."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import armlab
from armlab import pose
from armlab.cli.language import translated_commands
from armlab.cli.main import COMMANDS, command_line, run

Captured = pytest.CaptureFixture[str]


def _json(capsys: Captured, *arguments: str) -> Any:
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_every_command_with_a_tool_takes_its_working_point() -> None:
    root = translated_commands(command_line(COMMANDS))
    commands = [inner for each in root.commands.values() for inner in getattr(each, "commands", {"": each}).values()]
    options = [{name for one in each.params for name in one.opts} for each in commands]
    assert sum("--tool" in each for each in options) > 15
    assert [each for each in options if "--tool" in each and "--tcp" not in each] == []


def test_fk_and_ik_are_about_the_typed_point(capsys: Captured) -> None:
    robot, offset = armlab.load("ur5e"), (10.0, -20.0, 100.0, 30.0, 0.0, 15.0)
    tcp = ("--tcp", ",".join(map(str, offset)))
    there = robot.fk(robot.home) @ pose.from_mm_deg(offset)
    assert np.allclose(_json(capsys, "fk", "ur5e", *tcp)["xyz"], 1e3 * there[:3, 3])
    typed = [*(1e3 * there[:3, 3]), *np.degrees(pose.as_abc(there))]
    start = ",".join(map(str, np.degrees(robot.home)))
    found = _json(capsys, "ik", "ur5e", *map(str, typed), "--start", start, *tcp)
    assert np.allclose(found["solutions"][0]["q"], np.degrees(robot.home), atol=1e-6)


def test_a_tool_keeps_what_it_is_at_another_point(capsys: Captured) -> None:
    sheet = _json(capsys, "robots", "show", "ur5e", "--tool", "gripper", "--tcp", "0,0,1")
    own = _json(capsys, "robots", "show", "ur5e", "--tool", "gripper")
    assert (sheet["tool"], sheet["mass"]) == (own["tool"], own["mass"])


@pytest.mark.parametrize(
    ("typed", "code"), [("1,2", "tcp"), ("1,2,3,4", "tcp"), ("a,b,c", "not_a_number"), ("1,2,nan", "not_finite")]
)
def test_what_is_not_a_point_is_refused(capsys: Captured, typed: str, code: str) -> None:
    assert run(["fk", "ur5e", "--tcp", typed, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code


def test_a_program_runs_with_the_typed_point(capsys: Captured) -> None:
    plan = ("plan", "ur5e", "--to", "0,-90,-60,-90,90,0")
    ends = [_json(capsys, *plan, *more)["tool_peak"]["speed"] for more in ((), ("--tcp", "0,200,0"))]
    assert ends[0] != pytest.approx(ends[1])
