"""Pictures of an arm: at one pose, and along a path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.figures.scene import ArmScene, bounds_around
from armlab.figures.style import FAINT, INK, QUIET, in_style, joint_text, new_figure, shown_name
from armlab.messages import _, tr
from armlab.model.robot import Robot
from armlab.units import MM_PER_M

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.text import Text

WIDTH, HEIGHT = 7.2, 6.6
_LINE = 92
"""Characters per line under the title."""


def draw_arm(robot: Robot, q: ArrayLike, *, frames: bool = True, solid: bool = True) -> Figure:
    """Return a figure of the arm at the joints `q` (n,) in 3D, solid or as sticks, with or without its frames.

    Raises:
        InvalidInput: if `q` is not one finite value per joint.
    """
    row = as_floats(q, (robot.dof,), f"{robot.name}: q")
    figure = new_figure(WIDTH, HEIGHT, layout=None)
    scene = ArmScene(figure, robot, bounds_around(robot, row[None], solid=solid), frames=frames, solid=solid)
    scene.show(row)
    with in_style():
        add_title(figure, shown_name(robot), pose_lines(robot, row))
    return figure


def draw_path(robot: Robot, q: ArrayLike, *, solid: bool = True) -> Figure:
    """Return a figure of the tool's path through the joints `q` (m, n), the arm pale at the start, full at the end.

    Raises:
        InvalidInput: if `q` has not one finite value per joint in each row, or no row.
    """
    rows = path_rows(robot, q)
    points = robot.fk(rows)[:, :3, 3]
    figure = new_figure(WIDTH, HEIGHT, layout=None)
    ends = rows[[0, -1]]
    scene = ArmScene(figure, robot, bounds_around(robot, ends, solid=solid, points=points), frames=False, solid=solid)
    scene.show(rows[-1])
    scene.add_ghost(rows[0])
    scene.add_path(points)
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum()) * MM_PER_M
    with in_style():
        scene.axes.legend(loc="upper right", fontsize=8.5, edgecolor=FAINT, framealpha=0.9)
        text = f"{tr('from')}  {joint_text(robot, rows[0])}\n{tr('to')}  {joint_text(robot, rows[-1])}"
        title = tr("{robot}: path of the tool point, {length:.0f} mm", robot=shown_name(robot), length=length)
        add_title(figure, title, text)
    return figure


def path_rows(robot: Robot, q: ArrayLike) -> Floats:
    """Return `q` as rows (m, n), at least one.

    Raises:
        InvalidInput: if it is something else.
    """
    rows = as_floats(q, (None, robot.dof), f"{robot.name}: q")
    if len(rows) == 0:
        raise InvalidInput(
            "empty_path", _("{robot}: q: a path needs at least one row of joint values"), robot=robot.name
        )
    return rows


def pose_lines(robot: Robot, q: Floats) -> str:
    """Return the joint values and where they put the tool, as people read them."""
    x, y, z = np.round(robot.fk(q)[:3, 3] * MM_PER_M, 1) + 0.0
    tool = tr("tool at  x {x:.1f}   y {y:.1f}   z {z:.1f} mm", x=float(x), y=float(y), z=float(z))
    return f"{joint_text(robot, q)}\n{tool}"


def add_title(figure: Figure, title: str, text: str) -> Text:
    """Write a title at the top left with smaller lines under it, which are returned."""
    lines = [piece for line in text.splitlines() for piece in _wrapped(line)]
    figure.text(0.03, 0.975, title, fontsize=12, fontweight="bold", color=INK, va="top")
    return figure.text(0.03, 0.935, "\n".join(lines), fontsize=9, color=QUIET, va="top", linespacing=1.4)


def _wrapped(line: str) -> list[str]:
    """Return the line in pieces that fit under the title, cut only between one joint and the next."""
    pieces = [""]
    for part in line.split("   "):
        longer = f"{pieces[-1]}   {part}" if pieces[-1] else part
        if len(longer) > _LINE:
            pieces.append(part)
        else:
            pieces[-1] = longer
    return pieces
