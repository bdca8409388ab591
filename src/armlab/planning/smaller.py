"""Solids made smaller: all that is at least so far below their surface."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from armlab.geometry import solid
from armlab.geometry.hull import attempt_hull, planes
from armlab.geometry.shape import Shape


def smaller_shape(shape: Shape, by: float) -> Shape | None:
    """Return all of a solid that is at least `by` (m) below its surface; None where nothing is."""
    if shape.kind == "sphere":
        return replace(shape, size=(shape.size[0] - by,)) if shape.size[0] > by else None
    if shape.kind == "box" and shape.size[3] == 0.0:
        x, y, z = (size - 2.0 * by for size in shape.size[:3])
        return replace(shape, size=(x, y, z, 0.0)) if min(x, y, z) > 0.0 else None
    if shape.kind == "cylinder" and shape.size[2] == 0.0:
        radius, length = shape.size[0] - by, shape.size[1] - 2.0 * by
        return replace(shape, size=(radius, length, 0.0)) if min(radius, length) > 0.0 else None
    return _smaller_hull(shape, by)


def _smaller_hull(shape: Shape, by: float) -> Shape | None:
    from scipy.spatial import HalfspaceIntersection, QhullError

    points = solid.surface_points(shape)
    hull = attempt_hull(points)
    if hull is None:
        return None
    normals, offsets = planes(hull)
    middle = points.mean(axis=0)
    if float((offsets - normals @ middle).min()) - by <= 1e-6 * math.sqrt(float((np.ptp(points, axis=0) ** 2).sum())):
        return None
    try:
        corners = HalfspaceIntersection(np.column_stack([normals, by - offsets]), middle).intersections
    except QhullError:
        return None
    return Shape("hull", (), shape.T_link_shape, shape.finish, corners, shape.part)
