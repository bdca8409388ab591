"""`armlab simulate`: run a scenario in one of the three structures."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import AsJson
from armlab.cli.text import console, heading, number, print_json, progress_bar, table
from armlab.errors import InvalidInput
from armlab.units import M_PER_MM

if TYPE_CHECKING:
    from armlab.program.run import ScenarioRun
    from armlab.program.scenario import Scenario
    from armlab.reports.simulation import SimulationReport

NOT_CLEAN = 3
"""The exit status where the findings have an error."""
LARGEST_CLEARANCE = 1000.0


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
        str, typer.Argument(metavar="SCENARIO", help="A .json file, or one of armlab's own; `?` lists them.")
    ],
    structure: Annotated[
        StructureName, typer.Option("--structure", help="Transforms only, tied bodies, or joint coordinates.")
    ] = StructureName.articulation,
    timestep: Annotated[float, typer.Option("--timestep", metavar="MS", help="Of the simulation, ms.")] = 1.0,
    clearance: Annotated[
        float, typer.Option("--clearance", metavar="MM", help="Nothing may come nearer to anything than this.")
    ] = 0.0,
    grasp: Annotated[
        GraspName, typer.Option("--grasp", help="Held as it is, or by fingers and friction (a physics lesson).")
    ] = GraspName.exact,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="FILE", help="Keep what happened: .mcap, .csv, .parquet.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="A figure of the whole motion: .png …")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a scenario: plan every step, check it for contacts, and simulate it.

    Ends with 3 if something touches what it should not, a limit is passed, or a step cannot be done.
    """
    from armlab.figures.style import check_figure_path
    from armlab.program.scenario import load_scenario
    from armlab.reports.simulation import simulation_report

    if scenario == "?":
        _list_scenarios()
        return
    if not 0.01 <= timestep <= 20.0:
        raise InvalidInput(f"--timestep: {timestep:g} ms is outside 0.01…20 ms")
    if not 0.0 <= clearance <= LARGEST_CLEARANCE:
        raise InvalidInput(f"--clearance: {clearance:g} mm is outside 0…{LARGEST_CLEARANCE:g} mm")
    recording = None if record is None else check_figure_path(record, (".mcap", ".csv", ".parquet"), "a recording")
    figure = None if output is None else check_figure_path(output)
    run = _run(load_scenario(scenario), structure, timestep * 1e-3, clearance * M_PER_MM, grasp, recording)
    report = simulation_report(run)
    if figure is not None:
        _draw(run, figure)
    if as_json:
        print_json(report)
    else:
        _print(report)
        for path in (recording, figure):
            if path is not None:
                console().print(f"{path}: written", soft_wrap=True)
    if any(finding.level == "error" for finding in report.findings):
        raise typer.Exit(NOT_CLEAN)


def _list_scenarios() -> None:
    from armlab.program.scenario import load_scenario, scenario_names

    rows = [(name, load_scenario(name).title) for name in scenario_names()]
    console().print(table("Scenarios", ("name", "what happens"), rows, words=(0, 1)))


def _run(
    scenario: Scenario,
    structure: StructureName,
    timestep: float,
    clearance: float,
    grasp: GraspName,
    record: Path | None,
) -> ScenarioRun:
    from armlab.program.keep import RunKeeper
    from armlab.program.run import run_scenario

    with progress_bar(scenario.name) as progress:
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
        with RunKeeper(record, scenario, structure.value, timestep) as keeper:
            return how(on_run=keeper.write)


def _draw(run: ScenarioRun, path: Path) -> None:
    from armlab.figures.style import save_figure
    from armlab.figures.trajectory import draw_trajectory
    from armlab.motion.limits import limits_of

    robot = run.schedule.robot
    save_figure(draw_trajectory(run.schedule.trajectory, robot, limits_of(robot), title=run.scenario.title), path)


def _print(report: SimulationReport) -> None:
    out = console()
    out.print(heading(f"{report.title}: {report.robot}, {report.structure}, {report.duration:.3f} s"))
    rows = []
    for leg in report.legs:
        effort = "–" if leg.effort_share is None else f"{100.0 * leg.effort_share:.0f} %"
        times = (number(leg.start, 3), number(leg.end - leg.start, 3))
        rows.append(
            (str(leg.step), leg.what, *times, leg.held or "–", number(leg.distance, 1), number(leg.tracking, 4), effort)
        )
    columns = ("step", "what", "at s", "takes s", "holds", "clear mm", "error ° mm", "effort")
    out.print(table("Steps", columns, rows, words=(1, 4)))
    for body in report.bodies:
        (x, y, z), (a, b, c) = ([number(value, 1) for value in values] for values in (body.xyz, body.abc))
        out.print(f"{body.name}: X {x}  Y {y}  Z {z} mm  A {a}  B {b}  C {c} °")
    for finding in report.findings:
        out.print(f"{finding.level}: {finding.message}", soft_wrap=True)
    if not report.findings:
        out.print("no contacts, every limit kept")
