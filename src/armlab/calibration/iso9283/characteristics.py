"""The formulas of ISO 9283: characteristics from what was commanded and what was attained, in m and rad."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose

WINDOW = 60
"""Samples before and after the same time in which an attained point's place on the path is looked for."""


class PoseCharacteristics(NamedTuple):
    """Of one pose, from n cycles."""

    accuracy: float
    """AP_p: from the commanded position to the barycentre of the attained ones (m)."""
    offset: Floats
    """AP_x, AP_y, AP_z (3,) m."""
    turn: Floats
    """The mean orientation against the commanded one, a rotation vector (3,) rad; NaN where it was not measured."""
    repeatability: float
    """RP_l = l̄ + 3 S_l: the radius round the barycentre (m)."""
    turn_repeatability: Floats
    """±3 S of the rotation vector about each axis (3,) rad."""


class DistanceCharacteristics(NamedTuple):
    """Of the distance between two poses."""

    accuracy: float
    """AD_p: mean attained minus commanded distance (m)."""
    repeatability: float
    """RD = ±3 S_D (m)."""


class PathCharacteristics(NamedTuple):
    """Of a path that was run n times."""

    accuracy: float
    """AT_p: the largest distance from the commanded path to the barycentre of the attained ones (m)."""
    repeatability: float
    """RT_p: the largest l̄ + 3 S_l across the path (m)."""


class CornerCharacteristics(NamedTuple):
    """Of corners of a path."""

    rounding: float
    """CR: the least distance from the corner to the attained path, the largest of all corners (m)."""
    overshoot: float
    """CO: how far the path goes beyond the corner's second side, the largest of all corners (m)."""


def pose_characteristics(T_commanded: Floats, T_attained: Floats) -> PoseCharacteristics:
    """Return accuracy and repeatability of one commanded pose (4, 4) that was attained n times (n, 4, 4)."""
    p = T_attained[:, :3, 3]
    centre = p.mean(axis=0)
    away = np.linalg.norm(p - centre, axis=1)
    offset = centre - T_commanded[:3, 3]
    turns = pose.rotation_vector(T_attained[:, :3, :3] @ T_commanded[:3, :3].T)
    return PoseCharacteristics(
        float(np.linalg.norm(offset)),
        offset,
        turns.mean(axis=0),
        _three_sigma(away),
        np.asarray(3.0 * turns.std(axis=0, ddof=1)),
    )


def distance_characteristics(
    commanded: tuple[Floats, Floats], attained: tuple[Floats, Floats]
) -> DistanceCharacteristics:
    """Return accuracy and repeatability of the distance between two points (3,), attained (n, 3) each."""
    true = float(np.linalg.norm(commanded[0] - commanded[1]))
    distances = np.linalg.norm(attained[0] - attained[1], axis=1)
    return DistanceCharacteristics(float(distances.mean()) - true, float(3.0 * distances.std(ddof=1)))


def path_characteristics(commanded: Floats, attained: Floats) -> tuple[PathCharacteristics, Floats]:
    """Return accuracy and repeatability of a path (m, 3) run n times (n, m, 3), both sampled at the same times.

    Attained paths are compared in the planes normal to the commanded one, whatever their delay; they come back so, (n,
    k, 3), with the places where they stand still taken once.
    """
    step = np.linalg.norm(np.diff(commanded, axis=0), axis=1)
    length = np.concatenate([[0.0], np.cumsum(step)])
    along = [np.maximum.accumulate(_places(commanded, length, path)) for path in attained]
    begin, end = max(places[0] for places in along), min(places[-1] for places in along)  # where all have been
    grid = np.linspace(begin, end, max(50, min(len(commanded), 500)))[1:-1]
    moving = np.concatenate([[True], step > 1e-12])
    line = np.column_stack([np.interp(grid, length[moving], commanded[moving, k]) for k in range(3)])
    cycles = []
    for path, places in zip(attained, along, strict=True):
        first = np.concatenate([[True], np.diff(places) > 1e-12])
        cycles.append(np.column_stack([np.interp(grid, places[first], path[first, k]) for k in range(3)]))
    found = np.array(cycles)
    centre = found.mean(axis=0)
    across = np.linalg.norm(found - centre, axis=2)
    spread = across.mean(axis=0) + 3.0 * across.std(axis=0, ddof=1)
    off = np.linalg.norm(centre - line, axis=1)
    return PathCharacteristics(float(off.max()), float(spread.max())), np.concatenate([line[None], found])


def corner_characteristics(corners: Floats, attained: Floats | Sequence[Floats]) -> CornerCharacteristics:
    """Return rounding and overshoot at inner corners of a polygon (k, 3) that was run n times, n paths (m, 3)."""
    rounding, overshoot = 0.0, 0.0
    for before, corner, after in zip(corners[:-2], corners[1:-1], corners[2:], strict=True):
        inward = (corner - before) / np.linalg.norm(corner - before)
        onward = (after - corner) / np.linalg.norm(after - corner)
        nearest, beyond = [], []
        for path in attained:
            away = np.linalg.norm(path - corner, axis=1)
            at = int(np.argmin(away))
            nearest.append(away[at])
            rest = path[at:] - corner
            near = (rest @ onward >= 0.0) & (rest @ onward < 0.5 * np.linalg.norm(after - corner))
            beyond.append(max(0.0, float((rest[near] @ inward).max(initial=0.0))))
        rounding, overshoot = max(rounding, float(np.mean(nearest))), max(overshoot, float(np.mean(beyond)))
    return CornerCharacteristics(rounding, overshoot)


def _places(commanded: Floats, length: Floats, path: Floats) -> Floats:
    """Return how far along the commanded path the nearest point to each attained one is, near the same time, (m,)."""
    m = len(commanded)
    best, where = np.full(m, np.inf), np.zeros(m)
    for shift in range(-WINDOW, WINDOW + 1):
        at = np.clip(np.arange(m) + shift, 0, m - 2)
        a, b = commanded[at], commanded[at + 1]
        along = b - a
        squared = np.einsum("mi,mi->m", along, along)
        share = np.clip(np.einsum("mi,mi->m", path - a, along) / np.maximum(squared, 1e-30), 0.0, 1.0)
        away = np.linalg.norm(path - a - share[:, None] * along, axis=1)
        nearer = away < best
        best = np.where(nearer, away, best)
        where = np.where(nearer, length[at] + share * (length[at + 1] - length[at]), where)
    return where


def _three_sigma(distances: Floats) -> float:
    return float(distances.mean() + 3.0 * distances.std(ddof=1))
