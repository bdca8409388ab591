"""`armlab canon`: what a G-code program tells a machine, one canonical motion or command per line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import AsJson
from armlab.cli.programs import (
    BlockDeleteOption,
    DepthOption,
    DialectOption,
    MachineUnit,
    MachineUnitOption,
    ParametersOption,
    StepsOption,
    ToolTableOption,
    finding_line,
    gcode_options,
    source_of_name,
)
from armlab.cli.text import in_one_line, say
from armlab.messages import _

if TYPE_CHECKING:
    from armlab.program.gcode.canon import Canonical
    from armlab.program.gcode.interpreter import Interpreter, Options

FOUND_ERRORS = 1
UNENDED = "gcode_end_missing"
"""A warning of ours, but an error of `rs274`."""


def canon(
    program: Annotated[
        str, typer.Argument(metavar="FILE", help=_("A G-code file, `drawing` (shipped), or - for standard input."))
    ],
    tool_table: ToolTableOption = None,
    parameters: ParametersOption = None,
    machine_unit: MachineUnitOption = MachineUnit.mm,
    block_delete: BlockDeleteOption = False,
    dialect: DialectOption = "linuxcnc",
    steps: StepsOption = None,
    depth: DepthOption = None,
    as_rs274: Annotated[
        bool, typer.Option("--rs274", help=_("As LinuxCNC's stand-alone interpreter rs274 prints it."))
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run `armlab canon`."""
    options = gcode_options(
        dialect, tool_table, parameters, block_delete=block_delete, steps=steps, depth=depth, machine_unit=machine_unit
    )
    interpreter = _interpreter(program, options)
    for line in _lines(interpreter, as_json=as_json, as_rs274=as_rs274):
        sys.stdout.write(in_one_line(line) + "\n")
    for finding in interpreter.findings:
        say(finding_line(finding), err=True)
    if _has_failed(interpreter) or (as_rs274 and any(one.code == UNENDED for one in interpreter.findings)):
        raise typer.Exit(FOUND_ERRORS)


def _interpreter(program: str, options: Options) -> Interpreter:
    from armlab.program.gcode.interpreter import Interpreter

    return Interpreter(source_of_name(program, "gcode").gcode(), replace(options, is_whole=True))


def _lines(interpreter: Interpreter, *, as_json: bool, as_rs274: bool) -> Iterator[str]:
    from armlab.program.gcode.record import as_line, as_record
    from armlab.program.gcode.rs274 import rs274_lines, whole

    program = _until_error(interpreter) if as_rs274 else interpreter
    items = whole(interpreter.run.machine, program)
    if as_rs274 and not as_json:
        yield from rs274_lines(items, lambda: interpreter.control.line_text)
        return
    for item in items:
        yield json.dumps(as_record(item)) if as_json else as_line(item)


def _has_failed(interpreter: Interpreter) -> bool:
    return any(finding.severity == "error" for finding in interpreter.findings)


def _until_error(interpreter: Interpreter) -> Iterator[Canonical]:
    """Yield what a program tells before its first error, where `rs274` stops."""
    for item in interpreter:
        if _has_failed(interpreter):
            return
        yield item
