"""Every code block of README and docs runs: Python as it is, command lines through the real command."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from armlab.catalog import load
from armlab.cli.main import run
from armlab.figures import animation

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def _blocks(language: str) -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            if match[1] == language:
                found.append((f"{page.name}:{text[: match.start()].count(chr(10)) + 1}", match[2]))
    return found


def _commands() -> list[tuple[str, str]]:
    lines = [(where, line.strip()) for where, block in _blocks("sh") for line in block.splitlines()]
    return [(where, line.partition("#")[0].strip()) for where, line in lines if line.startswith("armlab ")]


@pytest.mark.parametrize("code", [pytest.param(code, id=where) for where, code in _blocks("python")])
def test_python_examples_run(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "example", "exec"), {"__name__": "example"})


@pytest.mark.parametrize("line", [pytest.param(line, id=f"{where} {line}") for where, line in _commands()])
def test_command_examples_run(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(animation, "LEG", 4)  # a film of few pictures is a film; the Python examples take whole ones
    assert run(shlex.split(line)[1:]) == 0
    assert capsys.readouterr().out


def test_the_robot_file_of_the_docs_loads(tmp_path: Path) -> None:
    example, tool = [code for where, code in _blocks("toml") if where.startswith("robot-files")]
    for name, text in (("demo3.toml", example), ("my-tool.toml", tool)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    robot = load(tmp_path / "demo3.toml", tool=tmp_path / "my-tool.toml")
    assert robot.dof == 3
    assert robot.tool.kind == "pen"


def test_every_block_names_a_language_that_is_tested() -> None:
    fences = [
        line for page in PAGES for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("```")
    ]
    assert {fence for fence in fences if fence != "```"} <= {"```python", "```sh", "```toml", "```text"}
