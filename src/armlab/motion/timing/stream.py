"""The fastest motion along a path that arrives in parts: what was driven stays, what is still ahead is timed again.

Each part gets its grid and its rows once. With every new part the square speeds of all intervals that are not taken yet
are found again, from the speed at which the last taken one ends to rest at the end of what is known. What was driven
could stop there before, so it can with more path ahead: there is always a solution.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.errors import PlanningFailed
from armlab.kernels.timing import curve, topp
from armlab.kernels.timing import grid as topp_grid
from armlab.messages import _
from armlab.motion.limits import Limits
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.timing.feeds import FeedDemands
from armlab.motion.timing.grid import SHORTEST, PathGrid, grid_of, spans_of
from armlab.motion.trajectory import Trajectory

PER_RAMP = 15.0
"""Intervals in the time in which a joint reaches its full speed."""
PER_SPAN = (1, 200)
"""Intervals of a span of the path, at least and at most."""
PER_BEND = 6
"""Intervals of a span at least where the tool's acceleration is limited: that is only sampled."""
PER_CHANGE, CHANGES = 8, 0.3
"""Intervals at least of a span in which the square speed changes by more than this share, as from rest."""
STILL = 1e-9
"""Rates below this, as shares of limits, count as this."""
LOOKS = np.array([0.02, 0.25, 0.5, 0.75, 0.98])
"""Where in a span the greatest speed is estimated."""
SAFE = 1.0 + 1e-11
"""Stretch against rounding."""
SAME_RATE = 1e-6
"""Parts join without a stop where the rates of the joints differ by less than this share of the fastest."""


@dataclass(frozen=True, slots=True, eq=False)
class PathPart:
    """A part of a path: joints over s from 0 on, what it has to keep, and where it has to stop."""

    path: PiecewisePolynomial
    limits: Limits
    demands: FeedDemands | None
    """What the tool has to keep; none for a path of the joints."""
    stops: Floats
    cuts: Floats
    """Inner places where the demands jump: intervals end there."""
    starts_at_rest: bool
    ends_at_rest: bool


@dataclass(frozen=True, slots=True, eq=False)
class TimedPart:
    """A part of a motion: from `start` (n,) on, and for each part of the path that it covers, s over time."""

    trajectory: Trajectory
    breaks: Floats
    """(m + 1,): s of its path part at the ends of the intervals."""
    x: Floats
    """(m + 1,): square speeds there."""

    def times(self, s: Floats) -> Floats:
        """Return when the motion passes places (k,) of its path part."""
        i = np.clip(np.searchsorted(self.breaks, s, side="right") - 1, 0, len(self.breaks) - 2)
        low, width = self.breaks[i], self.breaks[i + 1] - self.breaks[i]
        a, b = np.sqrt(self.x[i]), np.sqrt(self.x[i + 1])
        share = np.clip((s - low) / width, 0.0, 1.0)
        # s - low = h u (a + (b - a) u / 2) with h = 2 width / (a + b): the root without cancellation
        u = share * (a + b) / (a + np.sqrt(np.maximum(a * a + (b * b - a * a) * share, 0.0)) + 1e-300)
        t = self.trajectory.pieces.breaks
        return np.asarray(t[i] + np.minimum(u, 1.0) * (t[i + 1] - t[i]))


@dataclass(slots=True)
class _Rows:
    """A part with its grid and rows, from interval `first` on."""

    grid: PathGrid
    rows: Floats
    counts: Floats
    caps: Floats
    x: Floats = field(default_factory=lambda: np.empty(0))


class StreamTiming:
    """Times parts of a path one after the other: `add` them, `take` the oldest when enough is known of what follows."""

    def __init__(self) -> None:
        self._parts: list[_Rows] = []
        self._x0 = 0.0
        self._rate: Floats | None = None

    @property
    def waiting(self) -> int:
        """How many parts are not taken yet."""
        return len(self._parts)

    def add(self, part: PathPart) -> None:
        """Append a part that starts where the last one ends; all that is not taken is timed again.

        Raises:
            PlanningFailed: if no speed keeps the limits; nothing is added then.
        """
        made = _rows_of(part)
        rate = part.path.values([part.path.start], 2)[0, 1]
        if self._rate is not None:
            size = max(float(np.abs(rate).max()), float(np.abs(self._rate).max()))
            joins = float(np.abs(rate - self._rate).max()) <= SAME_RATE * size
            made.grid.is_rest[0] = 0.0 if joins else 1.0
        self._parts.append(made)
        try:
            self._solve()
        except PlanningFailed:
            self._parts.pop()
            if self._parts:
                self._solve()
            raise
        self._rate = part.path.values([np.nextafter(part.path.end, part.path.start)], 2)[0, 1]

    def take(self) -> TimedPart:
        """Return the motion along the oldest part; from now on it stays as it is."""
        part = self._parts.pop(0)
        self._x0 = float(part.x[-1])
        root = np.sqrt(part.x)
        h = 2.0 * part.grid.delta / (root[:-1] + root[1:]) * SAFE
        inner = np.zeros((len(h), 3))
        inner[:, 1] = 2.0 * root[:-1] / (root[:-1] + root[1:])
        inner[:, 2] = 1.0 - inner[:, 1]
        m, terms, n = part.grid.local.shape
        coefficients = np.empty((m, 2 * (terms - 1) + 1, n))
        curve.compose_into(part.grid.local, inner, coefficients)
        times = np.zeros(m + 1)
        np.cumsum(h, out=times[1:])
        if not self._parts and self._x0 == 0.0:
            self._rate = None
        return TimedPart(Trajectory(PiecewisePolynomial(times, coefficients)), part.grid.s, part.x)

    def _solve(self) -> None:
        width = max(part.rows.shape[1] for part in self._parts)
        sizes = [len(part.counts) for part in self._parts]
        m = sum(sizes)
        rows = np.empty((m, width, 3))
        k = 0
        for part in self._parts:
            rows[k : k + len(part.counts), : part.rows.shape[1]] = part.rows
            k += len(part.counts)
        counts = np.concatenate([part.counts for part in self._parts])
        caps = np.concatenate([part.caps for part in self._parts])
        is_rest = np.concatenate([part.grid.is_rest for part in self._parts])
        most, reach, x = np.empty(m + 1), np.empty(m + 1), np.empty(m + 1)
        stuck = topp.solve_on_into(rows, counts, caps, is_rest, self._x0, most, reach, x)
        if stuck != topp.ALL:
            s = np.concatenate([part.grid.s[:-1] for part in self._parts])
            raise PlanningFailed(
                "no_timing", _("path at s = {s:.6g}: no speed keeps the limits from here on"), s=float(s[stuck])
            )
        k = 0
        for part in self._parts:
            part.x = x[k : k + len(part.counts) + 1].copy()
            k += len(part.counts)


