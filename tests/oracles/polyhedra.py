"""Convex polyhedra for coal."""

from __future__ import annotations

from typing import Any

import pytest

from armlab.arrays import Floats

coal: Any = pytest.importorskip("coal", reason="coal has no wheels for this platform")

QUALITY = 24
"""Faces per quarter turn: such a polyhedron stands out of a radius of 0.1 m by 0.05 mm at most."""


def polyhedron(points: Floats) -> Any:
    """Return the hull of points (k, 3)."""
    cloud = coal.StdVec_Vec3s()
    for point in points:
        cloud.append(point)
    return coal.ConvexBase.convexHull(cloud, False, "Qt")
