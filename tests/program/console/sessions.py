"""Sessions of the console for tests, and what their lines did."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import armlab
from armlab.model.robot import Robot
from armlab.program.console import ConsoleResult, ConsoleSession, console_session
from armlab.program.languages import ProgramSource, program_source
from armlab.program.signals import Signals

ARM = "kuka-kr6-r700"


@cache
def arm() -> Robot:
    return armlab.load(ARM)


def source(name: str) -> ProgramSource:
    return program_source(name)


def session(language: str = "krl", signals: Signals | None = None) -> ConsoleSession:
    return console_session(arm(), language, signals=signals, open_program=source)


def entered(talk: ConsoleSession, text: str) -> list[ConsoleResult]:
    """Return what the lines of a text did, without those that only opened or continued a block."""
    results = [talk.enter(line) for line in text.splitlines()]
    return [one for one in results if one.outcome != "more"]


def codes(results: list[ConsoleResult]) -> list[str]:
    return [finding.code for one in results for finding in one.findings]


def value(talk: ConsoleSession, expression: str) -> object:
    (found,) = talk.enter(f"? {expression}").values
    return found.plain


def written(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text)
    return str(path)
