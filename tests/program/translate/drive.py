"""Programs that tests translate: prepared with marks, for an arm, with inputs that end their waits."""

from __future__ import annotations

from pathlib import Path

from armlab.program.gcode.shipped import program_names
from armlab.program.languages import program_source
from armlab.program.prepare import PartPlace, PreparedProgram, RunOptions, cell_of, prepare
from armlab.program.scenario import SCENARIOS
from armlab.program.signals import InputChange, Signals

SCENARIO_FILES = sorted(str(path) for path in SCENARIOS.glob("*.json"))
SHIPPED = [*program_names(".ngc"), *program_names(".src"), *program_names(".py"), *SCENARIO_FILES]


def prepared(program: str, robot: str = "kuka-kr6-r700") -> PreparedProgram:
    """Return a program that comes with armlab, or a file, ready for a translation."""
    source = program_source(program)
    cell = None if source.language == "scenario" else cell_of(robot, None)
    return prepare(source, cell, PartPlace(), RunOptions(stops_at_errors=False, with_marks=True))


def inputs() -> Signals:
    """Return inputs: a part is there, and the search of `touch` finds something."""
    return Signals.scripted([InputChange(0.0, "1", True), InputChange(6.5, "3", True)])


def file_of(folder: Path, name: str, text: str) -> str:
    """Write a program, and return its path."""
    path = folder / name
    path.write_text(text)
    return str(path)
