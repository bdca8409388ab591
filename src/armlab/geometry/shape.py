"""Convex solids: what links look like, collide with and weigh."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats, read_only
from armlab.errors import InvalidInput
from armlab.geometry.hull import Hull, convex_hull
from armlab.messages import _

ShapeKind = Literal["box", "cylinder", "sphere", "loft", "hull"]
Finish = Literal["body", "accent", "joint", "base", "tool"]
"""What a surface is, not its colour: the robot's palette says the colour."""
LimbForm = Literal["tapered", "box", "none"]

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

    `size` by kind, in metres; numbers in brackets may be left out:

    - box: x, y, z lengths, [edge radius].
    - cylinder: radius, length, [edge radius].
    - sphere: radius.
    - loft: half widths x and y at the bottom, half widths x and y at the top, length, [corner radius at the bottom,
      corner radius at the top, edge radius, the top's shift along x, along y]. It is the hull of two rectangles with
      rounded corners, at z = -length/2 and z = +length/2. Without corner radii they are as round as can be: circles,
      where both half widths are equal.
    - hull: none; it is the convex hull of `points`, which are in the shape's own frame and need not be round it.
    """

    kind: ShapeKind
    size: tuple[float, ...]
    T_link_shape: Floats
    finish: Finish = "body"
    points: Floats | None = None
    """Of a hull, (m, 3) metres; what is inside is left out."""
    part: str = ""
    """What it belongs to, where that is fixed to the link under a name of its own, as a hand is."""
    faces: NDArray[np.int32] | None = field(init=False, default=None, repr=False)
    """Of a hull: its triangles, (f, 3) indices of `points`."""
    _content: tuple[object, ...] = field(init=False, default=(), repr=False)
    """All that makes the shape what it is: shapes that are the same are equal, so that work on them is kept."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shape) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    def __post_init__(self) -> None:
        if self.kind not in get_args(ShapeKind):
            raise unknown_kind(self.kind)
        needed, most = _COUNTS[self.kind]
        if not needed <= len(self.size) <= most:
            raise _wrong_size_count(self.kind, len(self.size))
        if not all(math.isfinite(value) for value in self.size):
            raise InvalidInput(
                "shape_size_not_finite",
                _("shape '{kind}': sizes {sizes} are not finite numbers"),
                kind=self.kind,
                sizes=self.size,
            )
        if min(self.size[: _POSITIVE[self.kind]], default=1.0) <= 0.0 or min(self.size[:8], default=0.0) < 0.0:
            raise InvalidInput(
                "shape_size_not_positive",
                _("shape '{kind}': sizes must be > 0, got {sizes}"),
                kind=self.kind,
                sizes=self.size,
            )
        whole = (*self.size, *_rest(self.kind, self.size))
        object.__setattr__(self, "size", tuple(float(value) for value in whole))
        object.__setattr__(self, "T_link_shape", read_only(np.asarray(self.T_link_shape)))
        self._take_points()
        points = None if self.points is None else self.points.tobytes()
        content = (self.kind, self.size, self.T_link_shape.tobytes(), self.finish, points, self.part)
        object.__setattr__(self, "_content", content)

    def _take_points(self) -> None:
        """Keep the corners of a hull, and its triangles."""
        if self.kind != "hull":
            if self.points is not None:
                raise InvalidInput("shape_has_no_points", _("shape '{kind}' has sizes, not points"), kind=self.kind)
            return
        if self.points is None:
            raise InvalidInput("shape_needs_points", _("shape 'hull' needs points"))
        hull = convex_hull(self.points, "shape: hull")
        hull.faces.setflags(write=False)
        object.__setattr__(self, "points", read_only(hull.points))
        object.__setattr__(self, "faces", hull.faces)

    @property
    def hull(self) -> Hull:
        """The corners and triangles of a hull, in the shape's own frame."""
        if self.points is None or self.faces is None:
            raise InvalidInput(
                "shape_not_a_hull",
                _("shape '{kind}' is not stored as a hull; use armlab.geometry.solid.hull_points"),
                kind=self.kind,
            )
        return Hull(self.points, self.faces)


def unknown_kind(kind: str) -> InvalidInput:
    """Return the error about a kind of shape that there is not."""
    return InvalidInput(
        "shape_kind", _("shape: kind '{kind}' is not one of {known}"), kind=kind, known=get_args(ShapeKind)
    )


def _wrong_size_count(kind: ShapeKind, count: int) -> InvalidInput:
    least, most = _COUNTS[kind]
    if least == most:
        return InvalidInput(
            "shape_size_count",
            _("shape '{kind}': expected {least} sizes, got {count}"),
            kind=kind,
            least=least,
            count=count,
        )
    return InvalidInput(
        "shape_size_count_range",
        _("shape '{kind}': expected {least} to {most} sizes, got {count}"),
        kind=kind,
        least=least,
        most=most,
        count=count,
    )


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
    """Chosen parts of the appearance of one link (metres); what is None comes from the arm's proportions.

    For the base, `radius` and `length` are those of the plinth, and the rest says nothing. For a link that slides,
    `radius` is that of the rod or of the rail.
    """

    radius: float | None = None
    """Of the housing round the joint that moves this link."""
    length: float | None = None
    """Of that housing, along the joint's axis."""
    shift: float | None = None
    """Where on the joint's axis the link sits, from the joint's origin in the positive direction."""
    body: LimbForm | None = None
    """The limb from this joint to the next: "tapered" (round corners), "box" (square ones) or "none"."""
    width: float | None = None
    """Of the limb, square to the joint's axis."""
    depth: float | None = None
    """Of the limb, along the joint's axis."""

    def __post_init__(self) -> None:
        for what in ("radius", "length", "width", "depth"):
            value = getattr(self, what)
            if value is not None and not (value > 0.0 and math.isfinite(value)):
                raise InvalidInput(
                    "skin_not_positive", _("skin: {key} must be > 0, got {value:g} m"), key=what, value=value
                )
        if self.shift is not None and not math.isfinite(self.shift):
            raise InvalidInput("skin_not_finite", _("skin: shift {shift} is not a finite number"), shift=self.shift)
        if self.body is not None and self.body not in get_args(LimbForm):
            raise InvalidInput(
                "skin_body", _("skin: body '{body}' is not one of {known}"), body=self.body, known=get_args(LimbForm)
            )
