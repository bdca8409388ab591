"""The jaws of a gripper: which of a tool's shapes they are, and how far they close."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose, solid
from armlab.geometry.shape import Shape
from armlab.model.parts import Tool

JAW_SPEED = 0.1
"""m/s, of each jaw."""


class Jaws(NamedTuple):
    """Two jaws that close along the flange's x axis, always by the same distance; the rest of the tool holds still."""

    opening: float
    """m between the jaws, open, where the tool's point is."""
    travel: float
    """m that each of them can move."""
    palm: tuple[Shape, ...]
    right: tuple[Shape, ...]
    """On the side of +x: it closes towards -x."""
    left: tuple[Shape, ...]

    def travel_to(self, width: float) -> float:
        """Return how far (m) each jaw moves until they are `width` m apart, as far as it can."""
        return min(max((self.opening - width) / 2.0, 0.0), self.travel)


def jaws_of(tool: Tool) -> Jaws | None:
    """Return the jaws of a gripper; None for another tool, or one whose shapes show none.

    A jaw is what lies wholly on one side of the flange's plane x = 0.
    """
    if tool.kind != "gripper":
        return None
    extents = [_extent(shape, 0) for shape in tool.shapes]
    pairs = list(zip(tool.shapes, extents, strict=True))
    right = tuple(s for s, (low, _) in pairs if low > 0.0)
    left = tuple(s for s, (_, high) in pairs if high < 0.0)
    if not right or not left:
        return None
    palm = tuple(s for s, (low, high) in pairs if low <= 0.0 <= high)
    travel = min(*(low for low, _ in extents if low > 0.0), *(-high for _, high in extents if high < 0.0))
    opening = max(2.0 * travel, 2.0 * _gap((*right, *left), float(tool.T_flange_tool[2, 3])))
    return Jaws(opening, travel, palm, right, left)


def held_width(jaws: Jaws, shapes: Iterable[Shape], T_flange_body: Floats) -> float:
    """Return how wide (m) a held body is between the jaws: twice the distance of its farther side from their middle."""
    points = [pose.transform(T_flange_body, solid.mesh(shape, 4).vertices)[:, 0] for shape in shapes]
    return min(2.0 * float(max((np.abs(x).max() for x in points), default=0.0)), jaws.opening)


def _gap(shapes: tuple[Shape, ...], z: float) -> float:
    """Return how near (m) shapes come to x = 0 at the height `z`, or at their ends where the tool's point is beyond."""
    heights = [_extent(shape, 2) for shape in shapes]
    z = min(z, max(high for _, high in heights))
    gaps = [
        min(map(abs, _extent(shape, 0))) for shape, (low, high) in zip(shapes, heights, strict=True) if low <= z <= high
    ]
    return min(gaps, default=0.0)


def _extent(shape: Shape, axis: int) -> tuple[float, float]:
    values = solid.mesh(shape, 4).vertices[:, axis]
    return float(values.min()), float(values.max())
