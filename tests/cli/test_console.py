"""`armlab console` reads statements from a pipe, as text and as JSON."""

from __future__ import annotations

import io
import json
import sys

import pytest

from armlab.cli.main import run


def piped(monkeypatch: pytest.MonkeyPatch, text: bytes, *arguments: str) -> int:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    return run(["console", "kuka-kr6-r700", *arguments])


def test_a_statement_from_a_pipe_moves_the_arm(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert piped(monkeypatch, b"PTP {A1 30}\n? $AXIS_ACT.A1\nhelp PTP\n") == 0
    moved, value, word = capsys.readouterr().out.splitlines()
    assert "joints 30  -100  120" in moved
    assert value == "REAL $AXIS_ACT.A1 = 30.0"
    assert "PTP" in word


def test_json_has_one_object_per_statement(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = b"INT i\nFOR i = 1 TO 2\nPTP_REL {A1 5}\nENDFOR\nj = 1\n"
    assert piped(monkeypatch, text, "--json") == 1
    first, block, wrong = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["outcome"], block["motions"], wrong["outcome"]) == ("done", 2, "failed")
    assert block["end"]["q"][0] == pytest.approx(10.0)
    assert wrong["findings"][0]["code"] == "krl_unknown_name"


def test_a_block_without_an_end_and_bytes_that_are_no_text_are_findings(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert piped(monkeypatch, b"\xff\x00\xfe\nLOOP\n", "--json") == 1
    assert [json.loads(line)["outcome"] for line in capsys.readouterr().out.splitlines()] == ["failed", "failed"]


def test_programs_are_loaded_by_name_in_each_language(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = b"load drawing\nbreak 12\nrun\nwhere\nquit\nG0 X0\n"
    assert piped(monkeypatch, text, "--language", "gcode", "--start", "0,-90,90,0,45,0") == 0
    assert "drawing.ngc:12" in capsys.readouterr().out


def test_lines_of_options_are_executed_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["console", "kuka-kr6-r700", "-e", "PTP {A1 30}", "-e", "? $AXIS_ACT.A1"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "REAL $AXIS_ACT.A1 = 30.0"
