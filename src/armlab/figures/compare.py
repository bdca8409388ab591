"""The three structures in one figure: how well they follow, how far their joints come apart, what a step costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armlab.figures.style import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    ORANGE,
    QUIET,
    check_figure_path,
    decimal,
    in_style,
    new_figure,
    save_figure,
    shown_name,
)
from armlab.messages import tr
from armlab.sim.compare import StructureComparison
from armlab.sim.state import Structure
from armlab.units import MM_PER_M

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["check_figure_path", "draw_comparison", "save_figure"]

COLOURS: dict[Structure, str] = {"hierarchy": BLUE, "joints": ORANGE, "articulation": GREEN}
LINES = {"hierarchy": (1.6, "-"), "joints": (3.2, "-"), "articulation": (1.4, "--")}
"""Width and dashes: two structures that do the same are both seen."""
LEAST = 1e-15
"""The shortest bar, on its logarithmic axis."""


def draw_comparison(comparison: StructureComparison) -> Figure:
    """Return a figure: the tool's error and the largest gap over time, the cost of a step and the drift of energy."""
    figure = new_figure(9.6, 5.4)
    with in_style():
        grid = figure.add_gridspec(2, 2, width_ratios=(1.9, 1.0))
        error, gap = figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[1, 0])
        cost, energy = figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, 1])
    for structure in ("joints", "articulation", "hierarchy"):
        run = comparison.metrics[structure].run
        there, wanted = (comparison.robot.fk(q)[:, :3, 3] for q in (run.q, run.commanded))
        width, dashes = LINES[structure]
        style = {"color": COLOURS[structure], "linewidth": width, "linestyle": dashes, "label": structure}
        error.plot(run.time, np.linalg.norm(there - wanted, axis=1) * MM_PER_M, **style)  # type: ignore[arg-type]
        gap.plot(run.time, run.gap * MM_PER_M, **style)  # type: ignore[arg-type]
    _finish(error, comparison, "", tr("tool error [mm]"))
    _finish(gap, comparison, tr("time [s]"), tr("largest joint gap [mm]"))
    handles, names = error.get_legend_handles_labels()
    order = [names.index(structure) for structure in comparison.metrics]
    figure.legend(
        [handles[i] for i in order], [names[i] for i in order], loc="outside upper right", ncols=3, frameon=False
    )
    _bars(cost, {s: f.us_per_step for s, f in comparison.metrics.items()}, tr("one step"), tr("µs"))
    _bars(
        energy, {s: f.energy_drift for s, f in comparison.metrics.items()}, tr("energy drift of a free fall"), tr("J")
    )
    step = comparison.timestep * 1e3
    title = tr("{robot}, steps of {step:g} ms", robot=shown_name(comparison.robot), step=step)
    figure.suptitle(title, fontsize=11, x=0.01, ha="left", color=INK)
    return figure


def _finish(axes: Axes, comparison: StructureComparison, across: str, up: str) -> None:
    axes.set(xlabel=across, ylabel=up, xlim=(0.0, comparison.command.duration))
    top = axes.get_ylim()[1]
    axes.set_ylim(-0.04 * top, 1.05 * top)
    axes.set_axisbelow(True)
    axes.grid(visible=True, color=FAINT, linewidth=0.6)


def _bars(axes: Axes, values: dict[Structure, float | None], title: str, unit: str) -> None:
    """Draw bars across, each with its number; the axis is logarithmic and needs no ticks beside them."""
    names = list(values)
    there = [max(value, LEAST) for value in values.values() if value is not None]
    start = min(there) / 10.0
    lengths = [start if value is None else max(value, LEAST) for value in values.values()]
    axes.barh(names, lengths, color=[COLOURS[name] for name in names], height=0.6)
    axes.set_xscale("log")
    decades = np.log10(max(there) / start)
    axes.set_xlim(start, max(there) * 10.0 ** (0.45 * decades))
    for row, (length, value) in enumerate(zip(lengths, values.values(), strict=True)):
        text = decimal(f"{value:.2g} {unit}") if value is not None else tr("no masses, no energy")
        axes.text(
            length * 10.0 ** (0.03 * decades), row, text, va="center", fontsize=9, color=QUIET if value is None else INK
        )
    axes.invert_yaxis()
    axes.set_title(title, fontsize=10, loc="left")
    axes.xaxis.set_visible(False)
    axes.tick_params(axis="y", length=0, labelsize=9)
    for side in ("top", "right", "bottom"):
        axes.spines[side].set_visible(False)
