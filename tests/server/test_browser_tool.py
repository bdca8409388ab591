"""Finding a browser: the variable first, then the PATH; its absence is loud."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _load_tool() -> Any:
    spec = importlib.util.spec_from_file_location("browser_tool", ROOT / "tools" / "browser.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tool = _load_tool()

pytestmark = pytest.mark.skipif(os.name == "nt", reason="programs are marked by their mode here")


def _program(folder: Path, name: str) -> str:
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_the_variable_wins_over_the_path(tmp_path: Path) -> None:
    mine = _program(tmp_path, "mine")
    _program(tmp_path, "chromium")
    assert tool.find_chromium({"ARMLAB_CHROMIUM": mine, "PATH": str(tmp_path)}) == mine


def test_any_of_the_known_names_on_the_path_will_do(tmp_path: Path) -> None:
    chrome = _program(tmp_path, "google-chrome")
    assert tool.find_chromium({"PATH": str(tmp_path)}) == chrome


@pytest.mark.parametrize(("ci", "code"), [("", 0), ("false", 0), ("true", 1)])
def test_without_a_browser_one_loud_line_is_said_and_only_ci_fails(
    ci: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(tool, "find_chromium", lambda: None)
    monkeypatch.setattr(tool, "install_chromium", lambda: None)
    assert tool.main() == code
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("NO BROWSER: ")
    assert said.err.count("\n") == 1


def test_the_path_of_the_browser_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tool, "find_chromium", lambda: "/some/chromium")
    assert tool.main() == 0
    assert capsys.readouterr().out == "/some/chromium\n"


def test_a_program_that_is_not_there_is_no_success() -> None:
    assert tool.run("no-such-program-anywhere") is False
