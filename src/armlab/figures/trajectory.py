"""A whole motion in one figure: positions, speeds, accelerations, jerks of the joints, and the speed of the tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armlab.arrays import Floats
from armlab.figures.style import FAINT, INK, QUIET, in_style, new_figure, plain_text, shown_name, unit_text
from armlab.messages import tr
from armlab.model.robot import Robot
from armlab.motion.limits import Limits
from armlab.motion.trajectory import Trajectory
from armlab.units import MM_PER_M, joint_scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SAMPLES = 1500
ROOM = 115.0
"""%: how far the axes of the shares go at least."""
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#6b7480", "#000000")
"""Okabe and Ito's colours, without the yellow that paper swallows."""
STYLES = ("-", "--", ":", "-.")


def draw_trajectory(trajectory: Trajectory, robot: Robot, limits: Limits, *, title: str = "") -> Figure:
    """Return a figure of a motion with a row for each derivative and one for the tool's speed.

    Positions of joints that turn and of joints that slide have rows of their own. Speeds, accelerations and jerks are
    drawn as shares of their limits, so that all joints fit one axis: beyond the dashed lines is forbidden.
    """
    t = np.linspace(0.0, trajectory.duration, SAMPLES)
    state, jerk = trajectory.sample(t), trajectory.jerk(t)
    kinds = [kind for kind in ("revolute", "prismatic") if any(joint.kind == kind for joint in robot.joints)]
    figure = new_figure(8.2, 10.4)
    with in_style():
        axes = figure.subplots(4 + len(kinds), 1, sharex=True)
    for axis, kind in zip(axes, kinds, strict=False):
        chosen = [i for i, joint in enumerate(robot.joints) if joint.kind == kind]
        unit = unit_text(kind)
        _curves(axis, t, state.q / joint_scale(kind), chosen, robot)
        axis.set_ylabel(f"{tr('position')}\n[{unit}]")
        axis.legend(loc="center left", bbox_to_anchor=(1.005, 0.5), fontsize=8, frameon=False)
    shares = ((state.qd, limits.velocity, tr("speed")), (state.qdd, limits.acceleration, tr("acceleration")))
    everyone = list(range(robot.dof))
    for axis, (values, limit, name) in zip(
        axes[len(kinds) :], (*shares, (jerk, limits.jerk, tr("jerk"))), strict=False
    ):
        _curves(axis, t, 100.0 * values / limit, everyone, robot)
        axis.set_ylabel(f"{name}\n{tr('[% of limit]')}")
        _show_limits(axis)
    axes[-1].plot(t, _tool_speed(robot, state.q, state.qd) * MM_PER_M, color=INK, linewidth=1.5)
    _tidy(axes[-1])
    axes[-1].set_ylabel(tr("tool speed\n[mm/s]"))
    axes[-1].set_xlabel(tr("time [s]"))
    axes[-1].set_xlim(0.0, trajectory.duration)
    figure.align_ylabels()
    name = tr("{robot}: motion", robot=shown_name(robot)) if not title else plain_text(title)
    figure.suptitle(name, fontsize=11, color=INK, x=0.01, ha="left")
    return figure


def _curves(axes: Axes, t: Floats, values: Floats, chosen: list[int], robot: Robot) -> None:
    for i in chosen:
        style = STYLES[(i // len(SERIES)) % len(STYLES)]
        axes.plot(
            t, values[:, i], style, color=SERIES[i % len(SERIES)], linewidth=1.4, label=plain_text(robot.joints[i].name)
        )
    _tidy(axes)


def _show_limits(axes: Axes) -> None:
    """Draw the limits, with room beyond them however small the values are."""
    for edge in (-100.0, 100.0):
        axes.axhline(edge, color=INK, linewidth=0.9, linestyle=(0, (5, 3)), zorder=1)
    axes.axhline(0.0, color=QUIET, linewidth=0.5, zorder=0)
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, -ROOM), max(high, ROOM))


def _tidy(axes: Axes) -> None:
    axes.grid(visible=True, color=FAINT, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8)


def _tool_speed(robot: Robot, q: Floats, qd: Floats) -> Floats:
    J = robot.jacobian(q)[:, :3]
    return np.asarray(np.linalg.norm(np.einsum("mij,mj->mi", J, qd), axis=1))
