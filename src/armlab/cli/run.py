"""`armlab run`: run a program on a simulated arm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import AsJson, TcpOption, check_range
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
from armlab.cli.real import RealOption, simulate_of
from armlab.cli.run_on import OnOption, OverrideOption, refuse_with_on, run_on
from armlab.cli.simulate import TIMESTEPS, StructureName
from armlab.cli.text import console, number, print_json, say
from armlab.messages import _, term, tr

if TYPE_CHECKING:
    from armlab.program.executor.state import ExecutorState
    from armlab.program.prepare import PreparedProgram
    from armlab.program.run import ProgramRun
    from armlab.reports.program import ProgramRunReport

FOUND_ERRORS = 1
StructureOption = Annotated[
    StructureName, typer.Option("--structure", help=_("Transforms only, tied bodies, or joint coordinates."))
]
FastOption = Annotated[
    bool, typer.Option("--fast", help=_("Without physics: the arm is where its drives should put it."))
]
RecordOption = Annotated[
    Path | None, typer.Option("--record", metavar="FILE", help=_("Keep what happened: .mcap, .csv, .parquet."))
]


def run(
    program: ProgramName,
    robot: RobotOption = None,
    scene: SceneOption = None,
    tool: ToolOption = None,
    tcp: TcpOption = "",
    place: PlaceOption = None,
    tool_axis: ToolAxisOption = None,
    first: FromOption = 1,
    last: ToOption = None,
    structure: StructureOption = StructureName.articulation,
    fast: FastOption = False,
    timestep: Annotated[float, typer.Option("--timestep", metavar="MS", help=_("Of the simulation, ms."))] = 1.0,
    record: RecordOption = None,
    inputs: InputsOption = None,
    language: LanguageOption = None,
    dialect: DialectOption = "linuxcnc",
    tool_table: ToolTableOption = None,
    parameters: ParametersOption = None,
    machine_unit: MachineUnitOption = MachineUnit.mm,
    block_delete: BlockDeleteOption = False,
    steps: StepsOption = None,
    depth: DepthOption = None,
    limit: TimeLimitOption = None,
    real: RealOption = None,
    on: OnOption = None,
    override: OverrideOption = 10.0,
    as_json: AsJson = False,
) -> None:
    """Run `armlab run`."""
    from armlab.files import checked_suffix
    from armlab.program.prepare import prepare
    from armlab.program.record import KINDS
    from armlab.reports.program import program_run_report

    check_range("--timestep", timestep, *TIMESTEPS, term(_("ms")))
    if record is not None:
        checked_suffix(record, KINDS)
    source = source_of_name(program, language)
    gcode = gcode_options(
        dialect, tool_table, parameters, block_delete=block_delete, steps=steps, depth=depth, machine_unit=machine_unit
    )
    options = run_options(gcode, first, last, stops_at_errors=True)
    if on is not None:
        refuse_with_on({"--record": record, "--input": inputs, "--real": real})
        asked, lies = (robot, scene, tool, tcp), (place, tool_axis)
        raise typer.Exit(run_on(on, override, source, asked, lies, options, as_json=as_json))
    kind = "hierarchy" if fast else structure.value
    with program_progress(as_json=as_json) as progress:
        prepared = prepare(source, cell_from(robot, scene, tool, tcp), part_place(place, tool_axis), options)
        done = _run(prepared, kind, timestep * 1e-3, record, inputs, time_limit(limit), real, progress)
    report = program_run_report(program, source.language, prepared.cell.robot, done, prepared.findings)
    if as_json:
        print_json(report)
    else:
        for finding in (*prepared.findings, *done.findings):
            say(finding_line(finding))
        _print(report, record)
    if any(finding.severity == "error" for finding in report.findings):
        raise typer.Exit(FOUND_ERRORS)


def _run(
    prepared: PreparedProgram,
    structure: str,
    timestep: float,
    record: Path | None,
    inputs: Path | None,
    seconds: float,
    real: Path | None,
    progress: Callable[[ExecutorState], object],
) -> ProgramRun:
    from contextlib import nullcontext

    from armlab.program.record import RunRecorder
    from armlab.program.run import run_program
    from armlab.program.signals import read_signals

    cell = prepared.cell
    signals = None if inputs is None else read_signals(inputs)
    recorder = None if record is None else RunRecorder(record, cell.robot, prepared.source.name, structure, timestep)
    with recorder if recorder is not None else nullcontext():
        return run_program(
            cell.scene,
            prepared.instructions,
            robot=cell.arm.name,
            start=prepared.start,
            structure=structure,  # type: ignore[arg-type]  # one of the three names
            timestep=timestep,
            signals=signals,
            seconds=seconds,
            simulate=simulate_of(real, cell.arm),
            progress=progress,
            on_piece=recorder.write if recorder is not None else lambda _piece, _run, _simulation: None,
        )


def _print(report: ProgramRunReport, record: Path | None) -> None:
    out = console()
    for text in report.messages:
        out.print(tr("message: {text}", text=text), soft_wrap=True)
    for name, value in report.outputs.items():
        shown = value if isinstance(value, bool) else number(value, 4)
        out.print(tr("output {name}: {value}", name=name, value=str(shown)))
    (x, y, z), (a, b, c) = ([number(value, 1) for value in values] for values in (report.end.xyz, report.end.abc))
    out.print(tr("tool at the end: X {x}  Y {y}  Z {z} mm  A {a}  B {b}  C {c} °", x=x, y=y, z=z, a=a, b=b, c=c))
    took = seconds_text(report.duration)
    out.print(tr("motions: {count}; duration: {time}", count=report.motions, time=took))
    if record is not None:
        out.print(tr("{file}: written", file=str(record)), soft_wrap=True)
