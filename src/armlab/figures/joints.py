"""Joint values, speeds and accelerations over time, against their limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.figures.style import BLUE, FAINT, INK, ORANGE, in_style, new_figure, plain_text, shown_name, unit_text
from armlab.messages import _, tr
from armlab.model.robot import Robot
from armlab.units import joint_scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW, COLUMN = 1.25, 3.6  # inches
FORBIDDEN = "#f6ddcf"
_SLACK = 1e-9


class _Column(NamedTuple):
    """One quantity of all joints: its name, the end of its unit, its values (m, n) and its limits (n,), all SI."""

    name: str
    per: str
    values: Floats
    lower: Floats
    upper: Floats


def draw_joints(
    t: ArrayLike, q: ArrayLike, robot: Robot, *, qd: ArrayLike | None = None, qdd: ArrayLike | None = None
) -> Figure:
    """Return a figure of a motion: `t` (m,) in s, `q` (m, n), and speeds and accelerations if given.

    One row per joint, in degrees or millimetres; what the limits forbid is shaded, and a curve that goes there is drawn
    in another colour.

    Raises:
        InvalidInput: if the shapes do not fit one another or the times do not grow.
    """
    times = as_floats(t, (None,), "t")
    if len(times) < 2 or not (np.diff(times) > 0.0).all():
        raise InvalidInput("times_not_growing", _("t: at least two times are needed, each later than the one before"))
    shape = (len(times), robot.dof)
    columns = [_Column(tr("position"), "", as_floats(q, shape, f"{robot.name}: q"), robot.lower, robot.upper)]
    if qd is not None:
        speeds = as_floats(qd, shape, f"{robot.name}: qd")
        columns.append(_Column(tr("speed"), "/s", speeds, -robot.velocity, robot.velocity))
    if qdd is not None:
        rates = as_floats(qdd, shape, f"{robot.name}: qdd")
        columns.append(_Column(tr("acceleration"), "/s²", rates, -robot.acceleration, robot.acceleration))
    return _drawn(times, columns, robot)


def _drawn(times: Floats, columns: list[_Column], robot: Robot) -> Figure:
    wide = COLUMN * len(columns) + (2.6 if len(columns) == 1 else 0.8)
    figure = new_figure(wide, ROW * robot.dof + 1.1)
    with in_style():
        grid = figure.subplots(robot.dof, len(columns), sharex=True, squeeze=False)
    for k, column in enumerate(columns):
        for i, joint in enumerate(robot.joints):
            scale = joint_scale(joint.kind)
            axes: Axes = grid[i, k]
            _plot(axes, times, column.values[:, i] / scale, (column.lower[i] / scale, column.upper[i] / scale))
            unit = f"[{unit_text(joint.kind)}{column.per}]"
            axes.set_ylabel(f"{plain_text(joint.name)}\n{unit}" if k == 0 else unit, fontsize=9)
        grid[0, k].set_title(column.name, fontsize=10, color=INK)
        grid[-1, k].set_xlabel(tr("time [s]"))
    figure.align_ylabels()
    figure.suptitle(tr("{robot}: joints over time", robot=shown_name(robot)), fontsize=11, color=INK, x=0.01, ha="left")
    return figure


def _plot(axes: Axes, times: Floats, values: Floats, limits: tuple[float, float]) -> None:
    lower, upper = limits
    known = [limit for limit in limits if np.isfinite(limit)]
    low, high = min(*values, *known), max(*values, *known)
    room = 0.08 * (high - low) or 1.0
    low, high = low - room, high + room
    shade: dict[str, Any] = {"color": FORBIDDEN, "linewidth": 0, "zorder": 0}
    if np.isfinite(lower):
        axes.axhspan(low, lower, **shade)
    if np.isfinite(upper):
        axes.axhspan(upper, high, **shade)
    for limit in known:
        axes.axhline(limit, color=ORANGE, linewidth=0.8, zorder=1)
    outside = (values < lower - _SLACK) | (values > upper + _SLACK)
    axes.plot(times, values, color=BLUE, linewidth=1.6, zorder=2)
    axes.plot(times, np.where(outside, values, np.nan), ".-", color=ORANGE, linewidth=2.4, markersize=4, zorder=3)
    axes.set(ylim=(low, high), xlim=(times[0], times[-1]))
    axes.locator_params(axis="y", nbins=4)
    axes.tick_params(labelsize=8)
    axes.grid(visible=True, color=FAINT, linewidth=0.5)
    axes.set_axisbelow(True)
