"""`armlab plan --around`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import armlab
from armlab.catalog.scenes import write_scene
from armlab.cli.main import run
from armlab.geometry.shape import Shape
from armlab.model.scene import Body, Scene

Captured = pytest.CaptureFixture[str]
TO = "30,-60,60,-90,-90,0"


def test_a_free_path_is_reported_with_what_is_proved(capsys: Captured) -> None:
    assert run(["plan", "ur5e", "--scene", "sorting-table", "--around", "--to", TO, "--clearance", "5", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["path"] == "free"
    assert report["free"]["clearance"] == 5.0
    assert report["free"]["points"][-1] == pytest.approx([30, -60, 60, -90, -90, 0])
    assert report["q"][-1] == pytest.approx([30, -60, 60, -90, -90, 0], abs=1e-6)
    assert all(set(pair) == {"first", "second", "reason"} for pair in report["free"]["unchecked"])
    assert run(["plan", "ur5e", "--scene", "sorting-table", "--around", "--to", TO]) == 0
    assert "1 mm" in capsys.readouterr().out


def test_the_tool_stays_upright(capsys: Captured) -> None:
    robot = armlab.load("ur5e")
    down = ("--from", "30,-90,90,-90,-90,0")
    arguments = ("plan", "ur5e", *down, "--to", "-40,-80,80,-90,-90,0", "--around", "--upright", "5", "--json")
    assert run(list(arguments)) == 0
    q = np.radians(json.loads(capsys.readouterr().out)["q"])
    assert np.degrees(np.arccos(np.clip(-robot.fk(q)[:, 2, 2], -1.0, 1.0))).max() <= 5.0


@pytest.mark.parametrize(
    "arguments",
    [
        ("--to", TO, "--around", "--line"),
        ("--to", TO, "--around", "--times", "1"),
        ("--to", TO, "--around", "--scheme", "smooth"),
        ("--to", TO, "--around", "--clearance", "-1"),
        ("--to", TO, "--around", "--seed", "-1"),
        ("--to", TO, "--around", "--upright", "0"),
        ("--to", TO, "--around", "--scene", "no-such-scene"),
        ("--to-pose", "5000,0,0,0,90,0", "--around"),
    ],
)
def test_what_cannot_be_planned_is_one_sentence(arguments: tuple[str, ...], capsys: Captured) -> None:
    assert run(["plan", "ur5e", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.strip().splitlines()) <= 3


def test_a_passage_that_is_too_narrow_says_what_would_open_it(capsys: Captured, tmp_path: Path) -> None:
    gate = Body("gate", (Shape("box", (0.3, 0.3, 0.3), np.eye(4)),), armlab.pose.from_xyz([0.47, 0.0, 0.0]))
    file = tmp_path / "gate.toml"
    write_scene(Scene.of(armlab.load("planar2"), bodies=[gate]), file)
    ends = ("--from", "80,0", "--to=-80,0")
    assert run(["plan", "planar2", "--scene", str(file), "--around", *ends]) == 2
    said = capsys.readouterr().err
    assert "gate" in said
    assert "mm smaller" in said
