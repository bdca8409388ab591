"""Arcs through three points: where one ends, and points on it."""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.messages import _
from armlab.program.krl.faults import Fault
from armlab.program.span import Span

FLAT = 1e-9
"""A triangle is taken for a line where twice its area is below this share of its longest side squared."""


def circle(begin: Floats, via: Floats, end: Floats) -> tuple[Floats, Floats] | None:
    """Return centre and axis (3,) of the circle through three points, turning from `begin` over `via` to `end`."""
    a, b = via - begin, end - begin
    normal = np.cross(a, b)
    area, size = float(np.linalg.norm(normal)), max(float(a @ a), float(b @ b))
    if area <= FLAT * size:
        return None
    centre = begin + np.cross(normal, a * float(b @ b) - b * float(a @ a)) / (2.0 * area**2)
    return centre, normal / area


def _about(centre: Floats, axis: Floats, angle: float) -> Floats:
    """Return the turn (4, 4) by `angle` about an axis through `centre`."""
    T = pose.from_xyz_axis_angle([0.0, 0.0, 0.0], axis, angle)
    T[:3, 3] = centre - T[:3, :3] @ centre
    return T


def turned_about(begin: Floats, via: Floats, end: Floats, angle: float, span: Span) -> Floats:
    """Return where an arc ends (4, 4) that goes by `angle` along a circle; the orientation is that of `end`."""
    found = circle(begin[:3, 3], via, end[:3, 3])
    if found is None:
        raise Fault("krl_flat_arc", _("the three points of the arc lie on a line"), span)
    moved = end.copy()
    moved[:3, 3] = pose.transform(_about(*found, angle), begin[:3, 3])
    return moved


def points_on_arc(begin: Floats, via: Floats | None, end: Floats, pieces: int) -> list[Floats]:
    """Return frames between two (4, 4), on the arc over `via` (3,) or on the straight line, turning evenly."""
    turn = pose.rotation_vector(begin[:3, :3].T @ end[:3, :3])
    half = float(np.linalg.norm(turn))
    found = None if via is None else circle(begin[:3, 3], via, end[:3, 3])
    whole = 0.0 if found is None else _angle(begin[:3, 3], end[:3, 3], *found)
    frames = []
    for share in np.arange(1, pieces) / pieces:
        T = begin.copy()
        if half > 0.0:
            T[:3, :3] = begin[:3, :3] @ pose.from_xyz_axis_angle([0.0, 0.0, 0.0], turn, half * share)[:3, :3]
        if found is None:
            T[:3, 3] = begin[:3, 3] + share * (end[:3, 3] - begin[:3, 3])
        else:
            T[:3, 3] = pose.transform(_about(*found, whole * share), begin[:3, 3])
        frames.append(T)
    return frames


def _angle(begin: Floats, end: Floats, centre: Floats, axis: Floats) -> float:
    """Return by how much one point turns about an axis to the other: 0 … 2π."""
    a, b = begin - centre, end - centre
    return math.atan2(float(axis @ np.cross(a, b)), float(a @ b)) % (2.0 * math.pi)
