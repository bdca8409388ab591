"""Timing with limited jerk of one run of a path, from rest to rest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import PlanningFailed
from armlab.kernels.timing import curve
from armlab.kernels.timing import grid as topp_grid
from armlab.kernels.timing import jerk as topp_jerk
from armlab.kernels.timing import limits as topp_limits
from armlab.kernels.timing.jerk import JerkProblem
from armlab.messages import _
from armlab.motion.limits import Limits
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.timing.demands import SAMPLES, Demands
from armlab.motion.timing.grid import GridTiming, PathGrid, Spans, grid_of

FEWEST = 60
"""Intervals of a run, at least; at most MOST, or MOST_PER_SPAN in each span."""
MOST = 400
MOST_PER_SPAN = 40
PER_BLUR = 3.5
"""Intervals in the time in which full acceleration is reached."""
STARTS = ((0.9, 0.1), (0.97, 0.01))
"""Each round starts at a share of the limits, with a rough gap to the best; then limits are tightened where needed."""
GOAL = 2e-3
"""The time is within this share of the best for the grid."""
FIRM = 1.25
"""Limits are tightened by so many times what the motion is beyond them."""
STEPS = 60
FINER = (1.0, 3.0, 9.0)
"""Where a grid is too coarse for the bends of the path, finer ones are tried."""
CALM = 8.0
"""Square speeds of neighbours are at most this far apart at the start of the search."""
TINY = 1e-300
SAFE = 1.0 + 1e-11
"""Stretch against rounding."""


class TimedRun(NamedTuple):
    """A run over time: durations of the intervals (m,) and coefficients (m, degree + 1, n)."""

    h: Floats
    coefficients: Floats


def smooth_run(
    path: PiecewisePolynomial, spans: Spans, rough: GridTiming, limits: Limits, demands: Demands
) -> TimedRun:
    """Return the fastest run along `path` that keeps the limits of jerk too; `rough` is its timing without them.

    Raises:
        PlanningFailed: if no grid is fine enough for the bends of the path.
    """
    for finer in FINER:
        run = _run(path, spans, rough, limits, demands, finer)
        if run is not None:
            return run
    raise PlanningFailed(
        "curvature_too_sharp",
        _("path from s = {start:.6g} to {end:.6g}: curvature too sharp for limited jerk; add stops"),
        start=float(spans.edges[0]),
        end=float(spans.edges[-1]),
    )


def _run(
    path: PiecewisePolynomial, spans: Spans, rough: GridTiming, limits: Limits, demands: Demands, finer: float
) -> TimedRun | None:
    """Return the fastest run on a grid with `finer` times the usual intervals, or None if that is too coarse."""
    grid, speeds = _blurred_grid(path, spans, rough, limits, finer)
    scale = rough.h.sum() / (grid.s[-1] - grid.s[0])
    delta = grid.delta * scale
    problem = _problem(grid, delta, scale, limits, demands)
    bends = problem.jerk[:, :, 2].copy()
    z = np.maximum((speeds[1:-1] * scale) ** 2, 1e-12)
    topp_jerk.calm(z, CALM)
    best, shortest = None, np.inf
    h = np.empty(len(delta))
    for inside, gap in STARTS:
        curve.times_into(z, problem.ratio, problem.ends, delta, h)
        topp_limits.even_out(z, problem, h, bends)
        most, most_jerk = topp_jerk.excess(z, problem)
        z *= min(inside / most, (inside / max(most_jerk, TINY)) ** (2.0 / 3.0), 1.0)
        topp_jerk.fastest_into(z, problem, STEPS, gap, GOAL)
        run, peaks = _exact(grid, delta, problem, z, limits, demands)
        if run is None:
            break
        factor = float(max(peaks[:, 0].max(), peaks[:, 1].max() ** 0.5, np.cbrt(peaks[:, 2].max()))) * SAFE
        if run.h.sum() * factor < shortest:
            shortest = run.h.sum() * factor
            best = TimedRun(run.h * factor, run.coefficients)
        if factor < 1.0 + 1e-4:
            break
        _tighten(problem, bends, peaks)
    return best


def _blurred_grid(
    path: PiecewisePolynomial, spans: Spans, rough: GridTiming, limits: Limits, finer: float
) -> tuple[PathGrid, Floats]:
    """Return a grid of even times in the rough motion, averaged over the time that building up acceleration takes."""
    t = np.zeros(len(rough.h) + 1)
    np.cumsum(rough.h, out=t[1:])
    v, area = np.sqrt(rough.x), np.empty(len(t))
    s = rough.grid.s - rough.grid.s[0]
    edges = spans.edges - rough.grid.s[0]
    topp_grid.area_into(t, s, v, area)
    blur = min(float(np.median(limits.acceleration / limits.jerk)), 0.5 * t[-1])
    knots = np.arange(0.0, len(t), len(rough.h) // len(spans.rows))
    times = np.empty(len(edges))
    topp_grid.edge_times_into(t, s, v, area, blur, edges, knots, times)
    intervals = min(max(PER_BLUR * times[-1] / blur, FEWEST), max(MOST, MOST_PER_SPAN * len(edges)))
    counts = np.maximum(np.ceil(np.diff(times) * (finer * intervals / times[-1])), 1.0)
    counts[0], counts[-1] = max(counts[0], 3.0), max(counts[-1], 3.0)
    total = int(counts.sum())
    parts, speeds = np.empty((total, 3)), np.empty(total)
    topp_grid.even_into(t, s, v, area, blur, spans.rows, edges, times, counts, parts, speeds)
    return grid_of(path, spans, parts, counts), speeds


def _problem(grid: PathGrid, delta: Floats, scale: float, limits: Limits, demands: Demands) -> JerkProblem:
    m, n = len(delta) - 2, limits.dof
    inner = delta[1:-1].copy()
    ratio = np.zeros(m + 1)
    ratio[1:m] = inner[:-1] / (inner[:-1] + inner[1:])
    ends = np.array([1.0 / (1.0 + inner[0] / (1.5 * delta[0])), 1.0 / (1.0 + inner[-1] / (1.5 * delta[-1]))])
    table = demands.rows(grid.s, grid.delta) if demands.has_any else np.empty((m + 2, 3, 3, 0))
    twists = demands.jerk_rows(grid.s, grid.delta)
    table[:, 0] /= scale
    table[:, 1] /= scale**2
    twists /= np.array([scale**3, scale**2, scale])[:, None]
    top, slab = np.empty(m + 1), np.empty((m, 4, n + table.shape[3]))
    jerk = np.empty((m, 2, 3, n + twists.shape[3]))
    bounds = np.stack([limits.velocity, limits.acceleration, limits.jerk])
    topp_limits.limits_into(
        grid.local, delta, bounds, np.ascontiguousarray(table), np.ascontiguousarray(twists), top, slab, jerk
    )
    return JerkProblem(ratio, ends, inner, top, slab, jerk)


def _exact(
    grid: PathGrid, delta: Floats, problem: JerkProblem, z: Floats, limits: Limits, demands: Demands
) -> tuple[TimedRun | None, Floats]:
    """Return the run with these square speeds, and how near it comes to its limits in each interval, (m, 3)."""
    m, terms, n = grid.local.shape
    h, cubics, motion = np.empty(m), np.empty((m, 4)), np.empty((m + 1, 3))
    curve.times_into(z, problem.ratio, problem.ends, delta, h)
    peaks = np.empty((m, 3))
    if not curve.cubics_into(delta, h, cubics, motion):
        return None, peaks
    coefficients = np.empty((m, 3 * (terms - 1) + 1, n))
    curve.compose_into(grid.local, cubics, coefficients)
    curve.peaks_into(coefficients, h, np.stack([limits.velocity, limits.acceleration, limits.jerk]), peaks)
    if demands.has_any:
        u = np.linspace(0.0, 1.0, SAMPLES)
        c = [cubics[:, p, None] for p in range(4)]
        places = grid.s[:-1, None] + grid.delta[:, None] * np.clip(c[0] + u * (c[1] + u * (c[2] + u * c[3])), -1.0, 2.0)
        rates = [(c[1] + u * (2.0 * c[2] + u * 3.0 * c[3])), 2.0 * c[2] + 6.0 * u * c[3], 6.0 * c[3] + 0.0 * u]
        rates = [rate * (grid.delta / h ** (p + 1))[:, None] for p, rate in enumerate(rates)]
        peaks = np.maximum(peaks, demands.peaks(places, np.stack(rates)))
    return TimedRun(h, coefficients), peaks


def _tighten(problem: JerkProblem, bends: Floats, peaks: Floats) -> None:
    """Lower the limits where the exact motion is beyond them."""
    over = 1.0 + FIRM * np.maximum(peaks - 1.0, 0.0)
    problem.top[:-1] *= np.maximum(over[:-2, 0], over[1:-1, 0]) ** 2
    problem.top[-1] *= max(over[-1, 0] ** 2, over[-1, 1], over[-1, 2] ** (2.0 / 3.0))
    problem.top[0] *= max(over[0, 1], over[0, 2] ** (2.0 / 3.0))
    problem.slab[:, :2] *= np.maximum(over[:-2, 1], over[1:-1, 1])[:, None, None]
    problem.jerk[:] *= over[1:-1, 2][:, None, None, None]
    bends *= over[1:-1, 2][:, None, None]
