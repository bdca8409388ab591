"""What all figures share: one look, and files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.files import checked_suffix, written_whole
from armlab.messages import ENGLISH, _, reader, tr
from armlab.model.robot import Robot
from armlab.units import joint_scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")
INK, PAPER, FAINT, ARM = "#1b1f24", "#ffffff", "#d5d9de", "#c2410c"
QUIET = "#6b7480"
ORANGE, GREEN, BLUE = "#d55e00", "#009e73", "#0072b2"
"""Three colours that everybody can tell apart (Okabe and Ito): the x, y and z axes of a frame."""
COLOURS = "viridis"
"""Light is more; readable with any colour vision and in grey."""
DOTS_PER_INCH = 160
DOTS_PER_INCH_IN_PRINT = 300
"""Of the shaded solids inside an SVG or PDF; all else there is lines and text."""
STYLE = {
    "font.family": ["DejaVu Sans"],
    "font.size": 10.0,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.linewidth": 0.8,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "svg.fonttype": "none",
    "svg.hashsalt": "armlab",
}
_TIGHT: dict[str, Any] = {"bbox_inches": "tight", "pad_inches": 0.12}
_JOINTS_SHOWN = 8


def in_style() -> AbstractContextManager[None]:
    """Return a context in which figures and axes are made with armlab's look."""
    import matplotlib

    return matplotlib.rc_context(STYLE)  # type: ignore[arg-type]


def new_figure(width: float, height: float, *, layout: str | None = "constrained") -> Figure:
    """Return an empty figure of that size in inches; it belongs to no window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with in_style():
        figure = Figure(figsize=(width, height), layout=layout, facecolor=PAPER)  # type: ignore[arg-type]
    FigureCanvasAgg(figure)
    return figure


def plain_text(text: str) -> str:
    """Return words as Matplotlib is to be given them: it takes what stands between two dollar signs for mathematics."""
    return text.replace("$", r"\$")


def shown_name(robot: Robot) -> str:
    """Return what a person calls the robot, for a figure."""
    return plain_text(robot.title or robot.name)


def decimal(text: str) -> str:
    """Return a number that was written with a point with the reader's decimal sign."""
    return text if reader.get() == ENGLISH else text.replace(".", ",")


def unit_text(kind: str) -> str:
    """Return the unit of a joint as the reader writes it."""
    return "°" if kind == "revolute" else tr("mm")


def joint_text(robot: Robot, q: Floats) -> str:
    """Return joint values as people read them: `A1 0°  A2 -90°`; of a very long arm the first ones."""
    parts = []
    for joint, value in list(zip(robot.joints, q, strict=True))[:_JOINTS_SHOWN]:
        text = f"{value / joint_scale(joint.kind):.1f}".removesuffix(".0")
        text = decimal("0" if text == "-0" else text)
        parts.append(f"{plain_text(joint.name)} {text}{'°' if joint.kind == 'revolute' else ' ' + tr('mm')}")
    return "   ".join(parts) + ("   …" if robot.dof > _JOINTS_SHOWN else "")


def save_figure(figure: Figure, path: Path | str) -> None:
    """Write a figure as PNG, SVG or PDF, whole or not at all.

    Raises:
        InvalidInput: if the name ends otherwise, or the file cannot be written.
    """
    path = check_figure_path(path)
    kind = path.suffix.lower().removeprefix(".")
    dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]  # the same map, the same file
    dots = DOTS_PER_INCH if kind == "png" else DOTS_PER_INCH_IN_PRINT
    with written_whole(path) as beside, in_style():
        figure.savefig(beside, format=kind, dpi=dots, metadata=dated, **_TIGHT)


def check_figure_path(path: Path | str, suffixes: Sequence[str] = SUFFIXES) -> Path:
    """Return `path` if a file of this kind can be written there; asked before a long computation.

    Raises:
        InvalidInput: if its name does not end in one of `suffixes`, or its folder does not exist or is read-only.
    """
    path = checked_suffix(Path(path), suffixes)
    facts = {"file": str(path), "folder": str(path.parent)}
    if not path.parent.is_dir():
        raise InvalidInput("no_such_folder", _("{file}: there is no folder {folder}"), **facts)
    if path.is_dir():
        raise InvalidInput("is_a_folder", _("{file}: is a folder"), file=str(path))
    if not os.access(path.parent, os.W_OK):
        raise InvalidInput(
            "folder_read_only", _("{file}: cannot be written; the folder {folder} is read-only"), **facts
        )
    return path
