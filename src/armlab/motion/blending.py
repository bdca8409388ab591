"""Corners of a tool path rounded, so that the tool need not stop there."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.motion.toolpath import turns
from armlab.motion.toolpath.elements import Elements, PathRows, joined_elements, narrowed, stacked
from armlab.motion.toolpath.length import measured
from armlab.motion.toolpath.toolpath import ToolPath

STRAIGHT_BACK = 1e-5
"""A corner turns straight back where the cosine of its directions is within this of -1."""
STANDING = 1e-6
"""A tool point that moves by less than this per metre of s only turns."""
UNIT_SPEED = 1e-7
"""Blends between parts that the point goes through at unit speed, up to this, get unit speed themselves."""
SMALLEST, SNAP = 1e-8, 1e-10
"""Smaller corners (m) stay as they are; a blend starts and ends on a break of the path that is nearer than SNAP."""
CUTS = 1
"""Most blends turn by little: they are measured in so many rows at first."""
CURVATURE_SHARE, LARGEST_TURN = 0.5, 2.0
"""A blend takes at most this share of a neighbour's radius, and about this turn (rad) in all."""


def rounded(path: ToolPath, distance: float | Floats) -> ToolPath:
    """Return the path with its corners rounded: within `distance` (m) of each stop a smooth curve takes its place.

    `distance` is one for all, or one for each of `path.stops`.

    The curve is a quintic that joins with continuous second derivatives, in position and in orientation; it stays
    within `distance` of the corner. A corner takes at most half of the path to the next stop or end, and half of the
    radius of an arc that meets there. Where the tool turns straight back it still has to stop.

    Raises:
        InvalidInput: if the distance is negative or not finite.
    """
    sizes = np.broadcast_to(np.asarray(distance, dtype=np.float64), path.stops.shape)
    worst = float(distance) if np.ndim(distance) == 0 else float(sizes.min(initial=0.0))
    if not (worst >= 0.0 and math.isfinite(worst)):
        raise InvalidInput("distance_negative", _("distance: must be ≥ 0 m, got {distance:g} m"), distance=worst)
    corners, sizes = _corners(path, sizes)
    if not len(corners):
        return path
    a, b = (_snapped(s, path.rows.breaks) for s in (corners - sizes, corners + sizes))
    a[1:] = np.where(a[1:] - b[:-1] < SNAP, b[:-1], a[1:])
    blends = _blends(path, a, b)
    return _replaced(path, corners, a, b, blends)


def _snapped(s: Floats, breaks: Floats) -> Floats:
    after = np.clip(np.searchsorted(breaks, s), 1, len(breaks) - 1)
    nearest = np.where(breaks[after] - s < s - breaks[after - 1], breaks[after], breaks[after - 1])
    return np.where(np.abs(nearest - s) < SNAP, nearest, s)


class _Blends(NamedTuple):
    """Elements that take the place of corners, and rows through each."""

    elements: Elements
    rows: PathRows
    lengths: Floats


def _corners(path: ToolPath, distance: Floats) -> tuple[Floats, Floats]:
    """Return s of the corners that can be rounded, and how much of the path on either side each takes."""
    stops = path.stops
    left, right = path.beside_stops
    room = 0.5 * np.diff(np.concatenate([[0.0], stops, [path.length]]))
    size = np.minimum(np.minimum(room[:-1], room[1:]), distance)
    bend = np.maximum(*(np.linalg.norm(side[:, 1], axis=1) for side in (left, right)))
    turn = np.linalg.norm(left[:, 2], axis=1) + np.linalg.norm(right[:, 2], axis=1)
    with np.errstate(divide="ignore"):
        size = np.minimum(size, np.minimum(CURVATURE_SHARE / bend, LARGEST_TURN / turn))
    keep = (size > SMALLEST) & ~_turns_back(left, right)
    return stops[keep], size[keep]


