"""`armlab view`: the arm in a window with sliders, as a picture, or moving."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import BaseModel, ConfigDict

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
from armlab.cli.text import console, joints_text, note, number, print_json, progress_bar
from armlab.messages import _, tr

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
        typer.Argument(metavar="Q…", help=_("Joint values; left out: the home configuration."), show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help=_("Save instead of opening a window: .png, .svg, .pdf, or moving: .gif, .mp4."),
            show_default=False,
        ),
    ] = None,
    configuration: Annotated[
        str, typer.Option("--configuration", metavar="NAME", help=_("A named configuration instead of joint values."))
    ] = "",
    tool: ToolName = "none",
    tcp: TcpOption = "",
    stick: Annotated[bool, typer.Option("--stick", help=_("Lines from joint to joint instead of solids."))] = False,
    frames: Annotated[
        bool, typer.Option("--frames/--no-frames", help=_("The axes of every joint and the tool."))
    ] = True,
    units: UnitsOption = Units.deg,
    as_json: AsJson = False,
) -> None:
    """Run `armlab view`."""
    from armlab.figures.window import can_open_window, open_window

    arm = arm_of(robot, tool, tcp)
    values = configuration_or_values(arm, configuration or None, q or [], units)
    is_window = output is None and not as_json and can_open_window()
    path = Path() if is_window else _checked(output if output is not None else Path(f"{arm.name}.png"))
    for message in limit_notes(arm, values):
        note(message)
    if is_window:
        open_window(arm, values, frames=frames, solid=not stick)
        return
    report = _saved(arm, values, path, frames=frames, solid=not stick)
    if as_json:
        print_json(report)
    else:
        if output is None:
            console().print(tr("no display for a window, so a picture was saved:"))
        console().print(_sentence(arm, report), markup=False, soft_wrap=True)


def _checked(path: Path) -> Path:
    from armlab.figures import animation, style

    if path.suffix.lower() in animation.SUFFIXES:
        return animation.check_animation_path(path)
    return style.check_figure_path(path, (*style.SUFFIXES, *animation.SUFFIXES))


def _saved(arm: Robot, q: Floats, path: Path, *, frames: bool, solid: bool) -> ViewReport:
    from armlab.figures.animation import SUFFIXES, save_animation
    from armlab.figures.arm import draw_arm
    from armlab.figures.style import save_figure
    from armlab.reports.kinematics import fk_report

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
    """Return the joints of each picture: to `q` and back, or, if that is home, through the named configurations."""
    import numpy as np

    from armlab.figures.animation import between, demo

    return demo(arm) if np.allclose(q, arm.home) else between(np.array([arm.home, q, arm.home]))


def _sentence(arm: Robot, report: ViewReport) -> str:
    if report.pictures > 1:
        return tr(
            "{file}: {robot} moving; pictures: {count}", file=report.file, robot=report.robot, count=report.pictures
        )
    at = "  ".join(f"{axis} {number(value, 1)}" for axis, value in zip("XYZ", report.xyz, strict=True))
    joints = joints_text(arm, report.q)
    return tr(
        "{file}: {robot} at {joints}; tool at {xyz} mm", file=report.file, robot=report.robot, joints=joints, xyz=at
    )
