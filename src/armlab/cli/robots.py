"""`armlab robots`: which arms there are, and all about one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from pydantic import BaseModel, ConfigDict

from armlab.cli.arguments import AsJson, RobotName, ToolName
from armlab.cli.text import console, heading, number, print_json, table
from armlab.errors import InvalidInput

if TYPE_CHECKING:
    from armlab.reports import DhRow, RobotSheet

ERRORS_FOUND = 3
"""The exit status of a check that found errors."""

app = typer.Typer(help="List the arms, or show or check one.", context_settings={"help_option_names": ["-h", "--help"]})


class FindingReport(BaseModel):
    """One finding of a check; lengths in `where` are metres, forces N m or N."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    level: str
    code: str
    message: str
    where: dict[str, float | int | str]


class CheckReport(BaseModel):
    """What a check of an arm found."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    robot: str
    findings: tuple[FindingReport, ...]


@app.callback(invoke_without_command=True)
def robots(context: typer.Context, as_json: AsJson = False) -> None:
    """List the arms that come with armlab: axes, reach, where the numbers are from."""
    if context.invoked_subcommand is not None:
        if as_json:
            raise InvalidInput(f"--json goes after the name: armlab robots {context.invoked_subcommand} NAME --json")
        return
    from armlab.catalog import load, robot_names
    from armlab.reports import robot_row

    rows = [robot_row(load(name)) for name in robot_names()]
    if as_json:
        print_json(rows)
        return
    out = console()
    lines = [(r.name, r.title, str(r.dof), number(r.reach, 1), r.source) for r in rows]
    out.print(table("", ("name", "arm", "axes", "reach mm", "source"), lines, words=(0, 1, 4)))
    out.print("reach: largest distance of the flange from the first axis. More: armlab robots show NAME")


@app.command("show")
def show(robot: RobotName, tool: ToolName = "none", as_json: AsJson = False) -> None:
    """Show one arm: joints, limits, Denavit-Hartenberg tables, masses, source."""
    from armlab.catalog import load
    from armlab.reports import robot_sheet

    sheet = robot_sheet(load(robot, tool=tool))
    if as_json:
        print_json(sheet)
    else:
        _print_sheet(sheet)


@app.command("check")
def check(robot: RobotName, tool: ToolName = "none", as_json: AsJson = False) -> None:
    """Check the masses, inertias and drives of one arm (ends with 3 where there are errors)."""
    from armlab.catalog import load
    from armlab.dynamics import health

    arm = load(robot, tool=tool)
    found = health(arm)
    if as_json:
        rows = (FindingReport(level=f.level, code=f.code, message=f.message, where=dict(f.where)) for f in found)
        print_json(CheckReport(robot=arm.name, findings=tuple(rows)))
    elif found:
        for finding in found:
            console().print(f"{finding.level}: {finding.message} [{finding.code}]", soft_wrap=True)
    else:
        console().print(f"{arm.name}: no findings")
    if any(finding.level == "error" for finding in found):
        raise typer.Exit(ERRORS_FOUND)


def _print_sheet(sheet: RobotSheet) -> None:
    out = console()
    out.print(heading(f"{sheet.name}  {sheet.title} ({sheet.maker})"))
    payload = "" if sheet.payload is None else f", payload {number(sheet.payload)} kg"
    out.print(
        f"{sheet.dof} axes, reach {number(sheet.reach, 1)} mm, {number(sheet.mass, 2)} kg{payload}, tool {sheet.tool}"
    )
    out.print(f"source: {sheet.source}")
    if sheet.notes:
        out.print(f"note: {sheet.notes}")
    if sheet.estimated:
        out.print(f"estimated, not published: {', '.join(sheet.estimated)}")
    joints = [
        (j.name, j.kind, j.unit, number(j.lower), number(j.upper), number(j.velocity), number(j.acceleration),
         number(j.effort), number(j.home))
        for j in sheet.joints
    ]  # fmt: skip
    columns = ("joint", "kind", "unit", "lower", "upper", "speed /s", "accel. /s²", "effort N·m, N", "home")
    out.print(table("Joints", columns, joints, words=(0, 1, 2)))
    out.print(_dh_table("DH, standard: Rz(θ) Tz(d) Tx(a) Rx(α)", sheet.dh_standard))
    out.print(_dh_table("DH, modified: Rx(α) Tx(a) Rz(θ) Tz(d)", sheet.dh_modified))
    links = [(k.name, number(k.mass), *(number(v, 1) for v in k.com)) for k in sheet.links]
    out.print(table("Links", ("link", "mass kg", "com x mm", "y", "z"), links))
    poses = [(p.name, ", ".join(number(v) for v in p.q)) for p in sheet.poses]
    out.print(table("Poses", ("pose", "joint values"), poses, words=(0, 1)))


def _dh_table(title: str, rows: tuple[DhRow, ...]) -> object:
    lines = [(r.joint, number(r.theta), number(r.d), number(r.a), number(r.alpha)) for r in rows]
    return table(title, ("joint", "θ °", "d mm", "a mm", "α °"), lines)
