"""`armlab simulate`: run a scenario in one of the three structures."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import BaseModel, ConfigDict

from armlab.cli.arguments import AsJson, check_range
from armlab.cli.text import console, fixed, heading, number, print_json, progress_bar, severity, table
from armlab.messages import _, term, tr
from armlab.units import M_PER_MM

if TYPE_CHECKING:
    from armlab.program.run_scenario import ScenarioRun
    from armlab.program.scenario import Scenario
    from armlab.reports.simulation import SimulationReport

NOT_CLEAN = 3
"""The exit status where the findings have an error."""
LARGEST_CLEARANCE = 1000.0
"""mm"""
TIMESTEPS = (0.01, 20.0)
"""ms"""


class StructureName(StrEnum):
    """The three ways in which an arm is built (S1)."""

    hierarchy = "hierarchy"
    joints = "joints"
    articulation = "articulation"


class GraspName(StrEnum):
    """How a body is held."""

    exact = "exact"
    friction = "friction"


def simulate(
    scenario: Annotated[
        str, typer.Argument(metavar="SCENARIO", help=_("A .json file, or one of armlab's own; `?` lists them."))
    ],
    structure: Annotated[
        StructureName, typer.Option("--structure", help=_("Transforms only, tied bodies, or joint coordinates."))
    ] = StructureName.articulation,
    timestep: Annotated[float, typer.Option("--timestep", metavar="MS", help=_("Of the simulation, ms."))] = 1.0,
    clearance: Annotated[
        float, typer.Option("--clearance", metavar="MM", help=_("Nothing may come nearer to anything than this."))
    ] = 0.0,
    grasp: Annotated[
        GraspName, typer.Option("--grasp", help=_("Held as it is, or by fingers and friction (a physics lesson)."))
    ] = GraspName.exact,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="FILE", help=_("Keep what happened: .mcap, .csv, .parquet."))
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help=_("A figure of the whole motion: .png …"))
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run `armlab simulate`."""
    from armlab.figures.style import check_figure_path
    from armlab.program.scenario import load_scenario
    from armlab.reports.simulation import simulation_report

    if scenario == "?":
        _list_scenarios(as_json)
        return
    check_range("--timestep", timestep, *TIMESTEPS, term(_("ms")))
    check_range("--clearance", clearance, 0.0, LARGEST_CLEARANCE, term(_("mm")))
    recording = None if record is None else check_figure_path(record, (".mcap", ".csv", ".parquet"))
    figure = None if output is None else check_figure_path(output)
    loaded = load_scenario(scenario)
    run = _run(loaded, structure, timestep * 1e-3, clearance * M_PER_MM, grasp, recording, as_json=as_json)
    report = simulation_report(run)
    if figure is not None:
        _draw(run, figure)
    if as_json:
        print_json(report)
    else:
        _print(report)
        for path in (recording, figure):
            if path is not None:
                console().print(tr("{file}: written", file=str(path)), soft_wrap=True)
    if any(finding.severity == "error" for finding in report.findings):
        raise typer.Exit(NOT_CLEAN)


class ListedScenario(BaseModel):
    """One line of the list of scenarios."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    title: str


def _list_scenarios(as_json: bool) -> None:
    from armlab.program.scenario import load_scenario, scenario_names

    rows = [ListedScenario(name=name, title=load_scenario(name).title) for name in scenario_names()]
    if as_json:
        print_json(rows)
        return
    lines = [(row.name, row.title) for row in rows]
    console().print(table(tr("Scenarios"), (tr("name"), tr("what happens")), lines, words=(0, 1)))


def _run(
    scenario: Scenario,
    structure: StructureName,
    timestep: float,
    clearance: float,
    grasp: GraspName,
    record: Path | None,
    *,
    as_json: bool,
) -> ScenarioRun:
    from armlab.program.record import RunRecorder
    from armlab.program.run_scenario import run_scenario

    with progress_bar(scenario.name, as_json=as_json) as progress:
        how = partial(
            run_scenario,
            scenario,
            structure=structure.value,
            timestep=timestep,
            clearance=clearance,
            grasp=grasp.value,
            progress=progress,
        )
        if record is None:
            return how()
        with RunRecorder(record, scenario.arm, scenario.name, structure.value, timestep) as keeper:
            return how(on_run=keeper.write)


def _draw(run: ScenarioRun, path: Path) -> None:
    from armlab.figures.style import save_figure
    from armlab.figures.trajectory import draw_trajectory
    from armlab.motion.limits import limits_of

    robot = run.schedule.robot
    save_figure(draw_trajectory(run.schedule.trajectory, robot, limits_of(robot), title=run.scenario.title), path)


def _print(report: SimulationReport) -> None:
    out = console()
    seconds = fixed(report.duration, 3)
    out.print(heading(f"{report.title}: {report.robot}, {report.structure}, {seconds} {tr('s')}"))
    rows = []
    for segment in report.segments:
        effort = "–" if segment.effort_share is None else f"{100.0 * segment.effort_share:.0f} %"
        times = (number(segment.start, 3), number(segment.end - segment.start, 3))
        rows.append(
            (
                str(segment.step),
                segment.what.localized(),
                *times,
                segment.held or "–",
                number(segment.distance, 1),
                number(segment.tracking, 4),
                effort,
            )
        )
    columns = (
        tr("step"), tr("instruction"), tr("at s"), tr("takes s"), tr("holds"), tr("clear mm"), tr("error ° mm"),
        tr("effort"),
    )  # fmt: skip
    out.print(table(tr("Steps"), columns, rows, words=(1, 4)))
    for body in report.bodies:
        (x, y, z), (a, b, c) = ([number(value, 1) for value in values] for values in (body.xyz, body.abc))
        place = {"x": x, "y": y, "z": z, "a": a, "b": b, "c": c}
        out.print(tr("{body}: X {x}  Y {y}  Z {z} mm  A {a}  B {b}  C {c} °", body=body.name, **place))
    for finding in report.findings:
        out.print(f"{severity(finding.severity)}: {finding.message.localized()}", soft_wrap=True)
    if not report.findings and report.structure == "hierarchy":
        out.print(tr("no contacts; a hierarchy has no forces, so drives are not checked"))
    elif not report.findings:
        out.print(tr("no contacts, every limit kept"))