def _rows_of(part: PathPart) -> _Rows:
    grid = _grid_of(part)
    m, terms, n = grid.local.shape
    demands = part.demands
    table = None if demands is None or not demands.has_any else demands.rows(grid.s, grid.delta)
    size = 3 * n * (terms - 1) + (4 * table.shape[3] if table is not None else 0)
    rows, counts = np.empty((m, size, 3)), np.zeros(m)
    caps = np.full(m, ((grid.s[-1] - grid.s[0]) / SHORTEST) ** 2)
    velocity, acceleration = np.array(part.limits.velocity), np.array(part.limits.acceleration)
    topp.joint_rows_into(grid.local, grid.delta, velocity, acceleration, rows, counts, caps)
    if table is not None:
        i, _column = topp.sampled_rows_into(table, np.ones(m), grid.delta, rows, counts, caps)
        if i != topp.ALL:
            raise PlanningFailed(
                "torque_too_low", _("path at s = {s:.6g}: the motors cannot hold the arm"), s=float(grid.s[i])
            )
    return _Rows(grid, np.ascontiguousarray(rows[:, : max(1, int(counts.max()))]), counts, caps)


def _grid_of(part: PathPart) -> PathGrid:
    """Return intervals that end at all breaks, stops and cuts; how many depends on the time that each span takes."""
    path = part.path
    spans = spans_of(path, np.union1d(part.stops, part.cuts))
    rests = np.isin(spans.edges, _nearest(spans.edges, part.stops))
    rests[0], rests[-1] = part.starts_at_rest, part.ends_at_rest
    times, changes = _estimated(part, spans.edges, rests)
    ramp = float(np.median(part.limits.velocity / part.limits.acceleration))
    least, most = PER_SPAN
    if part.demands is not None and part.demands.has_bends:
        least = PER_BEND
    counts = np.clip(np.ceil(times * (PER_RAMP / ramp)), least, most)
    counts = np.where((changes > CHANGES) | rests[:-1] | rests[1:], np.maximum(counts, PER_CHANGE), counts)
    owner = np.repeat(np.arange(len(counts)), counts.astype(np.intp))
    k = np.arange(len(owner)) - (np.cumsum(counts) - counts)[owner]
    u = np.stack([k / counts[owner], (k + 1.0) / counts[owner]])
    rows = spans.rows[owner]
    low, wide = rows[:, 1].copy(), rows[:, 2] - rows[:, 1]
    rows[:, 1], rows[:, 2] = low + wide * _crowded(u, rests[:-1][owner], rests[1:][owner])
    grid = grid_of(path, replace(spans, is_rest=rests[:-1].astype(np.float64)), rows, counts)
    grid.is_rest[0] = float(part.starts_at_rest)
    return grid


def _estimated(part: PathPart, edges: Floats, rests: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return about how long each span takes (s), and by which share the square speed changes in it."""
    places = (edges[:-1, None] + np.diff(edges)[:, None] * LOOKS).reshape(-1)
    rates = np.abs(part.path.values(places, 2)[:, 1])
    slowest = (rates / part.limits.velocity).max(axis=1)
    if part.demands is not None:
        slowest = np.maximum(slowest, part.demands.slowness(places))
    heaviest = (rates / part.limits.acceleration).max(axis=1)
    slowest, heaviest = (values.reshape(-1, len(LOOKS)).max(axis=1) for values in (slowest, heaviest))
    times, changes = np.empty(len(edges) - 1), np.empty(len(edges) - 1)
    top, acceleration = (1.0 / np.maximum(values, STILL) for values in (slowest, heaviest))
    topp_grid.span_times_into(np.diff(edges), top, acceleration, rests.astype(np.float64), times, changes)
    return times, changes


def _crowded(u: Floats, rests: NDArray[np.bool_], stops: NDArray[np.bool_]) -> Floats:
    """Return shares (2, m) of spans, crowded where a span begins or ends at rest: speed grows with the root of s."""
    both, start, end = rests & stops, rests & ~stops, stops & ~rests
    out = np.where(start, u * u, u)
    out = np.where(end, 1.0 - (1.0 - u) ** 2, out)
    return np.where(both, u * u * (3.0 - 2.0 * u), out)


def _nearest(edges: Floats, places: Floats) -> Floats:
    return np.asarray(edges[np.abs(edges[:, None] - places).argmin(axis=0)]) if len(places) else np.empty(0)
