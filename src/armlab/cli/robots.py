"""`armlab robots`: which arms there are, and all about one of them."""

from __future__ import annotations

import typer
from pydantic import BaseModel, ConfigDict

from armlab.cli.arguments import AsJson, RobotName, TcpOption, ToolName, arm_of
from armlab.cli.text import console, heading, joint_kind, number, print_json, severity, table
from armlab.errors import InvalidInput
from armlab.messages import _, tr
from armlab.reports.findings import FindingReport, finding_report
from armlab.reports.robots import DhReportRow, RobotSheet, robot_row, robot_sheet

ERRORS_FOUND = 3
"""The exit status of a check that found errors."""

app = typer.Typer(context_settings={"help_option_names": ["-h", "--help"]})


class InertiaCheckReport(BaseModel):
    """What a check of an arm found."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    robot: str
    findings: tuple[FindingReport, ...]


@app.callback(invoke_without_command=True)
def robots(context: typer.Context, as_json: AsJson = False) -> None:
    """Run `armlab robots`: the list of arms."""
    if context.invoked_subcommand is not None:
        if as_json:
            raise InvalidInput(
                "json_before_name",
                _("--json goes after the name: armlab robots {command} NAME --json"),
                command=context.invoked_subcommand,
            )
        return
    from armlab.catalog import load, robot_names

    rows = [robot_row(load(name)) for name in robot_names()]
    if as_json:
        print_json(rows)
        return
    out = console()
    lines = [(r.name, r.title, str(r.dof), number(r.reach, 1), r.source) for r in rows]
    columns = (tr("name"), tr("arm"), tr("axes"), tr("reach mm"), tr("source"))
    out.print(table("", columns, lines, words=(0, 1, 4)))
    out.print(tr("reach: largest distance of the flange from the first axis. More: armlab robots show NAME"))


@app.command("show", help=_("Show one arm: joints, limits, Denavit–Hartenberg tables, masses, source."))
def show(robot: RobotName, tool: ToolName = "none", tcp: TcpOption = "", as_json: AsJson = False) -> None:
    """Run `armlab robots show`."""
    sheet = robot_sheet(arm_of(robot, tool, tcp))
    if as_json:
        print_json(sheet)
    else:
        _print_sheet(sheet)


@app.command(
    "check", help=_("Check the masses, inertias and drives of one arm; ends with status 3 where there are errors.")
)
def check(robot: RobotName, tool: ToolName = "none", tcp: TcpOption = "", as_json: AsJson = False) -> None:
    """Run `armlab robots check`."""
    from armlab.dynamics import check_inertias

    arm = arm_of(robot, tool, tcp)
    found = check_inertias(arm)
    if as_json:
        rows = (finding_report(f) for f in found)
        print_json(InertiaCheckReport(robot=arm.name, findings=tuple(rows)))
    elif found:
        for finding in found:
            text = f"{severity(finding.severity)}: {finding.message.localized()} [{finding.code}]"
            console().print(text, soft_wrap=True)
    else:
        console().print(tr("{robot}: no findings", robot=arm.name))
    if any(finding.severity == "error" for finding in found):
        raise typer.Exit(ERRORS_FOUND)


def _print_sheet(sheet: RobotSheet) -> None:
    out = console()
    maker = sheet.maker or tr("maker unknown")
    out.print(heading(f"{sheet.name}  {sheet.title} ({maker})"))
    facts = {"axes": sheet.dof, "reach": number(sheet.reach, 1), "mass": number(sheet.mass, 2), "tool": sheet.tool}
    if sheet.payload is None:
        out.print(tr("axes: {axes}, reach: {reach} mm, mass: {mass} kg, tool: {tool}", **facts))
    else:
        payload = number(sheet.payload)
        out.print(
            tr("axes: {axes}, reach: {reach} mm, mass: {mass} kg, payload: {payload} kg, tool: {tool}",
               **facts, payload=payload)
        )  # fmt: skip
    out.print(f"{tr('source')}: {sheet.source}")
    if sheet.notes:
        out.print(f"{tr('note')}: {sheet.notes}")
    if sheet.estimated:
        out.print(f"{tr('estimated, not published')}: {', '.join(sheet.estimated)}")
    joints = [
        (j.name, joint_kind(j.kind), tr("mm") if j.unit == "mm" else j.unit,
         *map(number, (j.lower, j.upper, j.velocity, j.acceleration, j.effort, j.home)))
        for j in sheet.joints
    ]  # fmt: skip
    columns = (
        tr("joint"), tr("kind"), tr("unit"), tr("lower"), tr("upper"), tr("speed /s"), tr("accel. /s²"),
        tr("effort N·m, N"), tr("home"),
    )  # fmt: skip
    out.print(table(tr("Joints"), columns, joints, words=(0, 1, 2)))
    if sheet.followers:
        laws = [(f.name, f.follows, number(f.multiplier, 6), number(f.offset), tr("mm") if f.unit == "mm" else f.unit)
                for f in sheet.followers]  # fmt: skip
        head = tr("joint"), tr("follows"), tr("multiplier"), tr("offset"), tr("unit")
        out.print(table(tr("Coupled joints"), head, laws, words=(0, 1, 4)))
    out.print(_dh_table(tr("DH, standard: Rz(θ) Tz(d) Tx(a) Rx(α)"), sheet.dh_standard))
    out.print(_dh_table(tr("DH, modified: Rx(α) Tx(a) Rz(θ) Tz(d)"), sheet.dh_modified))
    links = [(k.name, number(k.mass), *(number(v, 1) for v in k.com)) for k in sheet.links]
    out.print(table(tr("Links"), (tr("link"), tr("mass kg"), tr("com x mm"), "y", "z"), links))
    configurations = [(p.name, ", ".join(number(v) for v in p.q)) for p in sheet.configurations]
    reasons = {"adjacent": tr("adjacent"), "excluded": tr("excluded"), "never meet": tr("proved never to meet")}
    left_out = [(p.first, p.second, reasons[p.reason], p.said) for p in sheet.pairs]
    heads = tr("part"), tr("part"), tr("reason"), tr("source")
    out.print(table(tr("Pairs that collision checks leave out"), heads, left_out, words=(0, 1, 2, 3)))
    out.print(table("Configurations", ("configuration", "joint values"), configurations, words=(0, 1)))


def _dh_table(title: str, rows: tuple[DhReportRow, ...]) -> object:
    lines = [(r.joint, number(r.theta), number(r.d), number(r.a), number(r.alpha)) for r in rows]
    return table(title, (tr("joint"), "θ °", tr("d mm"), tr("a mm"), "α °"), lines)
