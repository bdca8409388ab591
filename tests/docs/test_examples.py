"""Every code block of README and docs runs: Python as it is, command lines through the real command."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from docs.examples import PAGES, blocks, command_blocks

from armlab.catalog import load, load_tool
from armlab.cli.main import run
from armlab.figures import animation

PYTHON = {page: blocks("python", [page]) for page in PAGES}


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page, found in PYTHON.items() if found])
def test_python_examples_of_a_page_run_one_after_the_other(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for where, code in PYTHON[page]:
        exec(compile(code, where, "exec"), {"__name__": "example"})


@pytest.mark.parametrize("lines", [pytest.param(lines, id=where) for where, lines in command_blocks()])
def test_command_examples_run_one_after_the_other(
    lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        animation, "MOVE_FRAMES", 4
    )  # a film of few pictures is a film; the Python examples take whole ones
    for line in lines:
        assert run(shlex.split(line)[1:]) == 0, line
        assert capsys.readouterr().out, line


def test_the_robot_file_of_the_docs_loads(tmp_path: Path) -> None:
    example, loop, pairs, tool, gripper = [code for where, code in blocks("toml") if where.startswith("robot-files")]
    for name, text in (
        ("demo3.toml", example),
        ("pairs.toml", example + pairs),
        ("loop.toml", example + loop),
        ("my-tool.toml", tool),
        ("grip.toml", gripper),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    robot = load(tmp_path / "demo3.toml", tool=tmp_path / "my-tool.toml")
    assert robot.dof == 3
    assert robot.tool.kind == "pen"
    assert robot.loops is None
    assert load(tmp_path / "loop.toml").loops is not None
    assert [rule.is_compared for rule in load(tmp_path / "pairs.toml").pair_rules] == [False, True]
    jaws = load_tool(tmp_path / "grip.toml").jaws
    assert jaws is not None
    assert (len(jaws.fingers), jaws.force) == (2, 40.0)


def test_every_block_names_a_language_that_is_tested() -> None:
    fences = [
        line for page in PAGES for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("```")
    ]
    assert {fence for fence in fences if fence != "```"} <= {"```python", "```sh", "```toml", "```text", "```csv"}
