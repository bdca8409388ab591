"""What reaches a person's terminal: text of files controls nothing, long work shows itself, Ctrl-C ends it cleanly."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from armlab.cli.main import run
from armlab.cli.text import visible

Captured = pytest.CaptureFixture[str]
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
EVIL = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202egnp.exe\r"

CASES = ("canon", "canon wrong", "canon rs274", "check text", "check", "check krl", "check json", "run", "run krl",
         "run json", "simulate wrong", "simulate", "translate", "name", "command")  # fmt: skip


def hostile(folder: Path) -> dict[str, list[str]]:
    """Write programs whose texts would control a terminal; return the command lines that tell of them."""
    gcode, krl, wrong = folder / "a.ngc", folder / "b.src", folder / "c.ngc"
    gcode.write_text(f"(MSG,{EVIL})\n({EVIL})\n(print,{EVIL})\nG21 G90\nG1 X10 F100\n#<_x> = [{EVIL}]\nM2\n")
    krl.write_text(f'DEF b()\nMsgNotify("{EVIL}")\nPTP {{A1 1{EVIL}}}\nWAIT SEC 0.1\nEND\n', encoding="utf-8")
    wrong.write_text(f"G1 X{EVIL}10\n{EVIL}\no<{EVIL}> call\n(DEBUG,{EVIL})\n")
    scenario = folder / "d.json"
    body = {"schema": 1, "name": "evil", "title": EVIL, "arm": EVIL, "start": "home", "steps": []}
    scenario.write_text(json.dumps(body))
    titled = folder / "e.json"
    move = {"do": "move", "to": "home"}
    titled.write_text(json.dumps(body | {"arm": "ur5e", "steps": [move, {"do": "wait", "seconds": 0.01}]}))
    arm = ["--robot", "kuka-kr6-r700"]
    return {
        "canon": ["canon", str(gcode)],
        "canon wrong": ["canon", str(wrong)],
        "canon rs274": ["canon", "--rs274", str(gcode)],
        "check text": ["check", str(wrong)],
        "check": ["check", str(gcode), *arm],
        "check krl": ["check", str(krl), *arm],
        "check json": ["check", str(wrong), "--json"],
        "run": ["run", str(gcode), *arm, "--fast"],
        "run krl": ["run", str(krl), *arm, "--fast"],
        "run json": ["run", str(gcode), *arm, "--fast", "--json"],
        "simulate wrong": ["simulate", str(scenario)],
        "simulate": ["simulate", str(titled), "--structure", "hierarchy"],
        "translate": ["translate", str(krl), "--to", "gcode", *arm],
        "name": ["check", f"{EVIL}.ngc"],
        "command": [EVIL],
    }


@pytest.mark.parametrize("case", CASES)
def test_no_text_of_a_file_controls_the_terminal(case: str, tmp_path: Path, capsys: Captured) -> None:
    run(hostile(tmp_path)[case])
    shown = capsys.readouterr()
    assert shown.out + shown.err
    assert RAW.findall(shown.out + shown.err) == []
    if "json" in case:
        json.loads(shown.out)


def test_what_would_control_a_terminal_is_shown_as_what_it_is() -> None:
    assert visible("a\x1b[2Jb\x9bc\u202ed\te") == "a\\x1b[2Jb\\x9bc\\u202ed\te"


def long_program(folder: Path) -> Path:
    """Write a program whose check takes long."""
    path = folder / "long.ngc"
    lines = "\n".join(f"G1 X{i % 50} Y{i % 37} F{600 + i % 100}" for i in range(300_000))
    path.write_text(f"G21 G90\n{lines}\nM2\n")
    return path


def started(arguments: list[str], stderr: int) -> subprocess.Popen[bytes]:
    """Start the command line in a process of its own, where Ctrl-C is heard even if a background shell ignores it."""
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from armlab.cli.main import main; main(sys.argv[1:])"
    )
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, env={**os.environ, "TERM": "xterm"})


def drained(master: int) -> bytes:
    """Return what is still to be read where nobody writes any more."""
    rest = b""
    try:
        while chunk := os.read(master, 4096):
            rest += chunk
    except OSError:  # the other side is closed
        pass
    os.close(master)
    return rest


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_a_long_check_shows_its_progress_on_a_terminal_and_ends_on_ctrl_c(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    master, slave = pty.openpty()
    process = started(["check", str(long_program(tmp_path)), "--robot", "kuka-kr6-r700", "-o", str(page)], slave)
    os.close(slave)
    seen = b""
    while b"long.ngc:" not in seen:
        seen += os.read(master, 4096)
    process.send_signal(signal.SIGINT)
    out, _err = process.communicate(timeout=60.0)
    rest = drained(master)
    assert process.returncode == 130
    assert out == b""
    assert b"0:00:" in seen
    assert rest.count(b"armlab: interrupted") == 1
    assert b"Traceback" not in rest
    assert [path.name for path in tmp_path.iterdir()] == ["long.ngc"]


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
@pytest.mark.parametrize("command", [["check", "drawing"], ["run", "drawing", "--fast"]])
def test_with_json_nothing_is_shown_on_the_terminal(command: list[str]) -> None:
    master, slave = pty.openpty()
    process = started([*command, "--robot", "kuka-kr6-r700", "--json"], slave)
    os.close(slave)
    out, _err = process.communicate(timeout=120.0)
    assert drained(master) == b""
    assert json.loads(out)["motions"] > 0


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT")
def test_ctrl_c_in_a_run_that_is_recorded_leaves_one_line_and_no_file(tmp_path: Path) -> None:
    program = tmp_path / "endless.src"
    program.write_text("DEF endless()\nLOOP\nPTP {A1 10}\nPTP {A1 -10}\nENDLOOP\nEND\n")
    record = tmp_path / "out.mcap"
    process = started(
        ["run", str(program), "--robot", "kuka-kr6-r700", "--fast", "--record", str(record)], subprocess.PIPE
    )
    while not list(tmp_path.glob(".out.*")) and process.poll() is None:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60.0)
    assert process.returncode == 130
    assert out == b""
    assert err.decode().split() == ["armlab:", "interrupted"]
    assert [path.name for path in tmp_path.iterdir()] == ["endless.src"]
