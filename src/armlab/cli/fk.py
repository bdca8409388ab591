"""`armlab fk`: where is the tool?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import AsJson, RobotName, ToolName, Units, UnitsOption, joint_values, limit_notes
from armlab.cli.text import console, heading, number, print_json, table
from armlab.errors import InvalidInput

if TYPE_CHECKING:
    from armlab.model.robot import Robot
    from armlab.reports import FkReport


def fk(
    robot: RobotName,
    q: Annotated[
        list[str] | None,
        typer.Argument(metavar="Q…", help="Joint values; left out: the home pose.", show_default=False),
    ] = None,
    pose: Annotated[str | None, typer.Option("--pose", metavar="NAME", help="A named pose, not joint values.")] = None,
    frames: Annotated[bool, typer.Option("--frames", help="Also every link's frame.")] = False,
    tool: ToolName = "none",
    units: UnitsOption = Units.deg,
    as_json: AsJson = False,
) -> None:
    """Forward kinematics: the pose of the tool for joint values (° and mm)."""
    from armlab.catalog import load
    from armlab.reports import fk_report

    arm = load(robot, tool=tool)
    if pose is not None and q:
        raise InvalidInput("give either joint values or --pose, not both")
    values = joint_values(arm, q or [], units) if pose is None else arm.pose(pose).copy()
    report = fk_report(arm, values, with_frames=frames)
    if as_json:
        print_json(report)
    else:
        _print_report(arm, report)
    for note in limit_notes(arm, values):
        typer.echo(f"note: {note}", err=True)


def _print_report(robot: Robot, report: FkReport) -> None:
    out = console()
    units = ["°" if joint.kind == "revolute" else " mm" for joint in robot.joints]
    shown = [f"{j.name} {number(v)}{u}" for j, v, u in zip(robot.joints, report.q, units, strict=True)]
    out.print(heading(f"{report.robot}  {', '.join(shown)}"))
    (x, y, z), (a, b, c) = report.xyz, report.abc
    out.print(f"X {x:10.4f} mm    Y {y:10.4f} mm    Z {z:10.4f} mm")
    out.print(f"A {a:10.4f} °     B {b:10.4f} °     C {c:10.4f} °")
    out.print("quaternion (w x y z)  " + "  ".join(f"{v:.6f}" for v in report.quaternion))
    for row in report.matrix:
        out.print("  ".join(f"{v:12.6f}" for v in row))
    if report.frames is not None:
        lines = [
            (f.name, *(f"{v:.4f}" for v in f.xyz), "  ".join(f"{v:.6f}" for v in f.quaternion)) for f in report.frames
        ]
        out.print(table("Frames", ("frame", "X mm", "Y mm", "Z mm", "quaternion (w x y z)"), lines, words=(0, 4)))
