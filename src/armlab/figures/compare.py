"""The three structures in one figure: how well they follow, how far their joints come apart, what a step costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armlab.figures.style import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    ORANGE,
    check_figure_path,
    in_style,
    new_figure,
    save_figure,
    shown_name,
)
from armlab.sim.compare import Comparison
from armlab.sim.state import Structure
from armlab.units import MM_PER_M

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["check_figure_path", "draw_comparison", "save_figure"]

COLOURS: dict[Structure, str] = {"hierarchy": BLUE, "joints": ORANGE, "articulation": GREEN}
LEAST = 1e-7
"""mm: what is less is drawn as this, on logarithmic axes."""


def draw_comparison(comparison: Comparison) -> Figure:
    """Return a figure: the tool's error and the largest gap over time, and the cost of a step."""
    figure = new_figure(9.0, 5.6)
    with in_style():
        grid = figure.add_gridspec(2, 2, width_ratios=(2.4, 1.0))
        error, gap = figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[1, 0])
        cost, energy = figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, 1])
    for structure, made in comparison.figures.items():
        run, colour = made.run, COLOURS[structure]
        there, wanted = (comparison.robot.fk(q)[:, :3, 3] for q in (run.q, run.commanded))
        off = np.linalg.norm(there - wanted, axis=1) * MM_PER_M
        line: dict[str, Any] = {
            "color": colour,
            "linewidth": 1.6,
            "linestyle": "--" if structure == "articulation" else "-",
        }
        error.plot(run.time, np.maximum(off, LEAST), label=structure, **line)
        gap.plot(run.time, np.maximum(run.gap * MM_PER_M, LEAST), **line)
    _finish(error, "", "tool off its path [mm]")
    _finish(gap, "time [s]", "largest gap of a joint [mm]")
    error.legend(loc="center right", fontsize=8.5, frameon=True, framealpha=0.9, edgecolor=FAINT)
    _bars(cost, comparison, {s: f.us_per_step for s, f in comparison.figures.items()}, "one step [µs]")
    drifts = {s: f.energy_drift for s, f in comparison.figures.items() if f.energy_drift is not None}
    _bars(energy, comparison, drifts, "energy drift, falling [J]")
    title = f"{shown_name(comparison.robot)}: three structures, steps of {comparison.timestep * 1e3:g} ms"
    figure.suptitle(title, fontsize=11, x=0.01, ha="left", color=INK)
    return figure


def _finish(axes: Axes, across: str, up: str) -> None:
    axes.set(xlabel=across, ylabel=up, yscale="log")
    axes.set_axisbelow(True)
    axes.grid(visible=True, color=FAINT, linewidth=0.6)


def _bars(axes: Axes, comparison: Comparison, values: dict[Structure, float], label: str) -> None:
    names = [structure for structure in comparison.figures if structure in values]
    heights = [max(values[structure], 1e-15) for structure in names]
    axes.bar(names, heights, color=[COLOURS[structure] for structure in names], width=0.6)
    axes.set_yscale("log")
    axes.set_ylabel(label)
    axes.tick_params(axis="x", labelsize=8.5)
    axes.set_axisbelow(True)
    axes.grid(visible=True, axis="y", color=FAINT, linewidth=0.6)
