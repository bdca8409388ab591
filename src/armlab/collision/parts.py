"""Solids in the form that the kernels take: exact for every kind of shape, nothing is made thicker."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose, solid
from armlab.geometry.shape import Shape
from armlab.kernels.collision.ball import ball_into

KEPT = 2048
BALL_STEPS = 59
"""How often the ball round an object is improved."""
_RADII: dict[str, Callable[[tuple[float, ...]], float]] = {
    "box": lambda size: 0.5 * math.hypot(*size[:3]),
    "cylinder": lambda size: math.hypot(size[0], 0.5 * size[1]),
    "sphere": lambda size: size[0],
}


@dataclass(frozen=True, slots=True, eq=False)
class ConvexPart:
    """One convex solid: rows (k, 6) of armlab.kernels.collision.gjk, thickened by a radius, in a frame amid its box."""

    rows: Floats
    radius: float
    T_object_part: Floats
    half_widths: Floats
    """Of its box, (3,)."""
    is_pointed: bool = field(init=False)
    """Whether all rows are points."""
    reach: float = field(init=False)
    """The radius of the ball round the part's origin that holds it."""

    def __post_init__(self) -> None:
        z, x, y, r, ox, oy = np.abs(self.rows).T
        object.__setattr__(self, "is_pointed", not self.rows[:, 1:4].any())
        object.__setattr__(self, "reach", float(np.hypot(np.hypot(ox + x, oy + y) + r, z).max()) + self.radius)

    @property
    def sizes(self) -> Floats:
        """Half widths, reach and radius, (5,)."""
        x, y, z = self.half_widths.tolist()
        return np.array([x, y, z, self.reach, self.radius])


@lru_cache(maxsize=KEPT)
def part_of(shape: Shape) -> ConvexPart:
    """Return the solid of `shape`, in the frame of the object that it belongs to."""
    radius = 0.0
    if shape.kind == "box" and shape.size[3] == 0.0:
        half = 0.5 * np.array(shape.size[:3])
        ends = np.zeros((2, 6))
        ends[:, 1:3], ends[0, 0], ends[1, 0] = half[:2], -half[2], half[2]
        return ConvexPart(ends, 0.0, shape.T_link_shape, half)
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
    if len(shapes) == 1 and shapes[0].kind in _RADII:  # its middle is the ball's
        radius = _RADII[shapes[0].kind](shapes[0].size)
        return np.array([*shapes[0].T_link_shape[:3, 3], radius])
    ball = np.empty(4)
    ball_into(np.concatenate([solid.hull_points(shape) for shape in shapes]), BALL_STEPS, ball)
    return ball
