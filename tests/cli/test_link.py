"""`armlab emulate` and `armlab connect`: an arm without hardware, and what is seen of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from armlab.cli.main import run
from armlab.recording import read_recording


@contextmanager
def emulated(link: Path, *options: str) -> Iterator[None]:
    command = [sys.executable, "-m", "armlab", "emulate", "braccio", "-o", str(link), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert "tcp://127.0.0.1:" in process.stdout.readline()
        process.stdout.readline()
        yield
    finally:
        process.terminate()
        process.communicate()


def test_an_emulated_arm_is_watched_and_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    link, record = tmp_path / "arm.toml", tmp_path / "seen.mcap"
    with emulated(link, "--feedback"):
        assert run(["connect", str(link), "--seconds", "1.5", "--json", "--record", str(record)]) == 0
    status = json.loads(capsys.readouterr().out)
    assert status["firmware"] == "armlab-braccio 1"
    assert {joint["source"] for joint in status["joints"]} == {"measured"}
    assert status["joints"][1]["value"] == pytest.approx(60.0, abs=1.0)
    assert status["counts"]["samples"] > 5
    seen = read_recording(record)
    assert len(seen.t) == status["counts"]["samples"]
    assert seen.metadata["quality"] == "measured"


def test_where_nothing_answers_the_status_is_1_and_one_sentence_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link = tmp_path / "arm.toml"
    with emulated(link):
        pass
    assert run(["connect", str(link), "--seconds", "0.3"]) == 1
    assert "cannot be opened" in capsys.readouterr().err


def test_an_arm_that_cannot_be_emulated_and_a_fault_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["emulate", "bracio"]) == 2
    assert "did you mean braccio?" in capsys.readouterr().err
    assert run(["emulate", "braccio", "--fault", "tired:elbow@3"]) == 2
    assert "expected KIND:JOINT@SECONDS" in capsys.readouterr().err
