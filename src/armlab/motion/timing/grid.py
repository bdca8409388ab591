"""How a path is cut for its timing: spans between breaks and stops, intervals of even time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.errors import PlanningFailed
from armlab.kernels.timing import grid as topp_grid
from armlab.kernels.timing import topp
from armlab.messages import _
from armlab.motion.limits import Limits
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.timing.demands import KEPT, Demands

COARSE = 8
"""Intervals per span of the first, rough timing."""
FEWEST_COARSE = 64
SHORTEST = 1e-6
"""No path is passed in less than this many seconds."""
SAME = 1e-9
"""A stop is at a break when it is this near to it, as a share of the path."""


TORQUE_TOO_LOW = _(
    "path at s = {s:.6g}: joint '{joint}' needs {needed:.4g} N m to hold the arm still; its limit is {limit:.4g} N m"
)
FORCE_TOO_LOW = _(
    "path at s = {s:.6g}: joint '{joint}' needs {needed:.4g} N to hold the arm still; its limit is {limit:.4g} N"
)


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """The path between breaks and stops: k spans."""

    rows: Floats
    """(k, 3): piece, first and last u in it"""
    edges: Floats
    """(k + 1,): s where they begin and end"""
    is_rest: Floats
    """(k,): 1 where a span begins at rest"""


@dataclass(frozen=True, slots=True, eq=False)
class PathGrid:
    """The path in m intervals."""

    parts: Floats
    """(m, 3): piece, first and last u in it"""
    s: Floats
    """(m + 1,)"""
    delta: Floats
    """(m,): their widths"""
    local: Floats
    """(m, degree + 1, n): the joints as polynomials over 0…1"""
    is_rest: Floats
    """(m,): 1 where an interval begins at rest"""


@dataclass(frozen=True, slots=True, eq=False)
class GridTiming:
    """The fastest timing of a grid: square speeds at its nodes, (m + 1,), and how long each interval takes, (m,)."""

    grid: PathGrid
    x: Floats
    h: Floats


def spans_of(path: PiecewisePolynomial, stops: Floats) -> Spans:
    """Return the spans of `path`, with `stops` between its ends."""
    breaks, count = path.breaks, len(path.breaks) - 1
    rows = np.zeros((count, 3))
    rows[:, 0], rows[:, 2] = np.arange(count), 1.0
    is_rest = np.zeros(count)
    is_rest[0] = 1.0
    if not len(stops):
        return Spans(rows, breaks, is_rest)
    near = np.abs(breaks[:, None] - stops).argmin(axis=0)
    is_break = np.abs(breaks[near] - stops) <= SAME * (breaks[-1] - breaks[0])
    edges = np.union1d(breaks, stops[~is_break])
    piece = np.clip(np.searchsorted(breaks, edges[:-1], side="right") - 1, 0, count - 1)
    width = breaks[piece + 1] - breaks[piece]
    rows = np.stack([piece, (edges[:-1] - breaks[piece]) / width, (edges[1:] - breaks[piece]) / width], axis=1)
    at_rest = np.append(stops[~is_break], breaks[near[is_break]])
    is_rest = np.isin(edges[:-1], at_rest).astype(np.float64)
    is_rest[0] = 1.0
    return Spans(np.ascontiguousarray(rows), edges, is_rest)


def coarse_grid(path: PiecewisePolynomial, spans: Spans) -> PathGrid:
    """Return a grid with a few even intervals in each span."""
    count = len(spans.rows)
    runs = int(spans.is_rest.sum())
    per = max(COARSE, -(-FEWEST_COARSE * runs // count)) if count < 1000 else COARSE // 2
    u = np.arange(per + 1) / per
    parts = np.repeat(spans.rows, per, axis=0)
    wide = (parts[:, 2] - parts[:, 1]).reshape(count, per)
    low = parts[:, 1].reshape(count, per).copy()
    parts[:, 1] = (low + wide * u[:-1]).reshape(-1)
    parts[:, 2] = (low + wide * u[1:]).reshape(-1)
    return grid_of(path, spans, parts, np.full(count, per))


def grid_of(path: PiecewisePolynomial, spans: Spans, parts: Floats, counts: Floats) -> PathGrid:
    """Return the grid with the given parts; `counts` (k,) says how many belong to each span."""
    piece = parts[:, 0].astype(np.intp)
    delta = (path.breaks[piece + 1] - path.breaks[piece]) * (parts[:, 2] - parts[:, 1])
    s = np.empty(len(parts) + 1)
    s[:-1] = path.breaks[piece] + (path.breaks[piece + 1] - path.breaks[piece]) * parts[:, 1]
    s[-1] = spans.edges[-1]
    local = np.empty((len(parts), *path.coefficients.shape[1:]))
    topp.cut_into(path.coefficients, parts, local)
    is_rest = np.zeros(len(parts))
    firsts = np.cumsum(counts) - counts
    is_rest[firsts.astype(np.intp)] = spans.is_rest
    return PathGrid(parts, s, delta, local, is_rest)


def even_grid(path: PiecewisePolynomial, spans: Spans, rough: GridTiming, intervals: int) -> PathGrid:
    """Return a grid of about so many intervals that take even times in the `rough` timing."""
    t, v = _rough_motion(rough)
    area = np.zeros(len(t))
    times = t[:: len(rough.h) // len(spans.rows)].copy()
    counts = np.maximum(np.ceil(np.diff(times) * (intervals / times[-1])), 1.0)
    counts[spans.is_rest > 0.0] = np.maximum(counts[spans.is_rest > 0.0], 2.0)
    total = int(counts.sum())
    parts, speeds = np.empty((total, 3)), np.empty(total)
    topp_grid.even_into(t, rough.grid.s, v, area, 0.0, spans.rows, spans.edges, times, counts, parts, speeds)
    return grid_of(path, spans, parts, counts)


def fastest(grid: PathGrid, limits: Limits, demands: Demands, share: Floats | None = None) -> GridTiming:
    """Return the fastest timing of `grid`; `share` (m,) of the sampled demands may be used.

    Raises:
        PlanningFailed: if a torque limit does not even hold the arm still.
    """
    m, terms, n = grid.local.shape
    table = demands.rows(grid.s, grid.delta) if demands.has_any else None
    size = 3 * n * (terms - 1) + (4 * table.shape[3] if table is not None else 0)
    rows, counts = np.empty((m, size, 3)), np.zeros(m)
    caps = np.full(m, ((grid.s[-1] - grid.s[0]) / SHORTEST) ** 2)
    velocity, acceleration = np.array(limits.velocity), np.array(limits.acceleration)  # writable: one machine code
    topp.joint_rows_into(grid.local, grid.delta, velocity, acceleration, rows, counts, caps)
    if table is not None:
        shares = share if share is not None else np.ones(m)
        i, column = topp.sampled_rows_into(table, shares, grid.delta, rows, counts, caps)
        if i != topp.ALL:
            raise _too_weak(grid, table, demands, i, column)
    reach, x = np.empty(m + 1), np.empty(m + 1)
    stuck = topp.solve_into(rows, counts, caps, grid.is_rest, reach, x)
    if stuck != topp.ALL:
        raise PlanningFailed(
            "no_timing", _("path at s = {s:.6g}: no speed keeps the limits from here on"), s=float(grid.s[stuck])
        )
    root = np.sqrt(x)
    return GridTiming(grid, x, 2.0 * grid.delta / (root[:-1] + root[1:]))


def _rough_motion(rough: GridTiming) -> tuple[Floats, Floats]:
    t = np.zeros(len(rough.h) + 1)
    np.cumsum(rough.h, out=t[1:])
    return t, np.sqrt(rough.x)


def _too_weak(grid: PathGrid, table: Floats, demands: Demands, i: int, column: int) -> PlanningFailed:
    index = demands.limited[column]
    joint, limit = demands.joints[index], float(demands.effort[index])
    needed = float(np.abs(table[i, 2, :, column]).max()) * KEPT * limit
    return PlanningFailed(
        "too_weak_to_hold",
        TORQUE_TOO_LOW if joint.kind == "revolute" else FORCE_TOO_LOW,
        s=float(grid.s[i]),
        joint=joint.name,
        needed=needed,
        limit=limit,
    )
