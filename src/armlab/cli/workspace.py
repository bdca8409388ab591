"""`armlab workspace`: where can the tool go, and in how many ways?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from pydantic import BaseModel, ConfigDict

from armlab.cli.arguments import AsJson, RobotName, TcpOption, ToolName, arm_of
from armlab.cli.text import console, number, print_json, progress_bar
from armlab.messages import _, tr
from armlab.units import M_PER_MM, MM_PER_M, RAD_PER_DEG

if TYPE_CHECKING:
    from armlab.arrays import Floats
    from armlab.kinematics.workspace import BranchAtlas, ReachMap

DIGITS = 6
REACH_CELLS, BRANCH_CELLS = 200, 120


Plane = Literal["xy", "xz", "yz"]


class WorkspaceReport(BaseModel):
    """What a map shows, in numbers: lengths mm, areas mm², angles degrees."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    robot: str
    kind: str
    """`reach` or `branches`."""
    plane: str
    cells: tuple[int, int]
    """Across and up."""
    cell: float
    extent: tuple[float, float, float, float]
    """Left, right, bottom, top."""
    reached: int
    """Cells that the tool can be in."""
    area: float
    file: str
    section: bool | None = None
    at: float | None = None
    abc: tuple[float, float, float] | None = None
    max_solutions: int | None = None
    cells_by_solutions: dict[int, int] | None = None


def workspace(
    robot: RobotName,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help=_("Where to draw: .png, .svg, .pdf."), show_default=False),
    ] = None,
    branches: Annotated[
        bool, typer.Option("--branches/--reach", help=_("Number of solutions per cell, or reach of the tool point."))
    ] = False,
    plane: Annotated[
        Plane | None,
        typer.Option("--plane", help=_("Left out: the one that shows most of the arm."), show_default=False),
    ] = None,
    cells: Annotated[
        int | None,
        typer.Option("--cells", metavar="N", help=_("Along the longer side, 8 to 1000."), show_default=False),
    ] = None,
    at: Annotated[
        float | None,
        typer.Option("--at", metavar="MM", help=_("Branches: where the plane lies."), show_default=False),
    ] = None,
    abc: Annotated[
        tuple[float, float, float] | None,
        typer.Option(
            "--abc", metavar="A B C", help=_("Branches: the tool's orientation, degrees."), show_default=False
        ),
    ] = None,
    tool: ToolName = "none",
    tcp: TcpOption = "",
    as_json: AsJson = False,
) -> None:
    """Run `armlab workspace`."""
    from armlab.errors import InvalidInput
    from armlab.figures.workspace import check_figure_path, draw_branches, draw_reach, save_figure
    from armlab.kinematics.workspace import branch_atlas, reach_map

    arm = arm_of(robot, tool, tcp)
    path = check_figure_path(output if output is not None else Path(f"{arm.name}-workspace.png"))
    if not branches and (at is not None or abc is not None):
        raise InvalidInput("branches_only", _("--at and --abc belong to a map of solutions: add --branches"))
    across = cells if cells is not None else BRANCH_CELLS if branches else REACH_CELLS
    with progress_bar(tr("{robot}: workspace", robot=arm.name), as_json=as_json) as progress:
        if branches:
            level = None if at is None else at * M_PER_MM
            atlas = branch_atlas(arm, _rotation(abc), plane=plane, at=level, cells=across, progress=progress)
            figure, report = draw_branches(atlas), _branch_report(atlas, path)
        else:
            reach = reach_map(arm, plane=plane, cells=across, progress=progress)
            figure, report = draw_reach(reach), _reach_report(reach, path)
        save_figure(figure, path)
    if as_json:
        print_json(report)
    else:
        console().print(_sentence(report), markup=False, soft_wrap=True)


def _rotation(abc: tuple[float, float, float] | None) -> Floats | None:
    from armlab.geometry import pose

    return None if abc is None else pose.from_xyz_abc([0.0, 0.0, 0.0], [angle * RAD_PER_DEG for angle in abc])


def _reach_report(reach: ReachMap, path: Path) -> WorkspaceReport:
    return _report(reach, "reach", path).model_copy(update={"section": reach.is_section})


def _branch_report(atlas: BranchAtlas, path: Path) -> WorkspaceReport:
    import numpy as np

    from armlab.geometry import pose
    from armlab.units import DEG_PER_RAD

    T = np.eye(4)
    T[:3, :3] = atlas.rotation
    counts = np.bincount(atlas.solutions.ravel())
    return _report(atlas, "branches", path).model_copy(
        update={
            "at": round(atlas.at * MM_PER_M, DIGITS),
            "abc": tuple(round(float(angle), DIGITS) + 0.0 for angle in pose.as_abc(T) * DEG_PER_RAD),
            "max_solutions": atlas.most,
            "cells_by_solutions": {k: int(n) for k, n in enumerate(counts) if n},
        }
    )


def _report(made: ReachMap | BranchAtlas, kind: str, path: Path) -> WorkspaceReport:
    left, right, bottom, top = (round(value * MM_PER_M, DIGITS) for value in made.grid.extent)
    return WorkspaceReport(
        robot=made.robot.name,
        kind=kind,
        plane=made.grid.plane,
        cells=(made.grid.columns, made.grid.rows),
        cell=round(made.grid.cell * MM_PER_M, DIGITS),
        extent=(left, right, bottom, top),
        reached=int(made.reached.sum()),
        area=round(made.area * MM_PER_M * MM_PER_M, 3),
        file=str(path),
    )


def _sentence(report: WorkspaceReport) -> str:
    across, up = report.cells
    facts = {
        "file": report.file,
        "robot": report.robot,
        "plane": report.plane,
        "cells": f"{across}×{up}",
        "cell": number(report.cell, 2),
        "reached": report.reached,
        "area": number(report.area * 1e-6, 4),
    }
    if report.max_solutions is None:
        return tr("{file}: {robot}, plane {plane}, cells {cells} of {cell} mm: {reached} reached, {area} m²", **facts)
    return tr(
        "{file}: {robot}, plane {plane}, cells {cells} of {cell} mm: {reached} reached, {area} m², "
        "solutions: at most {most}",
        **facts,
        most=report.max_solutions,
    )
