"""Pictures of calibrations and of ISO 9283 tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armlab.arrays import Floats
from armlab.figures.style import BLUE, COLOURS, ORANGE, in_style, new_figure
from armlab.messages import tr

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_errors(before: Floats, after: Floats) -> Figure:
    """Return the errors (mm) of each measurement before and after a calibration, on a logarithmic scale."""
    figure = new_figure(7.0, 3.2)
    with in_style():
        axes = figure.subplots()
        rows = np.arange(1, len(before) + 1)
        axes.semilogy(rows, np.maximum(before, 1e-6), "o", ms=3.5, color=ORANGE, label=tr("before"))
        axes.semilogy(rows, np.maximum(after, 1e-6), "o", ms=3.5, color=BLUE, label=tr("after"))
        axes.set_xlabel(tr("measurement"))
        axes.set_ylabel(tr("position error, mm"))
        axes.grid(visible=True)
        axes.legend(frameon=False)
    return figure


def draw_error_map(points: Floats, before: Floats, after: Floats) -> Figure:
    """Return errors (mm) over the workspace: points (m, 3) mm from the side, before on the left, after on the right."""
    figure = new_figure(8.0, 3.6)
    with in_style():
        for axes, values, title in zip(
            figure.subplots(1, 2), (before, after), (tr("before"), tr("after")), strict=True
        ):
            radius = np.hypot(points[:, 0], points[:, 1])
            drawn = axes.scatter(radius, points[:, 2], c=values, s=9, cmap=COLOURS)
            figure.colorbar(drawn, ax=axes, label=tr("mm"))
            axes.set_title(title)
            axes.set_xlabel(tr("distance from the z axis, mm"))
            axes.set_ylabel(tr("z, mm"))
            axes.set_aspect("equal")
    return figure


def draw_clouds(commanded: Floats, attained: Floats) -> Figure:
    """Return where an arm came to for each commanded point: attained (k, c, 3) minus commanded (k, 3), mm."""
    count = len(commanded)
    figure = new_figure(2.1 * count, 2.6)
    with in_style():
        for k, axes in enumerate(np.atleast_1d(figure.subplots(1, count, sharex=True, sharey=True))):
            off = attained[k] - commanded[k]
            axes.plot(off[:, 0], off[:, 1], ".", ms=3, color=BLUE)
            axes.plot(0.0, 0.0, "+", ms=10, color=ORANGE)
            axes.set_title(f"P{k + 1}")
            axes.set_xlabel(tr("x, mm"))
            axes.set_aspect("equal")
            axes.grid(visible=True)
        figure.axes[0].set_ylabel(tr("y, mm"))
    return figure


def draw_path(commanded: Floats, attained: Floats, enlarged: float) -> Figure:
    """Return a path (m, 3) mm in its plane, and what an arm made of it in cycles (c, m, 3), enlarged."""
    figure = new_figure(5.2, 5.2)
    middle = commanded.mean(axis=0)
    across, size = np.linalg.svd(commanded - middle)[2][:2], float(np.ptp(commanded, axis=0).max())
    is_line = float(np.ptp((commanded - middle) @ across[1])) < 1e-3 * size
    if is_line:  # beside the line, the direction in which it is missed
        off = (attained - commanded).mean(axis=(0, 1))
        off = off - (off @ across[0]) * across[0]
        across[1] = off / max(float(np.linalg.norm(off)), 1e-12)
    with in_style():
        axes = figure.subplots()
        axes.plot(*((commanded - middle) @ across.T).T, color=ORANGE, lw=1.2, label=tr("commanded"))
        for k, cycle in enumerate(attained):
            shown = commanded + enlarged * (cycle - commanded)
            label = tr("attained, {factor:g} times enlarged", factor=enlarged) if k == 0 else None
            axes.plot(*((shown - middle) @ across.T).T, color=BLUE, lw=0.5, label=label)
        axes.set_aspect("auto" if is_line else "equal")
        axes.set_xlabel(tr("mm"))
        axes.grid(visible=True)
        axes.legend(frameon=False)
    return figure
