"""`armlab sense`: what inertial sensors on an arm read while a scenario or a program runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import AsJson, check_range, number_of
from armlab.cli.programs import (
    DialectOption,
    LanguageOption,
    PlaceOption,
    ProgramName,
    RobotOption,
    SceneOption,
    ToolAxisOption,
    ToolOption,
    cell_from,
    finding_line,
    gcode_options,
    part_place,
    program_progress,
    run_options,
    source_of_name,
)
from armlab.cli.run import FOUND_ERRORS
from armlab.cli.text import console, fixed, heading, number, print_json, say, table
from armlab.errors import InvalidInput
from armlab.messages import _, term, tr

if TYPE_CHECKING:
    from armlab.model.finding import Finding
    from armlab.program.instructions import Instruction
    from armlab.program.prepare import PreparedProgram
    from armlab.program.run import ProgramRun
    from armlab.reports.sensing import SenseReport
    from armlab.sensing.kinds import Imu

RATES = (0.1, 10_000.0)
"""Hz"""
TIMESTEPS = (0.01, 20.0)
"""ms"""
RESTS = (0.0, 600.0)
"""s"""


OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help=_("What the sensors read: .csv, .mcap or .parquet, one file per sensor."),
    ),
]
RestOption = Annotated[
    float,
    typer.Option("--rest", metavar="S", help=_("Stand still this long before a program that does not begin so, s.")),
]


def sense(
    program: ProgramName,
    imus: Annotated[
        list[str],
        typer.Option(
            "--imu",
            metavar="LINK[@X,Y,Z[,A,B,C]][:PRESET]",
            help=_("Where a sensor sits (mm and degrees on the link) and which one; as often as needed."),
        ),
    ],
    output: OutputOption = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help=_("A figure of the first sensor: .png …"))
    ] = None,
    rate: Annotated[float, typer.Option("--rate", metavar="HZ", help=_("Samples per second, Hz."))] = 100.0,
    timestep: Annotated[float, typer.Option("--timestep", metavar="MS", help=_("Of the simulation, ms."))] = 1.0,
    rest: RestOption = 2.0,
    seed: Annotated[int, typer.Option("--seed", min=0, help=_("Of the noise."))] = 0,
    robot: RobotOption = None,
    scene: SceneOption = None,
    tool: ToolOption = None,
    place: PlaceOption = None,
    tool_axis: ToolAxisOption = None,
    language: LanguageOption = None,
    dialect: DialectOption = "linuxcnc",
    as_json: AsJson = False,
) -> None:
    """Run `armlab sense`."""
    from armlab.figures.style import check_figure_path
    from armlab.program.prepare import prepare
    from armlab.sensing.files import WRITTEN

    check_range("--rate", rate, *RATES, term(_("Hz")))
    check_range("--rest", rest, *RESTS, term(_("s")))
    check_range("--timestep", timestep, *TIMESTEPS, term(_("ms")))
    target = None if output is None else check_figure_path(output, WRITTEN)
    figure = None if plot is None else check_figure_path(plot)
    source = source_of_name(program, language)
    gcode = gcode_options(dialect, None, None, block_delete=False)
    options = run_options(gcode, 1, None, stops_at_errors=True)
    prepared = prepare(source, cell_from(robot, scene, tool), part_place(place, tool_axis), options)
    sensors = _imus(imus, rate, seed, prepared.cell.arm.name)
    done = _run(prepared, sensors, timestep * 1e-3, rest, as_json=as_json)
    files = _write(sensors, target, figure)
    findings = (*prepared.findings, *done.findings)
    report = _report(program, sensors, done.duration, files, findings)
    if as_json:
        print_json(report)
    else:
        for finding in findings:
            say(finding_line(finding))
        _print(report)
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(FOUND_ERRORS)


def _imus(texts: list[str], rate: float, seed: int, arm: str) -> list[Imu]:
    """Return the sensors that were asked for as LINK[@PLACE][:PRESET], on links of `arm` or on bodies."""
    from armlab.geometry import pose
    from armlab.sensing.kinds import Imu
    from armlab.sensing.mount import Mount
    from armlab.sensing.presets import preset

    sensors: list[Imu] = []
    for i, text in enumerate(texts):
        where, _colon, model = text.partition(":")
        link, at, place = where.partition("@")
        values = [number_of(part, "--imu") for part in place.split(",")] if at else [0.0] * 3
        if len(values) not in {3, 6}:
            raise InvalidInput("imu_place", _("--imu: '{text}' needs X,Y,Z or X,Y,Z,A,B,C (mm, degrees)"), text=text)
        if link in [sensor.mount.link for sensor in sensors]:
            raise InvalidInput("imu_twice", _("--imu: '{link}' is given twice"), link=link)
        mount = Mount(link, pose.from_mm_deg((*values, 0.0, 0.0, 0.0)[:6]))
        sensors.append(Imu(mount, preset(model or "ideal"), rate=rate, seed=seed + i, robot=arm))
    return sensors


def _begun_at_rest(instructions: Iterator[Instruction], seconds: float) -> Iterator[Instruction]:
    """Yield the instructions after a rest, in which filters find the bias of a gyroscope; no second one."""
    from armlab.program.instructions import Wait

    first = next(instructions, None)
    if seconds > 0.0 and not isinstance(first, Wait):
        yield Wait(seconds)
    if first is not None:
        yield first
    yield from instructions


def _run(prepared: PreparedProgram, sensors: list[Imu], timestep: float, rest: float, *, as_json: bool) -> ProgramRun:
    from armlab.program.run import run_program
    from armlab.sensing.sensor import attach_all
    from armlab.sim.simulation import Simulation

    def start(simulation: Simulation) -> None:
        for sensor in sensors:
            sensor.spec.read(simulation.measure())  # an unknown link is noticed before anything runs
        attach_all(sensors, simulation)

    cell = prepared.cell
    with program_progress(as_json=as_json) as progress:
        return run_program(
            cell.scene,
            _begun_at_rest(iter(prepared.instructions), rest),
            robot=cell.arm.name,
            start=prepared.start,
            timestep=timestep,
            progress=progress,
            on_start=start,
        )


def _write(sensors: list[Imu], target: Path | None, figure: Path | None) -> list[Path]:
    """Write a file per sensor, and a figure of the first; return their paths."""
    from armlab.figures.sensing import draw_imu
    from armlab.figures.style import save_figure
    from armlab.sensing.files import write_imu

    paths = _paths(target, sensors)
    for sensor, path in zip(sensors, paths, strict=False):
        write_imu(sensor.record(), path)
    if figure is None:
        return paths
    save_figure(draw_imu(sensors[0].record(), sensors[0].ideal()), figure)
    return [*paths, figure]


def _paths(target: Path | None, sensors: list[Imu]) -> list[Path]:
    if target is None:
        return []
    if len(sensors) == 1:
        return [target]
    return [target.with_stem(f"{target.stem}-{sensor.mount.link}") for sensor in sensors]


def _report(
    scenario: str, sensors: list[Imu], duration: float, files: list[Path], findings: Sequence[Finding]
) -> SenseReport:
    from armlab.reports.findings import finding_reports
    from armlab.reports.sensing import SensedReport, SenseReport

    rows = [
        SensedReport(
            name=sensor.spec.name,
            link=sensor.mount.link,
            rate=sensor.spec.rate_hz,
            samples=len(sensor.ideal()),
            preset=sensor.model.name,
        )
        for sensor in sensors
    ]
    return SenseReport(
        scenario=scenario,
        duration=duration,
        sensors=tuple(rows),
        files=tuple(str(path) for path in files),
        findings=finding_reports(findings),
    )


def _print(report: SenseReport) -> None:
    out = console()
    out.print(heading(f"{report.scenario}: {fixed(report.duration, 3)} {tr('s')}"))
    rows = [(s.link, s.preset, number(s.rate), str(s.samples)) for s in report.sensors]
    out.print(table(tr("Sensors"), (tr("link"), tr("preset"), tr("rate Hz"), tr("samples")), rows, words=(0, 1)))
    for path in report.files:
        out.print(tr("{file}: written", file=path), soft_wrap=True)
