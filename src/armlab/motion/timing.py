"""The fastest motion along a given path: only the time along it is chosen, the path itself stays as it is."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.kernels import topp_curve, topp_grid
from armlab.model.robot import Robot
from armlab.motion.limits import Limits, ToolLimits
from armlab.motion.pieces import Pieces
from armlab.motion.timing_demands import SAMPLES, Demands, Dynamics, ToolPathLike
from armlab.motion.timing_grid import Grid, Spans, Timed, coarse_grid, even_grid, fastest, spans_of
from armlab.motion.timing_jerk import Run, smooth_run
from armlab.motion.trajectory import SAME_PLACE, Trajectory

__all__ = ["ToolPathLike", "jerk_limited", "time_optimal"]

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


def time_optimal(
    path: Pieces,
    limits: Limits,
    *,
    stops: ArrayLike = (),
    tool: ToolPathLike | None = None,
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
    topp_curve.compose_into(grid.local, inner, coefficients)
    return _trajectory([Run(timed.h * factor, coefficients)])


def jerk_limited(
    path: Pieces,
    limits: Limits,
    *,
    stops: ArrayLike = (),
    tool: ToolPathLike | None = None,
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
        part = Grid(
            grid.parts[cut], grid.s[low * per : high * per + 1], grid.delta[cut], grid.local[cut], grid.is_rest[cut]
        )
        timed = Timed(part, rough.x[low * per : high * per + 1], rough.h[cut])
        runs.append(smooth_run(path, own, timed, limits, demands))
    return _trajectory(runs)


def _intervals(spans: Spans, rough: Timed, limits: Limits) -> int:
    ramp = float(np.median(limits.velocity / limits.acceleration))
    low, high = (max(per * len(spans.rows), FEWEST) for per in PER_SPAN)
    return int(min(max(PER_RAMP * float(rough.h.sum()) / ramp, low), high, MOST))


def _within(grid: Grid, limits: Limits, demands: Demands) -> tuple[Timed, float]:
    """Return the fastest timing and by how much it has to be stretched to keep what is sampled."""
    timed = fastest(grid, limits, demands)
    if not demands.has_any:
        return timed, SAFE
    share = np.ones(len(grid.delta))
    for _ in range(ROUNDS):
        peaks = _peaks(timed, demands)
        worst = np.maximum(peaks[:, 0] ** 2, peaks[:, 1])
        if worst.max() <= 1.0:
            break
        share /= np.maximum(worst, 1.0)
        timed = fastest(grid, limits, demands, share)
    peaks = _peaks(timed, demands)
    return timed, max(1.0, float(peaks[:, 0].max()), float(peaks[:, 1].max()) ** 0.5) * SAFE


def _peaks(timed: Timed, demands: Demands) -> Floats:
    u = np.linspace(0.0, 1.0, SAMPLES)
    grid = timed.grid
    root = np.sqrt(timed.x)
    first = 2.0 * root[:-1] / (root[:-1] + root[1:])
    places = grid.s[:-1, None] + grid.delta[:, None] * (first[:, None] * u + (1.0 - first)[:, None] * u * u)
    speeds = root[:-1, None] + (root[1:] - root[:-1])[:, None] * u
    pulls = np.broadcast_to(((root[1:] - root[:-1]) / timed.h)[:, None], speeds.shape)
    return demands.peaks(places, np.stack([speeds, pulls, np.zeros_like(speeds)]))[:, :2]


def _trajectory(runs: list[Run]) -> Trajectory:
    h = np.concatenate([run.h for run in runs]) if len(runs) > 1 else runs[0].h
    coefficients = np.concatenate([run.coefficients for run in runs]) if len(runs) > 1 else runs[0].coefficients
    times = np.zeros(len(h) + 1)
    rounding = 8.0 * np.finfo(np.float64).eps * float(h.sum() / h.min())
    np.cumsum(h * (1.0 + rounding), out=times[1:])
    return Trajectory(Pieces(times, coefficients))


def _checked(path: Pieces, limits: Limits, stops: ArrayLike, smoothness: int) -> Spans:
    """Return the spans of a path that can be timed."""
    if path.width != limits.dof:
        raise InvalidInput(f"limits: {limits.dof} joints do not go with a path of {path.width}")
    if path.coefficients.shape[1] < 2 or not path.coefficients[:, 1:].any():
        raise InvalidInput("path: it does not move")
    places = np.unique(as_floats(stops, (None,), "stops")) if np.size(stops) else np.empty(0)
    for place in places:
        if not path.start <= place <= path.end:
            raise InvalidInput(f"stops: {place:g} is outside of the path, {path.start:g} to {path.end:g}")
    spans = spans_of(path, places[(places > path.start) & (places < path.end)])
    at_rest = np.isin(path.breaks[:-1], spans.edges[:-1][spans.is_rest > 0.0]).astype(np.float64)
    for order in range(smoothness + 1):
        rest, jump = (at_rest, SMOOTH) if order else (np.zeros_like(at_rest), SAME_PLACE)
        corner = topp_grid.corner_of(path.breaks, path.coefficients, order, jump, rest)
        if corner:
            what = ("jumps", "has a corner", "jumps in curvature")[order]
            hint = "" if order == 0 else "; name it as a stop"
            raise InvalidInput(f"path: it {what} at s = {path.breaks[corner]:.6g}{hint}")
    return spans


def _demands(
    path: Pieces, limits: Limits, tool: ToolPathLike | None, tool_limits: ToolLimits | None, robot: Robot | None
) -> Demands:
    if tool is None and tool_limits is not None and tool_limits != ToolLimits():
        raise InvalidInput("tool limits: they need the path of the tool")
    if robot is None:
        return Demands(path, tool, tool_limits or ToolLimits(), None, limits.effort, ())
    if robot.dof != path.width:
        raise InvalidInput(f"{robot.name}: {robot.dof} joints do not go with a path of {path.width}")
    return Demands(path, tool, tool_limits or ToolLimits(), _dynamics(robot), limits.effort, robot.joints)


def _dynamics(robot: Robot) -> Dynamics:
    from armlab.dynamics import inverse_dynamics

    return partial(inverse_dynamics, robot)
