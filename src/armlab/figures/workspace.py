"""Workspace maps as figures for paper and screen: cells in colour, the arm at home as a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armlab.figures.style import (
    ARM,
    COLOURS,
    FAINT,
    INK,
    PAPER,
    check_figure_path,
    in_style,
    new_figure,
    save_figure,
    shown_name,
)
from armlab.geometry import pose
from armlab.kinematics.cells import AXES, Grid
from armlab.kinematics.workspace import BranchAtlas, ReachMap
from armlab.messages import tr
from armlab.model.robot import Robot
from armlab.units import DEG_PER_RAD, MM_PER_M

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["check_figure_path", "draw_branches", "draw_reach", "save_figure"]

LONG_SIDE, COLOUR_BAR, FRAME = 6.2, 1.1, 0.9  # inches


def draw_reach(reach: ReachMap) -> Figure:
    """Return a figure of a reach map: the best manipulability of each cell in colour."""
    how = tr("section through the first axis") if reach.is_section else _seen_from(reach.grid)
    title = tr(
        "{robot}: reach of the tool point\nplane {plane}, {how}",
        robot=shown_name(reach.robot),
        plane=reach.grid.plane,
        how=how,
    )
    figure, axes = _canvas(reach.robot, reach.grid, title)
    image = axes.imshow(np.ma.masked_invalid(reach.best), cmap=COLOURS, vmin=0.0, extent=_extent(reach.grid), **_PLACED)
    figure.colorbar(image, ax=axes, label=tr("best manipulability (lengths in reaches)"), fraction=0.05, pad=0.02)
    return figure


def draw_branches(atlas: BranchAtlas) -> Figure:
    """Return a figure of a branch atlas: the number of solutions of each cell in colour."""
    from matplotlib import colormaps
    from matplotlib.colors import BoundaryNorm

    T = np.eye(4)
    T[:3, :3] = atlas.rotation
    turns = np.round(pose.as_abc(T) * DEG_PER_RAD)
    a, b, c = (f"{180 if turn == -180 else turn + 0.0:.0f}°" for turn in turns)
    square = "xyz"[AXES[atlas.grid.plane][2]]
    title = tr(
        "{robot}: solutions of inverse kinematics\n{axis} = {at:.0f} mm, tool at A {a}, B {b}, C {c}",
        robot=shown_name(atlas.robot),
        axis=square,
        at=atlas.at * MM_PER_M,
        a=a,
        b=b,
        c=c,
    )
    figure, axes = _canvas(atlas.robot, atlas.grid, title)
    most = max(1, atlas.most)
    colours = colormaps[COLOURS].resampled(most)
    norm = BoundaryNorm(np.arange(most + 1) + 0.5, most)
    cells = np.ma.masked_less(atlas.solutions, 1)
    image = axes.imshow(cells, cmap=colours, norm=norm, extent=_extent(atlas.grid), **_PLACED)
    ticks = range(1, most + 1, max(1, most // 8))
    bar = figure.colorbar(image, ax=axes, label=tr("number of solutions"), ticks=list(ticks), fraction=0.05, pad=0.02)
    bar.minorticks_off()
    return figure


_PLACED: dict[str, Any] = {"origin": "lower", "interpolation": "nearest", "aspect": "equal", "zorder": 1}


def _canvas(robot: Robot, grid: Grid, title: str) -> tuple[Figure, Axes]:
    """Return an empty figure in the shape of the grid, with the arm, the axes in mm and the title."""
    left, right, bottom, top = _extent(grid)
    scale = LONG_SIDE / max(right - left, top - bottom)
    wide, high = max(3.4, (right - left) * scale), max(1.6, (top - bottom) * scale)
    figure = new_figure(wide + FRAME + COLOUR_BAR, high + FRAME + 0.5)
    with in_style():
        axes = figure.add_subplot()
    across, up, _ = AXES[grid.plane]
    axes.set(
        xlim=(left, right),
        ylim=(bottom, top),
        xlabel=f"{'xyz'[across]} [{tr('mm')}]",
        ylabel=f"{'xyz'[up]} [{tr('mm')}]",
    )
    axes.set_title(title, fontsize=11, loc="left", color=INK)
    axes.set_axisbelow(True)
    axes.grid(visible=True, color=FAINT, linewidth=0.6)
    _draw_arm(axes, robot, across, up)
    return figure, axes


def _draw_arm(axes: Axes, robot: Robot, across: int, up: int) -> None:
    points = robot.frames(robot.home)[:, [across, up], 3] * MM_PER_M
    axes.plot(*points.T, color=PAPER, linewidth=5.0, solid_capstyle="round", solid_joinstyle="round", zorder=2)
    line: dict[str, Any] = {"color": ARM, "linewidth": 2.4, "solid_capstyle": "round", "solid_joinstyle": "round"}
    axes.plot(*points.T, zorder=3, label=tr("arm at home"), **line)
    axes.plot(*points[1:-1].T, "o", color=PAPER, markeredgecolor=ARM, markeredgewidth=1.6, markersize=5.5, zorder=4)
    axes.plot(*points[-1:].T, "D", color=ARM, markersize=5, markeredgecolor=PAPER, zorder=5)
    axes.legend(loc="lower right", frameon=True, framealpha=0.9, fontsize=8.5, edgecolor=FAINT)


def _extent(grid: Grid) -> tuple[float, float, float, float]:
    left, right, bottom, top = (value * MM_PER_M for value in grid.extent)
    return left, right, bottom, top


def _seen_from(grid: Grid) -> str:
    return {"xy": tr("seen from above"), "xz": tr("seen from the side"), "yz": tr("seen from the front")}[grid.plane]
