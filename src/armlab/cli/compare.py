"""`armlab compare`: one arm, one motion, three structures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import BaseModel, ConfigDict, RootModel

from armlab.cli.arguments import AsJson, RobotName, ToolName
from armlab.cli.text import console, number, table
from armlab.units import DEG_PER_RAD, MM_PER_M

if TYPE_CHECKING:
    from armlab.sim.compare import Comparison, Figures

DIGITS = 9


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
        typer.Argument(metavar="[SCENARIO]", help="Left out: a smooth motion from home and back.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="A figure: .png, .svg, .pdf.", show_default=False),
    ] = None,
    duration: Annotated[float, typer.Option("--duration", metavar="S", help="Of the motion, in seconds.")] = 2.0,
    timestep: Annotated[float, typer.Option("--timestep", metavar="MS", help="Of the simulation, ms.")] = 1.0,
    tool: ToolName = "none",
    as_json: AsJson = False,
) -> None:
    """Compare the structures hierarchy, joints and articulation along the same motion."""
    from armlab.catalog import load
    from armlab.errors import NotSupported
    from armlab.sim.compare import compare as run

    if scenario is not None:
        raise NotSupported(f"scenario '{scenario}': only the standard motion can be compared so far")
    arm = load(robot, tool=tool)
    if output is not None:
        from armlab.figures.style import check_figure_path

        output = check_figure_path(output)
    made = run(arm, duration=duration, timestep=timestep * 1e-3)
    if output is not None:
        from armlab.figures.compare import draw_comparison, save_figure

        save_figure(draw_comparison(made), output)
    if as_json:
        print(_report(made).model_dump_json(indent=2))
    else:
        _print_table(made)


def _report(made: Comparison) -> ComparisonReport:
    return ComparisonReport({name: _one(figures) for name, figures in made.figures.items()})


def _one(figures: Figures) -> StructureReport:
    return StructureReport(
        tracking_rms=round(figures.tool_rms * MM_PER_M, DIGITS),
        joint_rms=round(figures.tracking_rms * DEG_PER_RAD, DIGITS),
        gap=round(figures.gap * MM_PER_M, DIGITS),
        energy_drift=None if figures.energy_drift is None else float(f"{figures.energy_drift:.6g}"),
        us_per_step=round(figures.us_per_step, 3),
        unknowns=figures.unknowns,
    )


def _print_table(made: Comparison) -> None:
    columns = ("structure", "tool off mm rms", "joints off ° rms", "gap mm", "energy drift J", "step µs", "unknowns")
    rows = []
    for name, figures in made.figures.items():
        report = _one(figures)
        drift = "–" if report.energy_drift is None else f"{report.energy_drift:.2g}"
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
    title = f"{made.robot.name}, {number(made.trajectory.duration)} s, steps of {number(made.timestep * 1e3)} ms"
    console().print(table(title, columns, rows))
