"""Scripts as instructions for the executor, and what is wrong with a text before it runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable

import numpy as np

from armlab.arrays import Floats
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.program.instructions import Instructions, Report, Stop
from armlab.program.python.commands import COMMAND_NAMES, MOVES, Commands
from armlab.program.python.interpreter import ScriptInterpreter
from armlab.program.python.reading import Script, finding_at, read_script
from armlab.program.python.script_values import CONSTANTS, FUNCTIONS


def instructions_of(
    text: str,
    robot: Robot,
    *,
    file: str = "script.py",
    start: Floats | None = None,
    passes: int | None = 1,
    with_marks: bool = False,
) -> Instructions:
    """Yield the instructions of a script that begins at joints `start` (n,), by default at home.

    What is wrong with the text is reported first, and ends the program before it begins. `while True:` without a way
    out is followed for `passes` passes that moved the arm; None: for ever.
    """
    script = checked_script(text, file)
    commands = Commands(robot, np.array(robot.home if start is None else start))
    return script_instructions(script, ScriptInterpreter(commands, with_marks=with_marks, passes=passes))


def script_instructions(script: Script, interpreter: ScriptInterpreter) -> Instructions:
    """Yield what is wrong with a script, or else its instructions."""
    for finding in script.findings:
        yield Report(finding)
    if script.findings:
        yield Stop()
        return
    yield from interpreter.run(script.tree, script.file, script.first)


def checked_script(text: str, file: str, first: int = 1, *, known: Iterable[str] = ()) -> Script:
    """Return a script with its findings: what the language does not have, and names that nothing has.

    `known` are names from before: variables and functions of a console.
    """
    script = read_script(text, file, first)
    if script.findings:
        return script
    names = {*known, *CONSTANTS, *_assigned(script.tree)}
    functions = {*known, *COMMAND_NAMES, *FUNCTIONS, *_defined(script.tree)}
    found: list[Finding] = []
    called = {id(node.func) for node in ast.walk(script.tree) if isinstance(node, ast.Call)}
    for node in ast.walk(script.tree):
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            continue
        if id(node) in called and node.id not in functions:
            message = Message("script_unknown_function", _("no function is named '{name}'"), name=node.id)
            found.append(finding_at(message, script.span(node)))
        elif id(node) not in called and node.id not in names:
            message = Message("script_unknown_name", _("nothing is named '{name}'"), name=node.id)
            found.append(finding_at(message, script.span(node)))
    found.sort(key=lambda finding: (int(finding.where["line"]), int(finding.where["column"])))
    return Script(file, script.tree, tuple(found), first)


def _assigned(tree: ast.AST) -> set[str]:
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return stored | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}


def _defined(tree: ast.AST) -> set[str]:
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def statement_lines(script: Script) -> set[int]:
    """Return the lines at which statements begin."""
    return {script.span(node).line for node in ast.walk(script.tree) if isinstance(node, ast.stmt)}


def motions_in(script: Script) -> int:
    """Return how many motions stand in the text."""
    calls = [node.func for node in ast.walk(script.tree) if isinstance(node, ast.Call)]
    return sum(isinstance(function, ast.Name) and function.id in MOVES for function in calls)
