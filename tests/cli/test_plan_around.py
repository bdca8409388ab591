"""`armlab plan --around`."""

from __future__ import annotations

import json

import pytest

from armlab.cli.main import run

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


@pytest.mark.parametrize(
    "arguments",
    [
        ("--to", TO, "--around", "--line"),
        ("--to", TO, "--around", "--times", "1"),
        ("--to", TO, "--around", "--scheme", "smooth"),
        ("--to", TO, "--around", "--clearance", "-1"),
        ("--to", TO, "--around", "--seed", "-1"),
        ("--to", TO, "--around", "--scene", "no-such-scene"),
        ("--to-pose", "5000,0,0,0,90,0", "--around"),
    ],
)
def test_what_cannot_be_planned_is_one_sentence(arguments: tuple[str, ...], capsys: Captured) -> None:
    assert run(["plan", "ur5e", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.strip().splitlines()) <= 3