def _turns_back(left: Floats, right: Floats) -> NDArray[np.bool_]:
    def opposite(k: int) -> NDArray[np.bool_]:
        sizes = np.linalg.norm(left[:, k], axis=1) * np.linalg.norm(right[:, k], axis=1)
        return np.asarray(np.einsum("ni,ni->n", left[:, k], right[:, k]) < (STRAIGHT_BACK - 1.0) * sizes)

    standing = (np.linalg.norm(left[:, 0], axis=1) < STANDING) & (np.linalg.norm(right[:, 0], axis=1) < STANDING)
    return np.where(standing, opposite(2), opposite(0))


def _blends(path: ToolPath, a: Floats, b: Floats) -> _Blends:
    widths = b - a
    T_a, T_b = path.at(a), path.at(b)
    left, right = path.derivatives(np.nextafter(a, 0.0)), path.derivatives(b)
    h = widths[:, None]
    position = turns.quintics(
        T_a[:, :3, 3], h * left[:, 0], h * h * left[:, 1], T_b[:, :3, 3], h * right[:, 0], h * h * right[:, 1]
    )
    R = np.ascontiguousarray(T_a[:, :3, :3])
    phi = np.zeros_like(position)
    if path.elements.has_turns:
        whole = turns.between(R, T_b[:, :3, :3])
        phi = turns.joining(R, whole, (left[:, 2], left[:, 3]), (right[:, 2], right[:, 3]), widths)
    elements = Elements.polynomial(np.concatenate([position, phi], axis=2), R)
    speeds = np.linalg.norm(np.stack([left[:, 0], right[:, 0]]), axis=2)
    at_unit_speed = (np.abs(speeds - 1.0) < UNIT_SPEED).all(axis=0)
    with_turns = np.zeros(len(a), dtype=np.bool_)
    result = measured(elements, with_turns, np.where(at_unit_speed, np.nan, widths), cuts=CUTS)
    assert not len(result.failed), "a corner that does not turn straight back has no point of rest"
    return _Blends(elements, result.rows, result.lengths)


def _replaced(path: ToolPath, corners: Floats, a: Floats, b: Floats, blends: _Blends) -> ToolPath:
    """Return the path with the blends in place of corners, from each `a` to `b`."""
    old = path.rows
    cuts = np.union1d(old.breaks, np.concatenate([a, b]))
    middle, width = 0.5 * (cuts[:-1] + cuts[1:]), np.diff(cuts)
    inside = np.searchsorted(a, middle) - 1
    kept = (inside < 0) | (middle > b[inside])
    row, _ = old.find(middle[kept])
    whole = old.breaks[row + 1] - old.breaks[row]
    v_of_x = narrowed(old.v_of_x[row], (cuts[:-1][kept] - old.breaks[row]) / whole, width[kept] / whole)
    new = blends.rows
    place = np.concatenate([middle[kept], (0.5 * (a + b))[new.owner]])
    order = np.argsort(place, kind="stable")
    widths = np.concatenate([width[kept], np.diff(new.breaks)])[order]
    owner = np.concatenate([old.owner[row], path.elements.count + new.owner])[order]
    rows = PathRows(np.concatenate([[0.0], np.cumsum(widths)]), stacked([v_of_x, new.v_of_x])[order], owner)
    elements = joined_elements([path.elements, blends.elements])
    stops = path.stops[~np.isin(path.stops, corners)]
    nodes, stops = (_moved(path, places, a, b, blends.lengths) for places in (path.nodes, stops))
    return ToolPath(elements, rows, nodes, stops)


def _moved(path: ToolPath, places: Floats, a: Floats, b: Floats, lengths: Floats) -> Floats:
    """Return where places are after corners got new lengths; a corner is in its blend's middle."""
    marks = np.concatenate([[0.0], np.stack([a, b], axis=1).ravel(), [path.length]])
    steps = np.diff(marks)
    steps[1::2] = lengths
    return np.asarray(np.interp(places, marks, np.concatenate([[0.0], np.cumsum(steps)])))
