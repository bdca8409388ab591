"""The jaws of a gripper: which of a tool's shapes they are, how far they close, and how hard."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose, solid
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape

if TYPE_CHECKING:
    from armlab.model.parts import Tool

JAW_SPEED = 0.1
"""m/s, of each finger of a gripper whose file says none."""
GRIP_FORCE = 60.0
"""N, of each such finger."""
FINGER_SHARE = 0.05
"""Of the tool's mass, for each such finger."""
LEAST_MASS = 0.1
"""kg, of the tool at least, when that is taken."""


class Finger(NamedTuple):
    """One finger, open, in the flange's frame."""

    axis: Floats
    """In which direction it closes, (3,), of length 1."""
    shapes: tuple[Shape, ...]
    inertia: Inertia


@dataclass(frozen=True, slots=True, eq=False)
class Jaws:
    """Fingers that slide, coupled: always by the same distance; the rest of the tool, the palm, holds still."""

    opening: float
    """m between the fingers, open, where the tool's point is."""
    travel: float
    """m that each of them can move."""
    palm: tuple[Shape, ...]
    fingers: tuple[Finger, ...]
    force: float = GRIP_FORCE
    """N, of each finger at most."""
    speed: float = JAW_SPEED
    """m/s, of each finger."""

    def travel_to(self, width: float) -> float:
        """Return how far (m) each finger moves until they are `width` m apart, as far as it can."""
        return min(max((self.opening - width) / 2.0, 0.0), self.travel)


def jaws_of(tool: Tool) -> Jaws | None:
    """Return the jaws of a gripper: those that its file names, or what its shapes show; None where there are none.

    Where a file names none, two fingers close along the flange's x axis: what lies wholly on one side of its plane
    x = 0.
    """
    if tool.jaws is not None:
        return tool.jaws
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
    mass = FINGER_SHARE * max(tool.inertia.mass, LEAST_MASS)
    sides = ((-1.0, right), (1.0, left))
    fingers = (Finger(np.array([sign, 0.0, 0.0]), side, solid.inertia(side, mass=mass)) for sign, side in sides)
    return Jaws(opening, travel, palm, tuple(fingers))


def held_width(jaws: Jaws, shapes: Iterable[Shape], T_flange_body: Floats) -> float:
    """Return how wide (m) a held body is between the fingers: twice how far it reaches towards one of them."""
    points = np.concatenate([pose.transform(T_flange_body, solid.mesh(shape, 4).vertices) for shape in shapes])
    return min(2.0 * max(0.0, *(float((-points @ finger.axis).max()) for finger in jaws.fingers)), jaws.opening)


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
