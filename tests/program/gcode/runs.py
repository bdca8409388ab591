"""Programs as text, and what they become."""

from __future__ import annotations

from armlab.program.gcode.canon import Arc, Canonical, Feed, Motion, Spline, StraightProbe, Text, Traverse
from armlab.program.gcode.interpreter import Interpreter, Options
from armlab.program.gcode.source import Source


def interpreted(text: str, **options: object) -> Interpreter:
    """Return an interpreter of a program."""
    return Interpreter(Source("test.ngc", text.encode()), Options(**options))  # type: ignore[arg-type]


def run(text: str, **options: object) -> list[Canonical]:
    """Return everything that a program becomes; it must have no findings."""
    interpreter = interpreted(text, **options)
    out = list(interpreter)
    assert [str(finding.message) for finding in interpreter.findings] == []
    return out


def motions(text: str, **options: object) -> list[Motion]:
    """Return the motions of a program."""
    return [item for item in run(text, **options) if isinstance(item, Traverse | Feed | Arc | Spline | StraightProbe)]


def texts(text: str) -> list[str]:
    """Return what a program says."""
    return [item.text for item in run(text) if isinstance(item, Text)]


def codes(text: str, **options: object) -> list[tuple[str, int, int]]:
    """Return code, line and column of each finding."""
    interpreter = interpreted(text, **options)
    list(interpreter)
    return [(f.code.removeprefix("gcode_"), int(f.where["line"]), int(f.where["column"])) for f in interpreter.findings]
