"""KRL programs as instructions for the executor."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import as_floats
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.program.instructions import Instructions, Report, Stop
from armlab.program.krl.interpreter import KrlInterpreter
from armlab.program.krl.library import Library, open_library
from armlab.program.krl.program import KrlProgram
from armlab.program.span import Span

PASSES = 1
"""How often an endless loop is followed where nobody says otherwise."""


def instructions_of(
    source: Path | Library,
    robot: Robot,
    *,
    start: ArrayLike | None = None,
    main: str = "",
    passes: int | None = PASSES,
    with_marks: bool = False,
) -> Instructions:
    """Yield the instructions of a KRL program: a .src file, a folder or a zip; `main` is its first module.

    The program begins at the joint values `start` (n,), by default at home. A loop without an exit is left after
    `passes` passes that moved the arm; None: never. `with_marks` also yields a `Mark` before each statement.

    What is wrong with the text is reported first; an error in it ends the program before it begins.

    Raises:
        InvalidInput: if the files cannot be read.
    """
    library = source if isinstance(source, Library) else open_library(source, main)
    begin = robot.home if start is None else as_floats(start, (robot.dof,), "start")
    program = KrlProgram(library, robot, np.array(begin))
    program.controller.passes = passes
    return _instructions(program, with_marks=with_marks)


def _instructions(program: KrlProgram, *, with_marks: bool) -> Instructions:
    code = program.main()
    for finding in program.findings.items:
        yield Report(finding, _span(finding))
    if code is None or any(finding.severity == "error" for finding in program.findings.items):
        yield Stop()
        return
    yield from KrlInterpreter(program.controller, with_marks=with_marks).run(code)


def _span(finding: Finding) -> Span:
    where = finding.where
    return Span(str(where["file"]), int(where["line"]), int(where["column"]))


@dataclass(frozen=True, slots=True)
class TextCheck:
    """Everything that is wrong with the modules of a program, and how many motions stand in them."""

    findings: tuple[Finding, ...]
    motions: int


def check_text(source: Path | Library, robot: Robot) -> TextCheck:
    """Return what is wrong with a program before it runs: with its file and what that calls, or with all modules.

    Raises:
        InvalidInput: if the files cannot be read.
    """
    library = source if isinstance(source, Library) else open_library(source, needs_main=False)
    program = KrlProgram(library, robot, np.array(robot.home))
    program.check_modules([library.main] if library.main else library.user_modules)
    motions = sum(routine.motions for module in program.loaded for routine in module.routines.values())
    return TextCheck(tuple(program.findings.items), motions)
