"""The path of a tool in space: where its frame is after an arc length s, how it moves on, and where it has to stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import MAX_VALUES, Floats, as_stack, read_only
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.kernels.toolpath import elements as kernels
from armlab.kernels.toolpath.elements import RowArrays
from armlab.messages import _
from armlab.motion.toolpath.elements import (
    TURN_LENGTH,
    Elements,
    Indices,
    PathRows,
    joined_elements,
    narrowed,
    shown,
    stacked,
)

LONGEST = 1e5
"""m: longer paths are in another unit, and their squares overflow."""
SAME_PLACE = 1e-9
"""Frames are the same within this (m and rad)."""
SAME_DIRECTION = 1e-6
"""The tool need not stop where its direction (rad) and its turn (in units of 1 / TURN_LENGTH) jump by less."""


@dataclass(frozen=True, eq=False)
class ToolPath:
    """A path of the tool's frame, from s = 0 to `length`; no speed and no time.

    s is the arc length of the tool point in metres; a turn counts as TURN_LENGTH metres per radian where it is the
    larger of the two. Exactly: a line or an arc is as long as the point's travel or as the turn, whichever is longer,
    and both are even in s. A curve is measured along the point's travel; if the turn is faster than that anywhere on
    it, then by both:
    ds² = dp² + (TURN_LENGTH dθ)². So |dp/ds| ≤ 1 everywhere, and |dp/ds| = 1 where the tool turns slowly.
    Between two `knots` p and R have continuous second derivatives.

    Build one with `line`, `arc`, `circle`, `arc_about`, `through`; join them with `then`; smooth it with `rounded`.
    """

    elements: Elements
    rows: PathRows
    nodes: Floats
    """s of the points that were given, the first and the last included."""
    known_stops: Floats | None = None
    """The stops, where whoever makes the path knows them."""
    _arrays: RowArrays = field(init=False, repr=False)

    def __post_init__(self) -> None:
        breaks, v_of_x, owner = self.rows
        if not 0.0 < breaks[-1] <= LONGEST:
            raise InvalidInput(
                "path_length_outside",
                _("path: its length must be > 0 m and at most {most:g} m, got {length:g} m"),
                most=LONGEST,
                length=float(breaks[-1]),
            )
        arrays = RowArrays(np.array(breaks), np.array(v_of_x, order="C"), np.array(owner, dtype=np.intp))
        object.__setattr__(self, "_arrays", arrays)
        object.__setattr__(self, "rows", PathRows(*(shown(array) for array in arrays)))
        object.__setattr__(self, "nodes", read_only(self.nodes))

    @property
    def length(self) -> float:
        """The last s (m)."""
        return float(self.rows.breaks[-1])

    @property
    def start(self) -> Floats:
        """The first frame, (4, 4)."""
        return self.at(0.0)

    @property
    def end(self) -> Floats:
        """The last frame, (4, 4)."""
        return self.at(self.length)

    def at(self, s: ArrayLike) -> Floats:
        """Return the frame T_world_tool at `s`: (4, 4) for one, (m, 4, 4) for many; s is clamped to 0 … length."""
        places = as_stack(s, (), "s")
        out = np.empty((places.size, 4, 4))
        kernels.frames_into(self.elements.arrays, self._arrays, np.clip(places.reshape(-1), 0.0, self.length), out)
        return out.reshape(*places.shape, 4, 4)

    def derivatives(self, s: ArrayLike) -> Floats:
        """Return dp/ds, d²p/ds², ω and dω/ds at `s`, (m, 4, 3) or (4, 3).

        ω is the turn per metre of s (rad/m) about its axis; all in world coordinates. At a knot they are those of what
        follows; `numpy.nextafter(s, 0)` gives those of what comes before.
        """
        places = as_stack(s, (), "s")
        out, inside = np.empty((places.size, 4, 3)), np.clip(places.reshape(-1), 0.0, self.length)
        kernels.derivatives_at_into(self.elements.arrays, self._arrays, inside, out)
        return out.reshape(*places.shape, 4, 3)

    @cached_property
    def stops(self) -> Floats:
        """Inner s where the direction or the turn of the tool jumps, so that it has to stop."""
        return read_only(self._jumps[0] if self.known_stops is None else self.known_stops)

    @property
    def beside_stops(self) -> tuple[Floats, Floats]:
        """The derivatives in front of each stop and behind it, (m, 4, 3) each."""
        return self._jumps[2]

    @cached_property
    def knots(self) -> Floats:
        """Inner s where a second derivative jumps; all `stops` are among them."""
        return read_only(self._jumps[1])

    def places(self, step: float) -> Floats:
        """Return s from 0 to the end, at most `step` metres apart and even between stops; every stop is there."""
        if not (step > 0.0 and np.isfinite(step)):
            raise InvalidInput("step_not_positive", _("step: must be > 0 m, got {step:g} m"), step=step)
        if self.length / step * 16 > MAX_VALUES:
            raise InvalidInput(
                "step_too_small",
                _("step: {step:g} m makes {frames:.3g} frames; too many at once"),
                step=step,
                frames=self.length / step,
            )
        edges = np.concatenate([[0.0], self.stops, [self.length]])
        counts = np.maximum(1, np.ceil(np.diff(edges) / step - 1e-9)).astype(int)
        parts = [edges[i] + (edges[i + 1] - edges[i]) / n * np.arange(n) for i, n in enumerate(counts)]
        return np.concatenate([*parts, edges[-1:]])

    def sampled(self, step: float) -> Floats:
        """Return frames (m, 4, 4) at most `step` metres apart, corners and both ends included: see `places`."""
        return self.at(self.places(step))

    def then(self, other: ToolPath) -> ToolPath:
        """Return this path and then the other, which must start where this one ends."""
        return joined([self, other])

    def part(self, start: float, end: float) -> ToolPath:
        """Return what lies between two places of the path; its s begins at 0, its nodes are those inside.

        Raises:
            InvalidInput: if the places do not lie on the path, one after the other.
        """
        if not 0.0 <= start < end <= self.length:
            raise InvalidInput(
                "part_outside",
                _("part of a path: {start:g} … {end:g} m is outside 0 … {length:g} m"),
                start=start,
                end=end,
                length=self.length,
            )
        breaks, v_of_x, owner = self.rows
        first = int(np.searchsorted(breaks, start, side="right")) - 1
        last = int(np.searchsorted(breaks, end, side="left"))
        cuts = breaks[first : last + 1].copy()
        whole = np.diff(cuts)
        cuts[0], cuts[-1] = start, end
        low, width = (cuts[:-1] - breaks[first:last]) / whole, np.diff(cuts) / whole
        used = np.unique(owner[first:last])
        rows = PathRows(
            cuts - start, narrowed(v_of_x[first:last], low, width), np.searchsorted(used, owner[first:last])
        )
        inner, stops = (places[(places > start) & (places < end)] for places in (self.nodes, self.stops))
        nodes = np.concatenate([[start], inner, [end]]) - start
        return ToolPath(self.elements.taken(used), rows, nodes, stops - start)

    def _derivatives(self, row: Indices, x: float) -> Floats:
        out = np.empty((len(row), 4, 3))
        kernels.derivatives_in_rows_into(self.elements.arrays, self._arrays, row, x, out)
        return out

    @cached_property
    def _jumps(self) -> tuple[Floats, Floats, tuple[Floats, Floats]]:
        """Stops and knots, and the derivatives beside the stops: there are some only where an element ends."""
        after = np.flatnonzero(np.diff(self.rows.owner)) + 1
        left = self._derivatives(after - 1, 1.0)
        right = self._derivatives(after, 0.0)
        weights = np.array([1.0, 1.0, TURN_LENGTH, TURN_LENGTH])[:, None]
        jump = np.abs((right - left) * weights).max(axis=2)
        size = 1.0 + np.maximum(np.abs(left * weights).max(axis=2), np.abs(right * weights).max(axis=2))
        stop = np.maximum(jump[:, 0], jump[:, 2]) > SAME_DIRECTION
        knot = stop | (np.maximum(jump[:, 1] / size[:, 1], jump[:, 3] / size[:, 3]) > SAME_DIRECTION)
        where = self.rows.breaks[after]
        return where[stop], where[knot], (left[stop], right[stop])


def joined(paths: Sequence[ToolPath]) -> ToolPath:
    """Return one path that goes along all of them; each must start where the one before ends.

    Raises:
        InvalidInput: if there is none, or a gap between two of them.
    """
    if not paths:
        raise InvalidInput("no_paths", _("paths: at least one is needed"))
    for i in range(1, len(paths)):
        _check_joined(paths[i - 1].end, paths[i].start, i)
    starts = np.concatenate([[0.0], np.cumsum([path.length for path in paths])])
    first = np.concatenate([[0], np.cumsum([path.elements.count for path in paths])])
    breaks = [np.zeros(1), *(a + path.rows.breaks[1:] for a, path in zip(starts, paths, strict=False))]
    nodes = [np.zeros(1), *(a + path.nodes[1:] for a, path in zip(starts, paths, strict=False))]
    rows = PathRows(
        np.concatenate(breaks),
        stacked([path.rows.v_of_x for path in paths]),
        np.concatenate([k + path.rows.owner for k, path in zip(first, paths, strict=False)]),
    )
    return ToolPath(joined_elements([path.elements for path in paths]), rows, np.concatenate(nodes))


def _check_joined(T_end: Floats, T_start: Floats, before: int) -> None:
    """Raise InvalidInput where the path after number `before` does not start where that one ends."""
    gap = float(np.linalg.norm(T_start[:3, 3] - T_end[:3, 3]))
    turn = float(np.linalg.norm(pose.rotation_vector(T_end[:3, :3].T @ T_start[:3, :3])))
    if gap > SAME_PLACE or turn > SAME_PLACE:
        raise InvalidInput(
            "path_gap",
            _("path {next}: it starts {gap:.3g} m and {turn:.3g} rad away from the end of path {before}"),
            next=before + 1,
            before=before,
            gap=gap,
            turn=turn,
        )
