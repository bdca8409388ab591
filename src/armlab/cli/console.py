"""`armlab console`: statements one by one, against a simulated arm."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import AsJson, RobotName, TcpOption, Units, start_values
from armlab.cli.programs import SceneOption, ToolOption, finding_line, seconds_text
from armlab.cli.simulate import StructureName
from armlab.cli.text import number, print_json_text, say
from armlab.messages import _, reader, tr

if TYPE_CHECKING:
    from armlab.arrays import Floats
    from armlab.program.console import ConsoleResult, ConsoleSession
    from armlab.program.console.plant import ConsolePlant
    from armlab.program.languages import ProgramSource
    from armlab.program.prepare import Cell
    from armlab.reports.console import ConsoleReport

PROMPTS = {"done": "> ", "more": "… ", "stopped": "* "}
LONGEST_LINE = 100_000
KEPT_LINES = 1000
"""Lines of the history."""
FOUND_ERRORS = 1


def console(
    robot: RobotName,
    language: Annotated[
        str, typer.Option("--language", metavar="NAME", help=_("What is spoken: krl, gcode or python."))
    ] = "krl",
    scene: SceneOption = None,
    structure: Annotated[
        StructureName | None,
        typer.Option("--structure", help=_("Move through a simulation: hierarchy, joints or articulation.")),
    ] = None,
    tool: ToolOption = None,
    tcp: TcpOption = "",
    start: Annotated[
        str,
        typer.Option("--start", metavar="Q1,Q2,…", help=_("Joint values at the beginning (° and mm); left out: home.")),
    ] = "",
    inputs: Annotated[
        Path | None, typer.Option("--input", metavar="FILE", help=_("A script of inputs over time: .toml."))
    ] = None,
    statements: Annotated[
        list[str] | None,
        typer.Option("--execute", "-e", metavar="LINE", help=_("Execute this line, and leave; repeat it for more.")),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run `armlab console`."""
    from armlab.cli.programs import cell_from
    from armlab.program.console import console_session
    from armlab.program.signals import read_signals

    cell = cell_from(robot, scene, tool, tcp)
    assert cell is not None
    begin = start_values(cell.robot, start, Units.deg)
    q = cell.arm.q if begin is None else begin
    session = console_session(
        cell.robot,
        language,
        start=q,
        plant=None if scene is None and structure is None else _plant(cell, q, structure or StructureName.articulation),
        signals=None if inputs is None else read_signals(inputs),
        open_program=lambda name: _source(name, language),
    )
    if statements:
        _execute(session, statements, as_json=as_json)
    elif sys.stdin.isatty() and not as_json:
        _talk(session, language)
    else:
        _execute(session, _lines(), as_json=as_json)


def _plant(cell: Cell, q: Floats, structure: StructureName) -> ConsolePlant:
    """Return a simulation of a cell whose arm stands at `q` (n,)."""
    from armlab.program.simulated import SimulatedArm

    robots = tuple(replace(one, q=q) if one is cell.arm else one for one in cell.scene.robots)
    return SimulatedArm(replace(cell.scene, robots=robots), cell.arm.name, structure.value)


def _source(name: str, language: str) -> ProgramSource:
    """Return the program of this name: a file, whose ending may be any, or one that comes with armlab."""
    from armlab.program.languages import program_source

    return program_source(name, language if Path(name).is_file() else None)


def _execute(session: ConsoleSession, lines: Iterable[str], *, as_json: bool) -> None:
    """Carry out lines, of standard input or of options."""
    failed = False
    for line in lines:
        result = session.enter(line)
        failed |= _told(session, result, as_json=as_json)
        if result.outcome == "quit":
            break
    else:
        last = session.finish()
        failed |= last is not None and _told(session, last, as_json=as_json)
    if failed:
        raise typer.Exit(FOUND_ERRORS)


def _lines() -> Iterator[str]:
    """Yield the lines of standard input; one without an end is cut, and then refused."""
    while data := sys.stdin.buffer.readline(LONGEST_LINE):
        yield data.decode("utf-8", "replace")


def _talk(session: ConsoleSession, language: str) -> None:
    """Ask a person for lines until they leave."""
    say(tr("{robot}, {language}: help lists the words, quit leaves", robot=session.robot.name, language=language))
    with _line_editor(session):
        while True:
            prompt = PROMPTS["more" if session.is_block_open else "stopped" if session.is_stopped else "done"]
            try:
                result = session.enter(input(prompt))
            except EOFError:
                say()
                return
            except KeyboardInterrupt:
                say()
                session.cancel()
                continue
            if result.outcome == "quit":
                return
            _told(session, result, as_json=False)


@contextmanager
def _line_editor(session: ConsoleSession) -> Iterator[None]:
    """Let `input` edit lines, with history and completion, where the system has readline."""
    try:
        import readline
    except ImportError:  # Windows has none; its terminal keeps lines itself
        yield
        return
    readline.set_history_length(KEPT_LINES)
    readline.set_completer_delims(" \t\n=()[]{},:+-*/<>")
    found: list[str] = []

    def complete(text: str, state: int) -> str | None:
        if state == 0:
            found[:] = session.complete(text) if text else []
        return found[state] if state < len(found) else None

    before = readline.get_completer()
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        readline.set_completer(before)


def _told(session: ConsoleSession, result: ConsoleResult, *, as_json: bool) -> bool:
    """Write what a line did; return whether it failed."""
    from armlab.reports.console import console_report

    if result.outcome == "more" or (not result.text.strip() and not result.findings):
        return False
    report = console_report(session.robot, result)
    if as_json:
        print_json_text(report.model_dump_json(exclude_none=True))
    else:
        _print(report, result)
    return result.outcome == "failed" or any(finding.severity == "error" for finding in result.findings)


def _print(report: ConsoleReport, result: ConsoleResult) -> None:
    language = reader.get()
    for finding in result.findings:
        say(finding_line(finding))
    for one in result.help:
        say(f"  {one.word:<12} {one.help.render(language)}")
    for text in result.messages:
        say(tr("message: {text}", text=text))
    for value in result.values:
        say(f"{value.type + ' ' if value.type else ''}{value.name} = {value.text}")
    for note in result.notes:
        say(note.render(language))
    if report.stopped_at is not None:
        _print_place(report)
    if result.pieces or result.text.strip().lower() == "where":
        _print_arm(report)


def _print_place(report: ConsoleReport) -> None:
    at, ahead = report.stopped_at, report.read_to
    assert at is not None
    say(tr("stopped at {file}:{line}", file=at.file, line=at.line))
    if ahead is not None:
        say(tr("read ahead to {file}:{line}", file=ahead.file, line=ahead.line))
    if len(report.stack) > 1:
        say(tr("calls: {stack}", stack=" → ".join(report.stack)))


def _print_arm(report: ConsoleReport) -> None:
    (x, y, z), (a, b, c) = ([number(value, 1) for value in values] for values in (report.end.xyz, report.end.abc))
    joints = "  ".join(number(value, 2) for value in report.end.q)
    took = seconds_text(report.seconds)
    say(tr("{time}  joints {joints}  X {x}  Y {y}  Z {z} mm  A {a}  B {b}  C {c} °",
                  time=took, joints=joints, x=x, y=y, z=z, a=a, b=b, c=c))  # fmt: skip
