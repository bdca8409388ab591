"""How far two runs of a program are apart: the tool's path, and the time."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.model.parts import NO_TOOL
from armlab.program.translate.record import ProgramRecord
from armlab.units import MM_PER_M

STEP = 0.0002
"""m: how far apart the points of a path are that are looked at."""
DENSE = 0.001
"""s between the samples that these are chosen from."""
MOST_SAMPLES = 200_000
WINDOW, LEAST_WINDOW = 0.01, 0.005
"""Share of the whole path, and m, by which a place of one may come earlier or later in the other."""
NEIGHBOURS = 6
"""Segments on either side that are looked at first."""
CLOSE = 1e-5
"""m: what is nearer is near enough, and not looked at more closely."""


class Deviation(NamedTuple):
    """How far the second run is from the first."""

    path_mm: float
    time_share: float
    """(second - first) / first; 0 where nothing takes time."""


def deviation(first: ProgramRecord, second: ProgramRecord, T_flange_tool: Floats) -> Deviation:
    """Return how far two runs are apart, at the point of a tool."""
    share = (second.duration - first.duration) / first.duration if first.duration > 0.0 else 0.0
    a, b = _path(first, T_flange_tool), _path(second, T_flange_tool)
    if a is None or b is None:
        return Deviation(0.0 if a is b else np.inf, share)
    stretch = b[0][-1] / a[0][-1] if a[0][-1] > 0.0 and b[0][-1] > 0.0 else 1.0
    forth = _farthest(a[0] * stretch, a[1], *b)
    back = _farthest(b[0] / stretch, b[1], *a)
    return Deviation(max(forth, back) * MM_PER_M, share)


def _path(record: ProgramRecord, T_flange_tool: Floats) -> tuple[Floats, Floats] | None:
    """Return points (k, 3) of the tool, and how far it has travelled there (k,)."""
    robot = record.robot.with_tool(replace(NO_TOOL, T_flange_tool=T_flange_tool))
    step = max(DENSE, record.duration / MOST_SAMPLES)
    points = []
    for _start, trajectory in record.pieces:
        local = np.linspace(0.0, trajectory.duration, max(2, int(np.ceil(trajectory.duration / step)) + 1))
        points.append(robot.fk(trajectory.sample(local).q)[:, :3, 3])
    if not points:
        return None
    p = np.concatenate(points)
    travelled = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(p, axis=0), axis=1))])
    kept = np.unique(np.append(np.searchsorted(travelled, np.arange(0.0, travelled[-1], STEP)), [0, len(p) - 1]))
    return travelled[kept], p[kept]


def _farthest(travelled: Floats, points: Floats, other_travelled: Floats, other: Floats) -> float:
    """Return how far the points are at most from the other path, near where it has travelled as far."""
    if len(other) == 1:
        return float(np.linalg.norm(points - other, axis=1).max())
    near = np.searchsorted(other_travelled, travelled)
    found = np.full(len(points), np.inf)
    for shift in range(-NEIGHBOURS, NEIGHBOURS):
        i = np.clip(near + shift, 0, len(other) - 2)
        found = np.minimum(found, _to_segments(points, other[i], other[i + 1]))
    window = LEAST_WINDOW + WINDOW * float(other_travelled[-1])
    for k in np.flatnonzero(found > CLOSE).tolist():
        first = max(int(np.searchsorted(other_travelled, travelled[k] - window)) - 1, 0)
        last = min(int(np.searchsorted(other_travelled, travelled[k] + window)) + 1, len(other) - 1)
        gaps = _to_segments(points[k], other[first:last], other[first + 1 : last + 1])
        found[k] = min(found[k], gaps.min(initial=np.inf))
    return float(found.max())


def _to_segments(points: Floats, starts: Floats, ends: Floats) -> Floats:
    d = ends - starts
    t = np.clip(((points - starts) * d).sum(axis=-1) / np.maximum((d * d).sum(axis=-1), 1e-30), 0.0, 1.0)
    return np.asarray(np.linalg.norm(starts + t[..., None] * d - points, axis=-1))
