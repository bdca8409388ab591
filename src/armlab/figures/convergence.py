"""How the Levenberg–Marquardt method came to its end: error and damping, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armlab.figures.style import BLUE, FAINT, INK, ORANGE, PAPER, QUIET, in_style, new_figure
from armlab.kinematics.lm_trace import LmTrace, Stop
from armlab.messages import _, tr
from armlab.units import MM_PER_M

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEAST = 1e-12
"""mm: what is below is drawn here; a logarithm has no place for zero."""
_WHY: dict[Stop, str] = {
    "error": _("converged"),
    "step": _("stuck: the steps became too small"),
    "gradient": _("stuck: no small step makes the error smaller"),
    "steps": _("not converged: no more steps were allowed"),
}


def draw_convergence(trace: LmTrace) -> Figure:
    """Return a figure of a trace: above the error, below the damping λ, refused steps marked with a cross."""
    figure = new_figure(7.2, 5.4)
    with in_style():
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    steps = np.arange(len(trace.steps) + 1)
    errors = np.array([*(step.error for step in trace.steps), trace.error]) * MM_PER_M
    accepted = np.array([step.accepted for step in trace.steps], dtype=np.bool_)
    _curve(above, steps, np.maximum(errors, LEAST), accepted)
    above.plot(steps[-1:], np.maximum(errors[-1:], LEAST), "D", color=BLUE, markersize=6.5, zorder=4, label=tr("end"))
    _curve(below, steps[:-1], np.array([step.damping for step in trace.steps]), accepted)
    above.set_ylabel(tr("error ‖e‖ [mm]"), color=INK)
    below.set(ylabel=tr("damping λ"), xlabel=tr("step"))
    for axes in (above, below):
        axes.set_yscale("log")
        axes.grid(visible=True, color=FAINT, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    below.xaxis.get_major_locator().set_params(integer=True)
    below.set_xlim(-0.5, max(len(trace.steps), 1) + 0.5)
    if not trace.steps:
        below.set_ylim(0.1, 10.0)  # a logarithmic axis needs some range
    _add_legend(above, accepted)
    figure.suptitle(_title(trace, accepted), fontsize=11, color=INK, x=0.01, ha="left")
    return figure


def _curve(axes: Axes, steps: Any, values: Any, accepted: Any) -> None:
    axes.plot(steps, values, color=QUIET, linewidth=1.2, zorder=2)
    taken, refused = np.flatnonzero(accepted), np.flatnonzero(~accepted)
    axes.plot(
        steps[taken], values[taken], "o", color=PAPER, markeredgecolor=BLUE, markeredgewidth=1.8, zorder=3,
        label=tr("step accepted"),
    )  # fmt: skip
    axes.plot(
        steps[refused], values[refused], "X", color=ORANGE, markeredgecolor=PAPER, markersize=8.5, zorder=3,
        label=tr("step rejected"),
    )  # fmt: skip


def _add_legend(axes: Axes, accepted: Any) -> None:
    handles, names = axes.get_legend_handles_labels()
    wanted = {tr("step accepted"): accepted.any(), tr("step rejected"): (~accepted).any(), tr("end"): True}
    kept = [(handle, name) for handle, name in zip(handles, names, strict=True) if wanted[name]]
    axes.legend(*zip(*kept, strict=True), fontsize=8.5, edgecolor=FAINT, framealpha=0.9)


def _title(trace: LmTrace, accepted: Any) -> str:
    count, refused = len(trace.steps), int((~accepted).sum())
    first = f"Levenberg–Marquardt: {tr(_WHY[trace.stop])}"
    second = tr(
        "steps: {count}, rejected: {refused}; error at the end {error:.3g} mm",
        count=count,
        refused=refused,
        error=trace.error * MM_PER_M,
    )
    return f"{first}\n{second}"
