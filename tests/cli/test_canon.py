from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from armlab.cli.main import run

Captured = pytest.CaptureFixture[str]


def test_each_line_of_json_is_one_motion_or_command(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "a.ngc"
    file.write_text("g20 f60\ng1 x1 (go)\ng3 x2 i0.5\ng4 p0.5\nm2\n")
    assert run(["canon", str(file), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    feed, arc = next(r for r in rows if r["kind"] == "feed"), next(r for r in rows if r["kind"] == "arc")
    assert (feed["line"], feed["end"][:3], feed["world_end"][0], feed["feed"]) == (2, [1, 0, 0], 25.4, 60)
    assert (arc["center"], arc["turns"], arc["plane"]) == ([1.5, 0.0], 1, "xy")
    assert [r["seconds"] for r in rows if r["kind"] == "dwell"] == [0.5]
    assert [r["kind"] for r in rows[-3:]] == ["end", "on_reset", "on_reset"]


def test_findings_go_to_standard_error_with_their_place_and_status_1(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "a.ngc"
    file.write_text("g0 x1\ng1 x[1/0]\n")
    assert run(["canon", str(file)]) == 1
    told = capsys.readouterr()
    assert "traverse" in told.out
    assert told.err.startswith(f"{file}:2:7: error: division by zero")


def test_standard_input_tool_table_and_parameters(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, parameters = tmp_path / "t.tbl", tmp_path / "p.var"
    table.write_text("T1 P1 Z12.5 D6 ; mill\n")
    parameters.write_text("5221 100\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"t1 m6 g43\n/g0 y9\ng0 x1 z0\n")))
    options = ["--tool-table", str(table), "--parameters", str(parameters), "--block-delete", "--json"]
    assert run(["canon", "-", *options]) == 0
    moves = [json.loads(line) for line in capsys.readouterr().out.splitlines() if "world_end" in line]
    assert [m["world_end"][:3] for m in moves] == [[101.0, 0.0, 12.5]]


@pytest.mark.parametrize("text", [b"\x7fELF\0\0", None])
def test_what_is_no_program_gets_one_sentence(tmp_path: Path, capsys: Captured, text: bytes | None) -> None:
    file = tmp_path / "a.ngc"
    if text is not None:
        file.write_bytes(text)
    assert run(["canon", str(file)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("program", ["g0 x1\ng1 x2\ng0 x3\nm2\n", "g0 x1\n"])
def test_as_rs274_stops_at_the_first_error(tmp_path: Path, capsys: Captured, program: str) -> None:
    file = tmp_path / "a.ngc"
    file.write_text(program)
    assert run(["canon", str(file), "--rs274"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert [line[13:].partition(",")[0] for line in told[6:]] == [
        "STRAIGHT_TRAVERSE(1.0000",
        "ON_RESET()",
        "ON_RESET()",
    ]
    assert run(["canon", str(file)]) == ("g1" in program)  # the text that just ends is a warning of ours
