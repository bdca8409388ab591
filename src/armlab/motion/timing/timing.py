"""The fastest motion along a given path: only the time along it is chosen, the path itself stays as it is."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.kernels.timing import curve
from armlab.kernels.timing import grid as topp_grid
from armlab.messages import _, term
from armlab.model.robot import Robot
from armlab.motion.checks import check_joint_count
from armlab.motion.limits import Limits, ToolLimits
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.timing.demands import SAMPLES, Demands, InverseDynamics, ToolDerivatives
from armlab.motion.timing.grid import GridTiming, PathGrid, Spans, coarse_grid, even_grid, fastest, spans_of
from armlab.motion.timing.jerk import TimedRun, smooth_run
from armlab.motion.trajectory import SAME_PLACE, Trajectory

__all__ = ["ToolDerivatives", "jerk_limited", "time_optimal"]

PER_SPAN = (4, 40)
"""Intervals per span of the path, at least and at most; in all at least FEWEST and at most MOST."""
PER_RAMP = 15.0
"""Intervals, between these bounds, in the time in which a joint reaches its full speed."""
FEWEST, MOST = 200, 3000
ROUNDS = 2
"""How often sampled limits are tightened where the motion is beyond them."""
SMOOTH = 1e-6
"""A derivative of the path jumps when it changes by more than this share of its size."""
SAFE = 1.0 + 1e-11
"""Stretch against rounding."""
NO_STOPS = np.empty(0)
NOT_SMOOTH = (
    ("path_jumps", _("path: it jumps at s = {s:.6g}")),
    ("path_corner", _("path: it has a corner at s = {s:.6g}; name it as a stop")),
    ("path_curvature_jumps", _("path: its curvature jumps at s = {s:.6g}; name it as a stop")),
)


def time_optimal(
    path: PiecewisePolynomial,
    limits: Limits,
    *,
    stops: ArrayLike = (),
    tool: ToolDerivatives | None = None,
    tool_limits: ToolLimits | None = None,
    robot: Robot | None = None,
) -> Trajectory:
    """Return the fastest motion along `path` (joints over a parameter s), from rest to rest.

    Velocity and acceleration of every joint stay inside `limits` at every time, not only on a grid.

    Args:
        path: the joints over s; its first derivative is continuous between the stops.
        limits: of the joints; the effort counts only with a `robot`.
        stops: values of s at which the motion comes to rest, such as corners.
        tool: the path of the tool over the same s, for `tool_limits`.
        tool_limits: what the tool may do.
        robot: the arm whose torques are kept inside the effort limits.

    Raises:
        InvalidInput: if the path has a corner that is no stop, does not move, or does not go with the limits.
        PlanningFailed: if a torque limit does not even hold the arm still: where, and which joint.
    """
    spans = _checked(path, limits, stops, 1)
    demands = _demands(path, limits, tool, tool_limits, robot)
    rough = fastest(coarse_grid(path, spans), limits, demands)
    grid = even_grid(path, spans, rough, _intervals(spans, rough, limits))
    timed, factor = _within(grid, limits, demands)
    root = np.sqrt(timed.x)
    inner = np.zeros((len(timed.h), 3))
    inner[:, 1] = 2.0 * root[:-1] / (root[:-1] + root[1:])
    inner[:, 2] = 1.0 - inner[:, 1]
    m, terms, n = grid.local.shape
    coefficients = np.empty((m, 2 * (terms - 1) + 1, n))
    curve.compose_into(grid.local, inner, coefficients)
    return _trajectory([TimedRun(timed.h * factor, coefficients)])


def jerk_limited(
    path: PiecewisePolynomial,
    limits: Limits,
    *,
    stops: ArrayLike = (),
    tool: ToolDerivatives | None = None,
    tool_limits: ToolLimits | None = None,
    robot: Robot | None = None,
) -> Trajectory:
    """Return the fastest motion along `path` whose jerk is limited too; the acceleration is continuous, zero at rest.

    The arguments are those of `time_optimal`; between the stops the second derivative of the path is continuous.

    Raises:
        InvalidInput: if the path is not smooth between the stops, does not move, or does not go with the limits.
        PlanningFailed: if a torque limit does not even hold the arm still: where, and which joint.
    """
    spans = _checked(path, limits, stops, 2)
    demands = _demands(path, limits, tool, tool_limits, robot)
    grid = coarse_grid(path, spans)
    rough = fastest(grid, limits, demands)
    per = len(grid.delta) // len(spans.rows)
    firsts = np.append(np.flatnonzero(spans.is_rest), len(spans.rows))
    runs = []
    for low, high in pairwise(firsts):
        own = Spans(spans.rows[low:high], spans.edges[low : high + 1], spans.is_rest[low:high])
        cut = slice(low * per, high * per)
        part = PathGrid(
            grid.parts[cut], grid.s[low * per : high * per + 1], grid.delta[cut], grid.local[cut], grid.is_rest[cut]
        )
        timed = GridTiming(part, rough.x[low * per : high * per + 1], rough.h[cut])
        runs.append(smooth_run(path, own, timed, limits, demands))
    return _trajectory(runs)


def _intervals(spans: Spans, rough: GridTiming, limits: Limits) -> int:
    ramps = sorted((limits.velocity / limits.acceleration).tolist())  # np.median takes as long as a kernel here
    ramp = 0.5 * (ramps[len(ramps) // 2] + ramps[~(len(ramps) // 2)])
    low, high = (max(per * len(spans.rows), FEWEST) for per in PER_SPAN)
    return int(min(max(PER_RAMP * float(rough.h.sum()) / ramp, low), high, MOST))


def _within(grid: PathGrid, limits: Limits, demands: Demands) -> tuple[GridTiming, float]:
    """Return the fastest timing and by how much it has to be stretched to keep what is sampled."""
    timed = fastest(grid, limits, demands)
    if not demands.has_any:
        return timed, SAFE
    share = np.ones(len(grid.delta))
    for _round in range(ROUNDS):
        peaks = _peaks(timed, demands)
        worst = np.maximum(peaks[:, 0] ** 2, peaks[:, 1])
        if worst.max() <= 1.0:
            break
        share /= np.maximum(worst, 1.0)
        timed = fastest(grid, limits, demands, share)
    peaks = _peaks(timed, demands)
    return timed, max(1.0, float(peaks[:, 0].max()), float(peaks[:, 1].max()) ** 0.5) * SAFE


def _peaks(timed: GridTiming, demands: Demands) -> Floats:
    u = np.linspace(0.0, 1.0, SAMPLES)
    grid = timed.grid
    root = np.sqrt(timed.x)
    first = 2.0 * root[:-1] / (root[:-1] + root[1:])
    places = grid.s[:-1, None] + grid.delta[:, None] * (first[:, None] * u + (1.0 - first)[:, None] * u * u)
    speeds = root[:-1, None] + (root[1:] - root[:-1])[:, None] * u
    pulls = np.broadcast_to(((root[1:] - root[:-1]) / timed.h)[:, None], speeds.shape)
    return demands.peaks(places, np.stack([speeds, pulls, np.zeros_like(speeds)]))[:, :2]


def _trajectory(runs: list[TimedRun]) -> Trajectory:
    h = np.concatenate([run.h for run in runs]) if len(runs) > 1 else runs[0].h
    coefficients = np.concatenate([run.coefficients for run in runs]) if len(runs) > 1 else runs[0].coefficients
    times = np.zeros(len(h) + 1)
    rounding = 8.0 * np.finfo(np.float64).eps * float(h.sum() / h.min())
    np.cumsum(h * (1.0 + rounding), out=times[1:])
    return Trajectory(PiecewisePolynomial(times, coefficients))


def _checked(path: PiecewisePolynomial, limits: Limits, stops: ArrayLike, smoothness: int) -> Spans:
    """Return the spans of a path that can be timed."""
    check_joint_count(term(_("limits")), limits.dof, path.width)
    if path.coefficients.shape[1] < 2 or not path.coefficients[:, 1:].any():
        raise InvalidInput("path_without_motion", _("path: its joints do not move"))
    places = np.unique(as_floats(stops, (None,), "stops")) if np.size(stops) else NO_STOPS
    for place in places:
        if not path.start <= place <= path.end:
            raise InvalidInput(
                "stop_outside",
                _("stops: {place:g} is outside the path, {start:g} … {end:g}"),
                place=float(place),
                start=path.start,
                end=path.end,
            )
    inner = places[(places > path.start) & (places < path.end)] if len(places) else NO_STOPS
    spans = spans_of(path, inner)
    at_rest = spans.is_rest
    if len(inner):
        at_rest = np.isin(path.breaks[:-1], spans.edges[:-1][spans.is_rest > 0.0]).astype(np.float64)
    for order in range(smoothness + 1):
        rest, jump = (at_rest, SMOOTH) if order else (np.zeros_like(at_rest), SAME_PLACE)
        corner = topp_grid.corner_of(path.breaks, path.coefficients, order, jump, rest)
        if corner:
            code, template = NOT_SMOOTH[order]
            raise InvalidInput(code, template, s=float(path.breaks[corner]))
    return spans


def _demands(
    path: PiecewisePolynomial,
    limits: Limits,
    tool: ToolDerivatives | None,
    tool_limits: ToolLimits | None,
    robot: Robot | None,
) -> Demands:
    if tool is None and tool_limits is not None and tool_limits != ToolLimits():
        raise InvalidInput("tool_path_missing", _("tool limits: the path of the tool is needed too"))
    if robot is None:
        return Demands(path, tool, tool_limits or ToolLimits(), None, limits.effort, ())
    check_joint_count(robot.name, robot.dof, path.width)
    return Demands(path, tool, tool_limits or ToolLimits(), _dynamics(robot), limits.effort, robot.joints)


def _dynamics(robot: Robot) -> InverseDynamics:
    from armlab.dynamics import inverse_dynamics

    return partial(inverse_dynamics, robot)
