"""Canonical motions become instructions for an arm: metres, radians and world coordinates."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.program.gcode.canon import Setting, Text
from armlab.program.gcode.interpreter import Interpreter
from armlab.program.gcode.translator import CanonTranslator
from armlab.program.instructions import Instructions, Mark, Report, Stop
from armlab.program.place import Placement
from armlab.program.span import Span


@dataclass(frozen=True, slots=True)
class LineRange:
    """Which lines of the main program are run; lines before them are only read."""

    first: int = 1
    last: int | None = None


def instructions_of(
    interpreter: Interpreter,
    placement: Placement,
    *,
    T_flange_tool: Floats | None = None,
    lines: LineRange | None = None,
    stops_at_errors: bool = True,
    with_marks: bool = False,
) -> Instructions:
    """Yield the instructions of a program; what inputs and probes give is sent back.

    The arm first moves its joints to where the program begins. `T_flange_tool` is the arm's own tool, to which the
    lengths of G43 are added. With `stops_at_errors` the first mistake ends the program; without, all are reported.
    `with_marks` also yields a `Mark` for lines that move the arm.
    """
    translator = CanonTranslator(interpreter, placement, np.eye(4) if T_flange_tool is None else T_flange_tool)
    lines = lines or LineRange()
    return translated_lines(interpreter, translator, lines, stops_at_errors=stops_at_errors, with_marks=with_marks)


def translated_lines(
    interpreter: Interpreter,
    translator: CanonTranslator,
    lines: LineRange,
    *,
    stops_at_errors: bool,
    with_marks: bool = False,
) -> Instructions:
    """Yield the instructions of the lines that an interpreter has not run through yet."""
    run, control = interpreter.run, interpreter.control
    interpreter.parameters.watch()
    changes: tuple[tuple[str, float | None], ...] = ()
    reported, depth, last = 0, 0, math.inf if lines.last is None else lines.last
    stack: list[tuple[str, int]] = []
    here = Span(interpreter.file, 1)
    while interpreter.advance():
        top = stack[0][1] if stack else run.line  # where the call stands whose line this is
        if top > last:
            break
        out, run.out = run.out, []
        span = Span(interpreter.file, run.line, run.column, run.end)
        if len(interpreter.findings) > reported:
            for finding in interpreter.findings[reported:]:
                yield Report(finding, span)
                if stops_at_errors and finding.severity == "error":
                    yield Stop(span)
                    return
            reported = len(interpreter.findings)
        translator.skips = top < lines.first
        is_plain = not (stack or changes or with_marks) and len(out) == 1
        if is_plain and (move := translator.plain_line(out[0], span)) is not None:
            yield move
            continue
        changes += interpreter.parameters.taken_changes()
        is_marked = (
            with_marks or len(stack) != depth or changes or all(isinstance(item, Setting | Text) for item in out)
        )
        if is_marked and run.end > 1 and not translator.skips:
            yield Mark(span, stack[-1][0] if stack else "", len(stack), changes)
            depth, changes = len(stack), ()
        for item in out:
            yield from translator.translated(item, span if item.line == run.line else Span(interpreter.file, item.line))
        stack = control.stack if control.depth else []
        here = span if run.end else here
    changes += interpreter.parameters.taken_changes()
    if changes:
        yield Mark(here, "", depth, changes)
