"""`armlab fk`: where is the tool?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import (
    AsJson,
    RobotName,
    TcpOption,
    ToolName,
    Units,
    UnitsOption,
    arm_of,
    configuration_or_values,
    limit_notes,
)
from armlab.cli.text import console, fixed, heading, joints_text, note, print_json, table
from armlab.messages import _, tr

if TYPE_CHECKING:
    from armlab.model.robot import Robot
    from armlab.reports.kinematics import FkReport


def fk(
    robot: RobotName,
    q: Annotated[
        list[str] | None,
        typer.Argument(metavar="Q…", help=_("Joint values; left out: the home configuration."), show_default=False),
    ] = None,
    configuration: Annotated[
        str | None,
        typer.Option(
            "--configuration",
            metavar="NAME",
            help=_("A named configuration instead of joint values."),
            show_default=False,
        ),
    ] = None,
    frames: Annotated[bool, typer.Option("--frames", help=_("Also every link's frame."))] = False,
    tool: ToolName = "none",
    tcp: TcpOption = "",
    units: UnitsOption = Units.deg,
    as_json: AsJson = False,
) -> None:
    """Run `armlab fk`."""
    from armlab.reports.kinematics import fk_report

    arm = arm_of(robot, tool, tcp)
    values = configuration_or_values(arm, configuration, q or [], units)
    report = fk_report(arm, values, with_frames=frames)
    if as_json:
        print_json(report)
    else:
        _print_report(arm, report)
    for message in limit_notes(arm, values):
        note(message)


def _print_report(robot: Robot, report: FkReport) -> None:
    out = console()
    out.print(heading(f"{report.robot}  {joints_text(robot, report.q)}"))
    (x, y, z), (a, b, c) = report.xyz, report.abc
    out.print(tr("X {x:10.4f} mm    Y {y:10.4f} mm    Z {z:10.4f} mm", x=x, y=y, z=z))
    out.print(tr("A {a:10.4f} °     B {b:10.4f} °     C {c:10.4f} °", a=a, b=b, c=c))
    out.print(tr("quaternion (w x y z)") + "  " + "  ".join(fixed(v, 6) for v in report.quaternion))
    for row in report.matrix:
        out.print("  ".join(fixed(v, 6).rjust(12) for v in row))
    if report.frames is not None:
        lines = [
            (f.name, *(fixed(v, 4) for v in f.xyz), "  ".join(fixed(v, 6) for v in f.quaternion)) for f in report.frames
        ]
        columns = (tr("frame"), tr("X mm"), tr("Y mm"), tr("Z mm"), tr("quaternion (w x y z)"))
        out.print(table(tr("Frames"), columns, lines, words=(0, 4)))
