"""Signals of inertial sensors, Allan deviations, and errors of navigation over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from armlab.figures.style import BLUE, FAINT, GREEN, INK, ORANGE, QUIET, in_style, new_figure, plain_text
from armlab.messages import tr
from armlab.sensing.allan import FLOOR, AllanCurve, allan_deviation, noise_of
from armlab.sensing.evaluate import orientation_errors
from armlab.sensing.experiments import RUN_UP_START, RUN_UPS, Experiment, ramp_line
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.navigate import Estimate
from armlab.sensing.presets import DEG, G

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from armlab.sensing.sensor import SensorSamples

AXIS_COLOURS = (ORANGE, GREEN, BLUE)
FILTER_COLOURS = (QUIET, ORANGE, GREEN, BLUE, "#cc79a7", "#e69f00")
MOST_POINTS = 4000
"""Of one curve: more cannot be seen."""


def draw_imu(record: ImuRecord, ideal: ImuRecord | None = None) -> Figure:
    """Return a figure of what a sensor read, over what an ideal one would have read."""
    figure = new_figure(8.0, 5.0)
    with in_style():
        rows = figure.subplots(2, 1, sharex=True)
    _add_signals(rows, record, ideal)
    figure.suptitle(plain_text(record.name), fontsize=11, color=INK, x=0.01, ha="left")
    return figure


def draw_samples(name: str, samples: SensorSamples, quantities: Sequence[str]) -> Figure:
    """Return a figure of what a sensor of another kind read, over what was there (dotted)."""
    figure = new_figure(8.0, 3.5)
    with in_style():
        axes = figure.subplots()
    thin = slice(None, None, max(1, len(samples.t) // MOST_POINTS))
    for k, quantity in enumerate(quantities):
        colour = FILTER_COLOURS[k % len(FILTER_COLOURS)]
        read, true = samples.read[thin, k], samples.true[thin, k]
        axes.plot(samples.t[thin], read, color=colour, linewidth=0.8, label=plain_text(quantity))
        axes.plot(samples.t[thin], true, color=INK, linewidth=0.6, linestyle=":")
    _tidy(axes)
    axes.set_xlabel(tr("time [s]"))
    axes.legend(frameon=False, fontsize=8, ncols=3, loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0)
    figure.suptitle(plain_text(name), fontsize=11, color=INK, x=0.01, ha="left")
    return figure


def _add_signals(rows: Sequence[Axes], record: ImuRecord, ideal: ImuRecord | None = None) -> None:
    """Draw angular rate above and specific force below."""
    thin = slice(None, None, max(1, len(record) // MOST_POINTS))
    for axes, what, unit, label in (
        (rows[0], "gyro", DEG, tr("angular rate [°/s]")),
        (rows[1], "acc", 1.0, tr("specific force [m/s²]")),
    ):
        for k, name in enumerate("xyz"):
            axes.plot(
                record.t[thin], getattr(record, what)[thin, k] / unit, color=AXIS_COLOURS[k], linewidth=0.8, label=name
            )
            if ideal is not None:
                axes.plot(ideal.t[thin], getattr(ideal, what)[thin, k] / unit, color=INK, linewidth=0.6, linestyle=":")
        axes.set_ylabel(label)
        _tidy(axes)
    rows[1].set_xlabel(tr("time [s]"))
    rows[0].legend(frameon=False, fontsize=8, ncols=3, loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0)


def draw_allan(record: ImuRecord) -> Figure:
    """Return a figure of the Allan deviations of a record at rest, with the lines of white, 1/f and walking noise."""
    figure = new_figure(9.0, 4.2)
    with in_style():
        left, right = figure.subplots(1, 2)
    for axes, values, unit, label in (
        (left, record.gyro, DEG, tr("gyroscope [°/s]")),
        (right, record.acc, 1e-6 * G, tr("accelerometer [µg]")),
    ):
        curve = allan_deviation(values / unit, record.rate)
        for k, name in enumerate("xyz"):
            axes.loglog(curve.tau, np.maximum(curve.deviation[:, k], 1e-300), color=AXIS_COLOURS[k], label=name)
        _add_lines(axes, curve)
        axes.set(xlabel=tr("averaging time τ [s]"), ylabel=label)
        _tidy(axes)
    left.legend(frameon=False, fontsize=8)
    title = tr("Allan deviation: {name}, {hours:.3g} h", name=plain_text(record.name), hours=record.duration / 3600.0)
    figure.suptitle(title, fontsize=11, color=INK, x=0.01, ha="left")
    return figure


def draw_navigation(record: ImuRecord, estimates: Sequence[Estimate]) -> Figure:
    """Return a figure of the errors of filters over time: heading, inclination, and position where it is known."""
    figure = new_figure(8.0, 6.2)
    with in_style():
        rows = figure.subplots(3, 1, sharex=True)
    thin = slice(None, None, max(1, len(record) // MOST_POINTS))
    for colour, estimate in zip(FILTER_COLOURS, estimates, strict=False):
        errors = orientation_errors(estimate, record)
        looks = {"color": colour, "linewidth": 1.0, "label": estimate.filter}
        for axes, values in zip(rows, (errors.heading, errors.inclination), strict=False):
            axes.plot(record.t[thin], np.degrees(values[thin]), **looks)
        if estimate.position is not None and record.position is not None:
            off = np.linalg.norm(estimate.position - record.position, axis=1)
            rows[2].semilogy(record.t[thin], np.maximum(off[thin], 1e-6), **looks)
    labels = (tr("heading error [°]"), tr("inclination error [°]"), tr("position error [m]"))
    for axes, label in zip(rows, labels, strict=True):
        axes.set_ylabel(label)
        _tidy(axes)
    rows[2].set_xlabel(tr("time [s]"))
    rows[0].legend(frameon=False, fontsize=8, ncols=3, loc="upper left")
    figure.suptitle(plain_text(record.name), fontsize=11, color=INK, x=0.01, ha="left")
    return figure


def draw_experiment(experiment: Experiment) -> Figure:
    """Return what the sensors of one of S5's experiments read: the paper's figures 7 (a), 8 (b), 10 (c) and 11 (d)."""
    if experiment.name == "d":
        return _draw_run_ups(experiment)
    count = len(experiment.records)
    figure = new_figure(4.0 + 4.0 * count, 5.0)
    with in_style():
        grid = figure.subplots(2, count, sharex=True, squeeze=False)
    for column, record in enumerate(experiment.records):
        _add_signals([grid[0, column], grid[1, column]], record)
        grid[0, column].set_title(plain_text(record.name), fontsize=9, loc="left", color=INK)
    title = tr("S5, experiment {name}", name=experiment.name)
    figure.suptitle(title, fontsize=11, color=INK, x=0.01, ha="left")
    return figure


def _draw_run_ups(experiment: Experiment) -> Figure:
    """Return the rates of all run-ups, each with the regression line of its ramp up to the set speed."""
    figure = new_figure(8.0, 4.6)
    with in_style():
        axes = figure.subplots()
    runs = zip(experiment.records, experiment.rows, RUN_UPS, strict=True)
    for i, (record, row, (_torque, speed, _mass)) in enumerate(runs):
        colour = FILTER_COLOURS[i % len(FILTER_COLOURS)]
        t = record.t - RUN_UP_START
        axes.plot(t, record.gyro[:, 2] / DEG, color=colour, linewidth=1.4, label=row.what)
        slope, level = ramp_line(t, record.gyro[:, 2], speed * DEG)
        ends = np.array([-level / slope, row.ours])
        axes.plot(ends, (level + slope * ends) / DEG, color=INK, linewidth=0.7, linestyle=":")
        axes.plot([row.ours], [speed], color=colour, marker="o", markersize=4)
    axes.set(xlabel=tr("time since the torque [s]"), ylabel=tr("angular rate [°/s]"), xlim=(-0.05, 0.55))
    axes.legend(frameon=False, fontsize=8, loc="upper right", bbox_to_anchor=(1.0, 0.92))
    _tidy(axes)
    title = tr("S5, experiment {name}", name=experiment.name)
    figure.suptitle(title, fontsize=11, color=INK, x=0.01, ha="left")
    return figure


def _add_lines(axes: Axes, curve: AllanCurve) -> None:
    density, instability, walk = (float(v.mean()) for v in noise_of(curve))
    tau = curve.tau
    low = float(np.maximum(curve.deviation, 1e-300).min()) * 0.3
    for line in (density / np.sqrt(tau), np.full_like(tau, FLOOR * instability), walk * np.sqrt(tau / 3.0)):
        if line.max() > low:
            axes.loglog(tau, np.maximum(line, low), color=QUIET, linewidth=0.8, linestyle="--")
    axes.set_ylim(bottom=low)


def _tidy(axes: Axes) -> None:
    axes.grid(visible=True, color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
