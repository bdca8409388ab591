"""`armlab view`: the arm in a window with sliders, as a picture, or moving."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import BaseModel, ConfigDict

from armlab.cli.arguments import AsJson, RobotName, ToolName, Units, UnitsOption, joint_values, limit_notes
from armlab.cli.text import console, number, print_json, progress_bar
from armlab.errors import InvalidInput

if TYPE_CHECKING:
    from armlab.arrays import Floats
    from armlab.model.robot import Robot


class ViewReport(BaseModel):
    """What was drawn and where it was written: millimetres and degrees."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    robot: str
    file: str
    q: tuple[float, ...]
    """The joints of the picture, or the last ones of the motion."""
    xyz: tuple[float, float, float]
    abc: tuple[float, float, float]
    pictures: int
    """One, or how many the motion has."""


def view(
    robot: RobotName,
    q: Annotated[
        list[str] | None,
        typer.Argument(metavar="Q…", help="Joint values; left out: the home pose.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Save instead of opening a window: .png, .svg, .pdf, or moving: .gif, .mp4.",
            show_default=False,
        ),
    ] = None,
    pose: Annotated[str, typer.Option("--pose", metavar="NAME", help="A named pose instead of joint values.")] = "",
    tool: ToolName = "none",
    stick: Annotated[bool, typer.Option("--stick", help="Lines from joint to joint instead of solids.")] = False,
    frames: Annotated[bool, typer.Option("--frames/--no-frames", help="The axes of every joint and the tool.")] = True,
    units: UnitsOption = Units.deg,
    as_json: AsJson = False,
) -> None:
    """Show the arm: in a window with sliders, or as a file where there is no display or -o is given.

    A .gif or .mp4 moves from home to the given joints and back; with none given, through all named poses.
    """
    from armlab.catalog import load
    from armlab.figures.window import can_open_window, open_window

    arm = load(robot, tool=tool)
    if pose and q:
        raise InvalidInput("give either joint values or --pose, not both")
    values = arm.pose(pose).copy() if pose else joint_values(arm, q or [], units)
    is_window = output is None and not as_json and can_open_window()
    path = Path() if is_window else _checked(output if output is not None else Path(f"{arm.name}.png"))
    for note in limit_notes(arm, values):
        typer.echo(f"note: {note}", err=True)
    if is_window:
        open_window(arm, values, frames=frames, solid=not stick)
        return
    report = _saved(arm, values, path, frames=frames, solid=not stick)
    if as_json:
        print_json(report)
    else:
        why = "no display for a window, so a picture was saved: " if output is None else ""
        console().print(why + _sentence(arm, report), markup=False, soft_wrap=True)


def _checked(path: Path) -> Path:
    from armlab.figures import animation, style

    if path.suffix.lower() in animation.SUFFIXES:
        return animation.check_animation_path(path)
    return style.check_figure_path(path, (*style.SUFFIXES, *animation.SUFFIXES), "a picture")


def _saved(arm: Robot, q: Floats, path: Path, *, frames: bool, solid: bool) -> ViewReport:
    from armlab.figures.animation import SUFFIXES, save_animation
    from armlab.figures.arm import draw_arm
    from armlab.figures.style import save_figure
    from armlab.reports import fk_report

    pictures = 1
    if path.suffix.lower() in SUFFIXES:
        rows = _motion(arm, q)
        pictures, q = len(rows), rows[-1]
        with progress_bar(path.name) as progress:
            save_animation(arm, rows, path, frames=frames, solid=solid, progress=progress)
    else:
        save_figure(draw_arm(arm, q, frames=frames, solid=solid), path)
    at = fk_report(arm, q)
    return ViewReport(robot=arm.name, file=str(path), q=at.q, xyz=at.xyz, abc=at.abc, pictures=pictures)


def _motion(arm: Robot, q: Floats) -> Floats:
    """Return the joints of each picture: to `q` and back, or, if that is home itself, a tour of the named poses."""
    import numpy as np

    from armlab.figures.animation import between, tour

    return tour(arm) if np.allclose(q, arm.home) else between(np.array([arm.home, q, arm.home]))


def _sentence(arm: Robot, report: ViewReport) -> str:
    if report.pictures > 1:
        return f"{report.file}: {report.robot} moving, {report.pictures} pictures"
    units = ["°" if joint.kind == "revolute" else " mm" for joint in arm.joints]
    joints = [f"{j.name} {number(v)}{u}" for j, v, u in zip(arm.joints, report.q, units, strict=True)]
    at = "  ".join(f"{axis} {number(value, 1)}" for axis, value in zip("XYZ", report.xyz, strict=True))
    return f"{report.file}: {report.robot} at {', '.join(joints)}; tool at {at} mm"
