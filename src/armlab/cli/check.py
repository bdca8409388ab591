"""`armlab check`: everything that is wrong with a program, and how long it takes."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import AsJson, TcpOption
from armlab.cli.programs import (
    BlockDeleteOption,
    DepthOption,
    DialectOption,
    FromOption,
    InputsOption,
    LanguageOption,
    MachineUnit,
    MachineUnitOption,
    ParametersOption,
    PlaceOption,
    ProgramName,
    RobotOption,
    SceneOption,
    StepsOption,
    TimeLimitOption,
    ToolAxisOption,
    ToolOption,
    ToolTableOption,
    ToOption,
    cell_from,
    finding_line,
    gcode_options,
    part_place,
    program_progress,
    run_options,
    seconds_text,
    source_of_name,
    time_limit,
)
from armlab.cli.real import RealOption, print_real_path, with_real_path
from armlab.cli.text import console, number, print_json, say, table
from armlab.messages import _, tr

if TYPE_CHECKING:
    from armlab.model.finding import Finding
    from armlab.program.executor.state import ExecutorState
    from armlab.program.gcode.interpreter import Options
    from armlab.program.languages import ProgramSource
    from armlab.program.prepare import PreparedProgram
    from armlab.reports.program import ProgramCheckReport

FOUND_ERRORS = 1
LONGEST_LINES = 15
"""Lines of the program that are listed with their times."""


def check(
    program: ProgramName,
    robot: RobotOption = None,
    scene: SceneOption = None,
    tool: ToolOption = None,
    tcp: TcpOption = "",
    place: PlaceOption = None,
    tool_axis: ToolAxisOption = None,
    first: FromOption = 1,
    last: ToOption = None,
    language: LanguageOption = None,
    dialect: DialectOption = "linuxcnc",
    tool_table: ToolTableOption = None,
    parameters: ParametersOption = None,
    machine_unit: MachineUnitOption = MachineUnit.mm,
    block_delete: BlockDeleteOption = False,
    steps: StepsOption = None,
    depth: DepthOption = None,
    limit: TimeLimitOption = None,
    sarif: Annotated[
        Path | None, typer.Option("--sarif", metavar="FILE", help=_("Findings for editors and build servers: SARIF."))
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help=_("One page with path and lines: .html."))
    ] = None,
    inputs: InputsOption = None,
    real: RealOption = None,
    as_json: AsJson = False,
) -> None:
    """Run `armlab check`."""
    from armlab.files import checked_suffix
    from armlab.program.prepare import prepare

    for path, suffixes in ((sarif, (".sarif", ".json")), (output, (".html",))):
        if path is not None:
            checked_suffix(path, suffixes)
    source = source_of_name(program, language)
    gcode = gcode_options(
        dialect, tool_table, parameters, block_delete=block_delete, steps=steps, depth=depth, machine_unit=machine_unit
    )
    cell = cell_from(robot, scene, tool, tcp)
    with program_progress(as_json=as_json) as progress:
        if cell is None and source.language != "scenario":
            report, findings = _checked_text(source, gcode)
        else:
            place_of_part = part_place(place, tool_axis)
            options = run_options(gcode, first, last, stops_at_errors=False)
            prepared = prepare(source, cell, place_of_part, options)
            report, findings = _checked(prepared, output, inputs, time_limit(limit), progress)
            report = with_real_path(report, real, lambda: prepare(source, cell, place_of_part, options))
    _write(report, sarif)
    if as_json:
        print_json(report)
    else:
        _print(report, findings)
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(FOUND_ERRORS)


def _checked_text(source: ProgramSource, gcode: Options) -> tuple[ProgramCheckReport, list[Finding]]:
    """Look at the text alone: there is no arm."""
    from armlab.program.languages import check_language
    from armlab.reports.program import ProgramCheckReport, program_findings

    checked = check_language(source, gcode)
    found = program_findings(checked.findings)
    report = ProgramCheckReport(
        program=source.name, language=checked.language, robot=None, findings=found, motions=checked.motions
    )
    return report, list(checked.findings)


def _checked(
    prepared: PreparedProgram,
    output: Path | None,
    inputs: Path | None,
    seconds: float,
    progress: Callable[[ExecutorState], object],
) -> tuple[ProgramCheckReport, list[Finding]]:
    """Plan the program, and write its page where one is wanted."""
    from armlab.program.check import check_program
    from armlab.program.signals import read_signals
    from armlab.program.trace import PathTrace
    from armlab.reports.program import program_check_report

    gc.freeze()  # the modules stay: millions of short-lived instructions need not have them looked through
    trace = PathTrace()
    stream = prepared.instructions if output is None else trace.follow(prepared.instructions)
    arm = prepared.cell.arm
    signals = None if inputs is None else read_signals(inputs)
    scene, start = prepared.cell.scene, prepared.start
    done = check_program(
        arm.robot, stream, scene=scene, start=start, signals=signals, seconds=seconds, progress=progress
    )
    name, language = prepared.source.name, prepared.source.language
    report = program_check_report(name, language, arm.robot.name, done, prepared.findings)
    if output is not None:
        from armlab.documents.program_report import program_page
        from armlab.files import write_whole
        from armlab.program.prepare import program_text

        write_whole(output, program_page(report, program_text(prepared.source), trace).encode())
    return report, [*prepared.findings, *done.findings]


def _write(report: ProgramCheckReport, sarif: Path | None) -> None:
    if sarif is not None:
        from armlab.files import write_whole
        from armlab.reports.sarif import as_sarif

        log = as_sarif(report.findings, report.program)
        write_whole(sarif, (json.dumps(log, indent=2, ensure_ascii=False) + "\n").encode())


def _print(report: ProgramCheckReport, findings: list[Finding]) -> None:
    for finding in findings:
        say(finding_line(finding))
    if report.left_out:
        say(tr("findings that are not listed: {count}", count=report.left_out))
    if report.cycle_time is None:
        if not findings:
            say(tr("no mistakes found; motions: {count}", count=report.motions))
        return
    out = console()
    longest = sorted(report.lines, key=lambda line: -line.time)[:LONGEST_LINES]
    rows = [
        (f"{line.file}:{line.line}", str(line.count), number(line.time, 3))
        for line in sorted(longest, key=lambda line: (line.file, line.line))
    ]
    if rows:
        out.print(table(tr("Lines that take longest"), (tr("line"), tr("times"), tr("s")), rows))
    if report.box is not None:
        lower, upper = ([number(value, 1) for value in values] for values in (report.box.lower, report.box.upper))
        box = {f"{axis}{i}": values[k] for k, axis in enumerate("xyz") for i, values in ((0, lower), (1, upper))}
        out.print(tr("tool: X {x0} … {x1}, Y {y0} … {y1}, Z {z0} … {z1} mm", **box))
        out.print(tr("reach from the arm's foot: {reach} mm", reach=number(report.reach, 1)))
    print_real_path(out, report.real)
    out.print(
        tr("motions: {count}; cycle time: {time}", count=report.motions, time=seconds_text(report.cycle_time)),
        soft_wrap=True,
    )
