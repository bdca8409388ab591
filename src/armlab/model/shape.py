"""Convex solids: what links look like, collide with and weigh."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats, read_only
from armlab.errors import InvalidInput
from armlab.model.hull import Hull, convex_hull

ShapeKind = Literal["box", "cylinder", "sphere", "loft", "hull"]
Finish = Literal["body", "accent", "joint", "base", "tool"]
"""What a surface is, not its colour: the robot's palette says the colour."""
Body = Literal["tapered", "box", "none"]

_COUNTS: dict[ShapeKind, tuple[int, int]] = {
    "box": (3, 4),
    "cylinder": (2, 3),
    "sphere": (1, 1),
    "loft": (5, 10),
    "hull": (0, 0),
}
"""How many numbers `size` needs, and how many it can have."""
_POSITIVE: dict[ShapeKind, int] = {"box": 3, "cylinder": 2, "sphere": 1, "loft": 5, "hull": 0}
"""How many numbers at the start of `size` must be above zero."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """One convex solid, in the frame of the link that it belongs to.

    The solid is centred on its own frame; cylinders and lofts extend along its z axis.

    size, by kind (metres; numbers in brackets may be left out):
        box: x, y, z lengths, [edge radius].
        cylinder: radius, length, [edge radius].
        sphere: radius.
        loft: half widths x and y at the bottom, half widths x and y at the top, length, [corner radius at the
            bottom, corner radius at the top, edge radius, the top's shift along x, along y]. It is the hull
            of two rectangles with rounded corners, at z = -length/2 and z = +length/2. Without corner radii
            they are as round as can be: circles, where both half widths are equal.
        hull: none; it is the convex hull of `points`, which are in the shape's own frame and need not be round it.
    """

    kind: ShapeKind
    size: tuple[float, ...]
    T_link_shape: Floats
    finish: Finish = "body"
    points: Floats | None = None
    """Of a hull, (m, 3) metres; what is inside is left out."""
    faces: NDArray[np.int32] | None = field(init=False, default=None, repr=False)
    """Of a hull: its triangles, (f, 3) indices of `points`."""

    def __post_init__(self) -> None:
        if self.kind not in get_args(ShapeKind):
            raise InvalidInput(f"shape: kind '{self.kind}' is not one of {', '.join(get_args(ShapeKind))}")
        needed, most = _COUNTS[self.kind]
        if not needed <= len(self.size) <= most:
            wanted = f"{needed}" if needed == most else f"{needed} to {most}"
            raise InvalidInput(f"shape: a {self.kind} has {wanted} sizes, got {len(self.size)}")
        if not all(math.isfinite(value) for value in self.size):
            raise InvalidInput(f"shape: the sizes {self.size} of a {self.kind} are not finite numbers")
        if min(self.size[: _POSITIVE[self.kind]], default=1.0) <= 0.0 or min(self.size[:8], default=0.0) < 0.0:
            raise InvalidInput(f"shape: the sizes {self.size} of a {self.kind} are not above zero")
        whole = (*self.size, *_rest(self.kind, self.size))
        object.__setattr__(self, "size", tuple(float(value) for value in whole))
        object.__setattr__(self, "T_link_shape", read_only(np.asarray(self.T_link_shape)))
        self._take_points()

    def _take_points(self) -> None:
        """Keep the corners of a hull, and its triangles."""
        if self.kind != "hull":
            if self.points is not None:
                raise InvalidInput(f"shape: a {self.kind} has sizes, not points")
            return
        if self.points is None:
            raise InvalidInput("shape: a hull needs points")
        hull = convex_hull(self.points, "shape: hull")
        hull.faces.setflags(write=False)
        object.__setattr__(self, "points", read_only(hull.points))
        object.__setattr__(self, "faces", hull.faces)

    @property
    def hull(self) -> Hull:
        """The corners and triangles of a hull, in the shape's own frame."""
        if self.points is None or self.faces is None:
            raise InvalidInput(f"shape: a {self.kind} is not kept as a hull; armlab.model.solid.hull_points has one")
        return Hull(self.points, self.faces)


def _rest(kind: ShapeKind, size: tuple[float, ...]) -> tuple[float, ...]:
    """Return the sizes that were left out."""
    most = _COUNTS[kind][1]
    if kind != "loft":
        return (0.0,) * (most - len(size))
    corners = (min(size[0], size[1]), min(size[2], size[3]))
    return (*corners, 0.0, 0.0, 0.0)[len(size) - 5 :]


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of an arm by finish, as `#rrggbb`."""

    body: str = "#e8eaed"
    accent: str = "#ff6f20"
    joint: str = "#3c4148"
    base: str = "#3c4148"
    tool: str = "#7a828c"


@dataclass(frozen=True, slots=True)
class LinkSkin:
    """Wishes for the looks of one link (metres); what is None comes from the arm's proportions.

    For the base, `radius` and `length` are those of the plinth, and the rest says nothing. For a link that slides,
    `radius` is that of the rod or of the rail.
    """

    radius: float | None = None
    """Of the housing round the joint that moves this link."""
    length: float | None = None
    """Of that housing, along the joint's axis."""
    shift: float | None = None
    """Where on the joint's axis the link sits, from the joint's origin in the positive direction."""
    body: Body | None = None
    """The limb from this joint to the next: "tapered" (round corners), "box" (square ones) or "none"."""
    width: float | None = None
    """Of the limb, square to the joint's axis."""
    depth: float | None = None
    """Of the limb, along the joint's axis."""

    def __post_init__(self) -> None:
        for what in ("radius", "length", "width", "depth"):
            value = getattr(self, what)
            if value is not None and not (value > 0.0 and math.isfinite(value)):
                raise InvalidInput(f"skin: {what} {value:g} m is not above zero")
        if self.shift is not None and not math.isfinite(self.shift):
            raise InvalidInput(f"skin: shift {self.shift} is not a finite number")
        if self.body is not None and self.body not in get_args(Body):
            raise InvalidInput(f"skin: body '{self.body}' is not one of {', '.join(get_args(Body))}")
