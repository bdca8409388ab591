"""`armlab compare`: one arm, one motion, three structures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import BaseModel, ConfigDict, RootModel

from armlab.cli.arguments import AsJson, RobotName, ToolName, check_range
from armlab.cli.text import console, decimal, number, progress_bar, table
from armlab.errors import InvalidInput
from armlab.messages import _, term, tr
from armlab.units import DEG_PER_RAD, MM_PER_M

if TYPE_CHECKING:
    from armlab.model.robot import Robot
    from armlab.motion.trajectory import Trajectory
    from armlab.sim.compare import Metrics, StructureComparison

DIGITS = 9
DURATIONS = (0.01, 600.0)
"""s: longer motions show nothing new, and take minutes."""
TIMESTEPS = (0.01, 20.0)
"""ms"""


class StructureReport(BaseModel):
    """What one structure did: lengths mm, energies J, times µs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tracking_rms: float
    """Of the tool's place, mm."""
    joint_rms: float
    """Of the joints: degrees, where they turn; where they slide, metres count as radians."""
    gap: float
    """The largest gap of a joint, mm."""
    energy_drift: float | None
    """Of an arm that falls freely, J; a hierarchy has no energy."""
    us_per_step: float
    unknowns: int


class ComparisonReport(RootModel[dict[str, StructureReport]]):
    """The structures by name."""


def compare(
    robot: RobotName,
    scenario: Annotated[
        str | None,
        typer.Argument(
            metavar="[SCENARIO]",
            help=_("A .json file, or a name from `armlab simulate ?`; left out: a smooth motion from home and back."),
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help=_("A figure: .png, .svg, .pdf."), show_default=False),
    ] = None,
    duration: Annotated[
        float, typer.Option("--duration", metavar="S", help=_("Of the motion without a scenario, in seconds."))
    ] = 2.0,
    timestep: Annotated[float, typer.Option("--timestep", metavar="MS", help=_("Of the simulation, ms."))] = 1.0,
    tool: ToolName = "none",
    as_json: AsJson = False,
) -> None:
    """Run `armlab compare`."""
    from armlab.catalog import load
    from armlab.sim.compare import compare as run

    check_range("--duration", duration, *DURATIONS, term(_("s")))
    check_range("--timestep", timestep, *TIMESTEPS, term(_("ms")))
    arm = load(robot, tool=tool)
    path = None
    if scenario is not None:
        arm, path = _along(scenario, arm)
    if output is not None:
        from armlab.figures.style import check_figure_path

        output = check_figure_path(output)
    with progress_bar(tr("{robot}: three structures", robot=arm.name)) as progress:
        made = run(
            arm,
            path,
            duration=duration,
            timestep=timestep * 1e-3,
            on_progress=lambda share: progress(round(100.0 * share), 100),
        )
    if output is not None:
        from armlab.figures.compare import draw_comparison, save_figure

        save_figure(draw_comparison(made), output)
    if as_json:
        print(_report(made).model_dump_json(indent=2))
    else:
        _print_table(made, scenario or tr("standard motion"))
        if output is not None:
            console().print(tr("{file}: written", file=str(output)), soft_wrap=True)


def _along(scenario: str, arm: Robot) -> tuple[Robot, Trajectory]:
    """Return the arm where the scenario's stands, with its tool unless it has one, and the scenario's whole motion.

    Another arm than the scenario's own goes through the same poses of the tool.
    """
    from dataclasses import replace

    from armlab.kinematics.ik import solve_ik
    from armlab.program.instructions import MoveJ
    from armlab.program.scenario import load_scenario
    from armlab.program.schedule import plan_program

    loaded = load_scenario(scenario)
    own, program = loaded.scene.robot(loaded.robot).robot, loaded.program
    placed = (arm if arm.tool.shapes else arm.with_tool(own.tool)).with_base(own.base)
    if arm.name != own.name:
        steps = (
            replace(step, targets=tuple(own.fk(q) if q.ndim == 1 else q for q in step.targets))
            if isinstance(step, MoveJ)
            else step
            for step in program.instructions
        )
        start = solve_ik(placed, own.fk(program.start), start=placed.home)
        program = replace(program, start=start, instructions=tuple(steps))
    schedule = plan_program(placed, program)
    if not schedule.segments:
        raise InvalidInput("nothing_moves", _("scenario '{scenario}': nothing moves in it"), scenario=loaded.name)
    return placed, schedule.trajectory


def _report(made: StructureComparison) -> ComparisonReport:
    return ComparisonReport({name: _one(metrics) for name, metrics in made.metrics.items()})


def _one(metrics: Metrics) -> StructureReport:
    return StructureReport(
        tracking_rms=round(metrics.tool_rms * MM_PER_M, DIGITS),
        joint_rms=round(metrics.tracking_rms * DEG_PER_RAD, DIGITS),
        gap=round(metrics.gap * MM_PER_M, DIGITS),
        energy_drift=None if metrics.energy_drift is None else float(f"{metrics.energy_drift:.6g}"),
        us_per_step=round(metrics.us_per_step, 3),
        unknowns=metrics.unknowns,
    )


def _print_table(made: StructureComparison, motion: str) -> None:
    columns = (
        tr("structure"), tr("tool error mm rms"), tr("joint error ° rms"), tr("joint gap mm"), tr("energy drift J"),
        tr("step µs"), tr("unknowns"),
    )  # fmt: skip
    rows = []
    for name, metrics in made.metrics.items():
        report = _one(metrics)
        drift = "–" if report.energy_drift is None else decimal(f"{report.energy_drift:.2g}")
        rows.append(
            (
                name,
                number(report.tracking_rms, 5),
                number(report.joint_rms, 6),
                number(report.gap, 5),
                drift,
                number(report.us_per_step, 2),
                str(report.unknowns),
            )
        )
    seconds, steps = number(made.trajectory.duration), number(made.timestep * 1e3)
    title = tr(
        "{robot}, {motion}, {seconds} s, steps of {steps} ms",
        robot=made.robot.name,
        motion=motion,
        seconds=seconds,
        steps=steps,
    )
    console().print(table(title, columns, rows))
