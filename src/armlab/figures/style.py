"""What all figures share: one look, and files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.model.robot import Robot
from armlab.units import joint_scale, joint_unit

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


def shown_name(robot: Robot) -> str:
    """Return what a person calls the robot."""
    return robot.title or robot.name


def joint_text(robot: Robot, q: Floats) -> str:
    """Return joint values as people read them: `A1 0°  A2 -90°`; of a very long arm the first ones."""
    parts = []
    for joint, value in list(zip(robot.joints, q, strict=True))[:_JOINTS_SHOWN]:
        text = f"{value / joint_scale(joint.kind):.1f}".removesuffix(".0")
        unit = joint_unit(joint.kind)
        parts.append(f"{joint.name} {'0' if text == '-0' else text}{unit if unit == '°' else f' {unit}'}")
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


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Give a name beside `path`, with the same ending, to write to; it becomes `path` at the end, if all went well.

    Raises:
        InvalidInput: if the file cannot be written.
    """
    beside = path.with_name(f".{path.stem}.{secrets.token_hex(4)}{path.suffix}")
    try:
        yield beside
        beside.replace(path)
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be written ({error.strerror or error})") from None
    finally:
        beside.unlink(missing_ok=True)


def check_figure_path(path: Path | str, suffixes: Sequence[str] = SUFFIXES, what: str = "a figure") -> Path:
    """Return `path` if a figure can be written there; asked before a long computation.

    Raises:
        InvalidInput: if its name does not end in one of `suffixes`, or its folder does not exist or is read-only.
    """
    path = Path(path)
    if path.suffix.lower() not in suffixes:
        raise InvalidInput(f"{path.name}: the name of {what} ends in {', '.join(suffixes)}")
    if not path.parent.is_dir():
        raise InvalidInput(f"{path}: there is no folder {path.parent}")
    if path.is_dir():
        raise InvalidInput(f"{path}: is a folder")
    if not os.access(path.parent, os.W_OK):
        raise InvalidInput(f"{path}: cannot be written (the folder {path.parent} is read-only)")
    return path
