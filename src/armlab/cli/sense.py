"""`armlab sense`: what sensors of an arm and of bodies read while a scenario or a program runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import AsJson, TcpOption, check_range
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
from armlab.cli.sensors import MS_PER_S, OF_ARMS, asked_sensors, sensors_of
from armlab.cli.text import console, fixed, heading, number, print_json, say, table
from armlab.messages import _, term, tr

if TYPE_CHECKING:
    from armlab.model.finding import Finding
    from armlab.model.robot import Robot
    from armlab.program.instructions import Instruction
    from armlab.program.prepare import PreparedProgram
    from armlab.program.run import ProgramRun
    from armlab.reports.sensing import SenseReport
    from armlab.sensing.sensor import Kind, Sensor, SensorSamples, SensorSpec

    Sensed = tuple[SensorSpec, SensorSamples]

RATES = (0.1, 10_000.0)
"""Hz"""
TIMESTEPS = (0.01, 20.0)
"""ms"""
RESTS = (0.0, 600.0)
"""s"""


SETTINGS = "ideal|noise=…,rate=HZ,latency=MS,seed=N"
PLACED = f"LINK[@X,Y,Z[,A,B,C]][:{SETTINGS}]"

ImuOption = Annotated[
    list[str] | None,
    typer.Option(
        "--imu",
        metavar="LINK[@X,Y,Z[,A,B,C]][:PRESET,…]",
        help=_("Where an inertial unit sits (mm and degrees on the link) and which one; as often as needed."),
    ),
]
EncodersOption = Annotated[
    list[str] | None,
    typer.Option("--encoders", metavar=SETTINGS, help=_("Encoders of the joints; noise in ° or mm.")),
]
TorquesOption = Annotated[
    list[str] | None,
    typer.Option("--torques", metavar=SETTINGS, help=_("What the drives give; noise in N m or N.")),
]
WrenchOption = Annotated[
    list[str] | None,
    typer.Option("--wrench", metavar=SETTINGS, help=_("Force and torque at the flange; noise in N and N m.")),
]
LaserOption = Annotated[
    list[str] | None,
    typer.Option("--laser", metavar=PLACED, help=_("Distance along z of its frame; noise in mm.")),
]
ProximityOption = Annotated[
    list[str] | None,
    typer.Option("--proximity", metavar=PLACED, help=_("Least distance in a cone about z; noise in mm.")),
]
ContactOption = Annotated[
    list[str] | None,
    typer.Option(
        "--contact", metavar=f"NAME[:{SETTINGS}]", help=_("Force by which a link or body is touched; noise in N.")
    ),
]
PlotOption = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help=_("A figure of the first sensor: .png …"))
]
RateOption = Annotated[
    float,
    typer.Option("--rate", metavar="HZ", help=_("Samples per second where a sensor says nothing else, Hz.")),
]
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
    imu: ImuOption = None,
    encoders: EncodersOption = None,
    torques: TorquesOption = None,
    wrench: WrenchOption = None,
    laser: LaserOption = None,
    proximity: ProximityOption = None,
    contact: ContactOption = None,
    output: OutputOption = None,
    plot: PlotOption = None,
    rate: RateOption = 100.0,
    timestep: Annotated[float, typer.Option("--timestep", metavar="MS", help=_("Of the simulation, ms."))] = 1.0,
    rest: RestOption = 2.0,
    seed: Annotated[int, typer.Option("--seed", min=0, help=_("Of the noise."))] = 0,
    robot: RobotOption = None,
    scene: SceneOption = None,
    tool: ToolOption = None,
    tcp: TcpOption = "",
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
    from armlab.sensing.sensor import Sensor

    check_range("--rate", rate, *RATES, term(_("Hz")))
    check_range("--rest", rest, *RESTS, term(_("s")))
    check_range("--timestep", timestep, *TIMESTEPS, term(_("ms")))
    of_arm: dict[Kind, list[str] | None] = {"encoders": encoders, "torques": torques, "wrench": wrench}
    asked = asked_sensors({"imu": imu, **of_arm, "laser": laser, "proximity": proximity, "contact": contact})
    target = None if output is None else check_figure_path(output, WRITTEN)
    figure = None if plot is None else check_figure_path(plot)
    source = source_of_name(program, language)
    gcode = gcode_options(dialect, None, None, block_delete=False)
    options = run_options(gcode, 1, None, stops_at_errors=True)
    prepared = prepare(source, cell_from(robot, scene, tool, tcp), part_place(place, tool_axis), options)
    arm = prepared.cell.arm
    sensors = [Sensor(spec) for spec in sensors_of(asked, arm.name, arm.robot, rate, seed)]
    done = _run(prepared, sensors, timestep / MS_PER_S, rest, as_json=as_json)
    sensed = [(sensor.spec, sensor.samples()) for sensor in sensors]
    files = _write(sensed, arm.robot, target, figure)
    findings = (*prepared.findings, *done.findings)
    report = _report(program, sensed, arm.name, done.duration, files, findings)
    if as_json:
        print_json(report)
    else:
        for finding in findings:
            say(finding_line(finding))
        _print(report)
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(FOUND_ERRORS)


def _begun_at_rest(instructions: Iterator[Instruction], seconds: float) -> Iterator[Instruction]:
    """Yield the instructions after a rest, in which filters find the bias of a gyroscope; no second one."""
    from armlab.program.instructions import Wait

    first = next(instructions, None)
    if seconds > 0.0 and not isinstance(first, Wait):
        yield Wait(seconds)
    if first is not None:
        yield first
    yield from instructions


def _run(
    prepared: PreparedProgram, sensors: list[Sensor], timestep: float, rest: float, *, as_json: bool
) -> ProgramRun:
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


def _write(sensed: Sequence[Sensed], robot: Robot, target: Path | None, figure: Path | None) -> list[Path]:
    """Write a file per sensor, and a figure of the first; return their paths."""
    from armlab.figures.sensing import draw_imu, draw_samples
    from armlab.figures.style import save_figure
    from armlab.sensing.files import write_samples
    from armlab.sensing.kinds import ideal_record, imu_record, quantities

    paths = _paths(target, [spec for spec, _samples in sensed])
    for (spec, samples), path in zip(sensed, paths, strict=False):
        write_samples(spec, samples, robot, path)
    if figure is None:
        return paths
    spec, samples = sensed[0]
    if spec.kind == "imu":
        drawn = draw_imu(imu_record(spec, samples), ideal_record(spec, samples))
    else:
        drawn = draw_samples(spec.name, samples, quantities(spec, robot))
    save_figure(drawn, figure)
    return [*paths, figure]


def _paths(target: Path | None, specs: Sequence[SensorSpec]) -> list[Path]:
    if target is None:
        return []
    if len(specs) == 1:
        return [target]
    names = [
        spec.place if spec.kind == "imu" else spec.kind if spec.kind in OF_ARMS else f"{spec.kind}-{spec.place}"
        for spec in specs
    ]
    return [target.with_stem(f"{target.stem}-{name}") for name in names]


def _report(
    scenario: str,
    sensed: Sequence[Sensed],
    arm: str,
    duration: float,
    files: list[Path],
    findings: Sequence[Finding],
) -> SenseReport:
    from armlab.reports.findings import finding_reports
    from armlab.reports.sensing import SensedReport, SenseReport

    rows = [
        SensedReport(
            name=spec.name,
            kind=spec.kind,
            link=spec.place or arm,
            rate=spec.rate_hz,
            latency=spec.delay_s * MS_PER_S,
            seed=spec.seed,
            samples=len(samples.t),
            preset=spec.preset,
        )
        for spec, samples in sensed
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
    rows = [(s.kind, s.link, s.preset, number(s.rate), str(s.samples)) for s in report.sensors]
    headings = (tr("sensor"), tr("link"), tr("preset"), tr("rate Hz"), tr("samples"))
    out.print(table(tr("Sensors"), headings, rows, words=(0, 1, 2)))
    for path in report.files:
        out.print(tr("{file}: written", file=path), soft_wrap=True)
