"""Solids in the form that the kernels take: exact for every kind of shape, nothing is made thicker."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose, solid
from armlab.geometry.shape import Shape
from armlab.kernels.collision.ball import ball_into

KEPT = 2048
BALL_STEPS = 59
"""How often the ball round an object is improved."""


@dataclass(frozen=True, slots=True, eq=False)
class ConvexPart:
    """One convex solid: rows (k, 6) of armlab.kernels.collision.gjk, thickened by a radius, in a frame amid its box."""

    rows: Floats
    radius: float
    T_object_part: Floats
    half_widths: Floats
    """Of its box, (3,)."""

    @property
    def is_pointed(self) -> bool:
        """Whether all rows are points."""
        return not self.rows[:, 1:4].any()

    @property
    def reach(self) -> float:
        """The radius of the ball round the part's origin that holds it."""
        z, x, y, r, ox, oy = np.abs(self.rows).T
        return float(np.hypot(np.hypot(ox + x, oy + y) + r, z).max()) + self.radius


@lru_cache(maxsize=KEPT)
def part_of(shape: Shape) -> ConvexPart:
    """Return the solid of `shape`, in the frame of the object that it belongs to."""
    radius = 0.0
    if shape.kind == "sphere":
        rows, radius = np.zeros((1, 6)), shape.size[0]
    elif shape.kind == "hull":
        rows = np.zeros((len(shape.hull.points), 6))
        rows[:, [4, 5, 0]] = shape.hull.points
    else:
        rows = solid.rings_of(shape).copy()
        rows[:, 1:3] -= rows[:, 3:4]
    z, x, y, r, ox, oy = rows.T
    low = np.array([(ox - x - r).min(), (oy - y - r).min(), z.min()])
    high = np.array([(ox + x + r).max(), (oy + y + r).max(), z.max()])
    middle = 0.5 * (low + high)
    rows[:, [4, 5, 0]] -= middle
    T_object_part = shape.T_link_shape @ pose.from_xyz(middle)
    return ConvexPart(np.ascontiguousarray(rows), radius, T_object_part, 0.5 * (high - low) + radius)


@lru_cache(maxsize=KEPT)
def ball_round(shapes: tuple[Shape, ...]) -> Floats:
    """Return a small ball that holds all `shapes`: centre and radius, (4,)."""
    ball = np.empty(4)
    ball_into(np.concatenate([solid.hull_points(shape) for shape in shapes]), BALL_STEPS, ball)
    return ball
