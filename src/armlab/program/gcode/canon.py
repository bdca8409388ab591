"""Canonical motions and commands: what an interpreter of G-code tells a machine.

Coordinates are those of the program: in its units, before work offsets. `world` of a motion is where the machine goes:
millimetres and degrees after tool, rotation and offsets. Axes are X Y Z A B C U V W.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias, cast

AXES = "xyzabcuvw"

Point: TypeAlias = tuple[float, float, float, float, float, float, float, float, float]
Plane = Literal["xy", "zx", "yz"]


def as_point(values: Iterable[float]) -> Point:
    """Return nine values as a point."""
    return cast("Point", tuple(values))


class Traverse(NamedTuple):
    """A straight motion at the machine's own speed."""

    line: int
    end: Point
    world: Point


class Feed(NamedTuple):
    """A straight motion at feed rate."""

    line: int
    end: Point
    world: Point
    rate: float
    """In the units of the feed mode; 0 in inverse time, where `seconds` counts."""
    seconds: float


class Arc(NamedTuple):
    """An arc or helix in a plane; `turns` > 0 is counter-clockwise, and counts how often the end is passed."""

    line: int
    end: Point
    world: Point
    center: tuple[float, float]
    """Along the plane's first and second axis, in program units."""
    world_center: Point
    turns: int
    plane: Plane
    rate: float
    seconds: float


class Spline(NamedTuple):
    """A Bézier curve of second or third degree in the XY plane, at feed rate; `controls` lie between start and end."""

    line: int
    end: Point
    world: Point
    controls: tuple[tuple[float, float], ...]
    world_controls: tuple[tuple[float, float], ...]
    rate: float
    seconds: float


class StraightProbe(NamedTuple):
    """A straight motion that ends at contact (or at its loss, `away`); a missing contact is an error where `needed`."""

    line: int
    end: Point
    world: Point
    rate: float
    away: bool
    needed: bool


class Dwell(NamedTuple):
    """Stand still."""

    line: int
    seconds: float


class Setting(NamedTuple):
    """A command that moves nothing: a name, and its values in order."""

    line: int
    name: str
    values: tuple[float | int | str, ...] = ()


class Text(NamedTuple):
    """What a program says: a comment, a message, a debug or print line, a log line."""

    line: int
    kind: Literal["comment", "message", "debug", "print", "log"]
    text: str


class InputWait(NamedTuple):
    """Read an input, or wait for it: `mode` 0 at once, 1 rise, 2 fall, 3 high, 4 low; the result becomes #5399."""

    line: int
    input: int
    is_analog: bool
    mode: int
    timeout: float


class Halt(NamedTuple):
    """The program stops, or ends; the operator may let it go on after `stop`, `optional_stop` and `pallet`."""

    line: int
    kind: Literal["stop", "optional_stop", "pallet", "end"]


Motion: TypeAlias = Traverse | Feed | Arc | Spline | StraightProbe
Canonical: TypeAlias = Motion | Dwell | Setting | Text | InputWait | Halt
