"""The format of scene files, checked key by key; docs/scenes.md explains it with an example.

Lengths are millimetres, angles degrees, speeds mm/s; `armlab.catalog.scenes` turns them into SI.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from armlab.catalog.schema import Colour, InertialTable, Label, Name, Number, Positive, Table, Text, Triple
from armlab.importing.decompose import MOST_PARTS, PARTS
from armlab.model.scene import MAX_BODIES, MAX_ROBOTS, MAX_SHAPES

PartKind = Literal["box", "cylinder", "sphere", "loft", "hull"]
BodyKind = Literal[PartKind, "mesh", "table", "bin", "conveyor", "compound", "fixture"]

SIZES: dict[str, tuple[int, int]] = {
    "box": (3, 4),
    "cylinder": (2, 3),
    "sphere": (1, 1),
    "loft": (5, 10),
    "table": (3, 5),
    "bin": (3, 4),
    "conveyor": (3, 3),
}
"""How many numbers `size` has, at least and at most, by kind; the others have none."""
_NEEDS: dict[str, str] = {"hull": "points", "mesh": "file", "compound": "shape", "fixture": "shape"}
"""What a kind must have in place of a size."""
_MORE: dict[str, tuple[str, ...]] = {"mesh": ("scale", "parts"), "conveyor": ("speed",)}
"""Keys that only this kind can have."""
_STANDS = ("table", "conveyor", "fixture")
"""Kinds that are always fixed."""

FileName = Annotated[str, Field(min_length=1, max_length=200)]
Points = Annotated[tuple[Triple, ...], Field(min_length=4, max_length=5000)]
Size = Annotated[tuple[Number, ...], Field(max_length=10)]


class PartTable(Table):
    """One convex solid of a compound body or fixture (mm)."""

    kind: PartKind
    size: Size | None = None
    points: Points | None = None
    xyz: Triple = (0.0, 0.0, 0.0)
    rpy: Triple = (0.0, 0.0, 0.0)

    @model_validator(mode="after")
    def _agrees(self) -> PartTable:
        _check_keys(self.kind, {"size": self.size, "points": self.points})
        return self


class BodyTable(InertialTable):
    """A thing of the scene: where it is, what it is made of, and what it weighs if it is loose."""

    name: Label
    kind: BodyKind
    size: Size | None = None
    points: Points | None = None
    shape: Annotated[tuple[PartTable, ...], Field(min_length=1, max_length=MAX_SHAPES)] | None = None
    file: FileName | None = None
    scale: Positive | None = None
    parts: Annotated[int, Field(strict=True, ge=1, le=MOST_PARTS)] | None = None
    speed: Number | None = None
    belt: Triple | None = None
    xyz: Triple = (0.0, 0.0, 0.0)
    rpy: Triple = (0.0, 0.0, 0.0)
    mass: Positive | None = None
    friction: Annotated[float, Field(strict=True, ge=0, le=10, allow_inf_nan=False)] | None = None
    colour: Colour | None = None

    @model_validator(mode="after")
    def _agrees(self) -> BodyTable:
        keys = ("size", "points", "shape", "file", "scale", "parts", "speed")
        _check_keys(self.kind, {key: getattr(self, key) for key in keys})
        if self.kind in _STANDS and self.mass is not None:
            raise ValueError(f"a {self.kind} is fixed and has no mass; take kind = 'compound' for a loose thing")
        if self.mass is not None and self.belt is not None:
            raise ValueError("a loose body has no belt")
        if self.speed is not None and self.belt is not None:
            raise ValueError("give either speed or belt, not both")
        return self

    @property
    def most_parts(self) -> int:
        """Into how many convex parts a mesh may be cut."""
        return self.parts or PARTS


class ArmTable(Table):
    """An arm of the scene: which one, where it stands, what it holds, and how it starts."""

    name: Label | None = None
    arm: FileName
    tool: FileName | None = None
    xyz: Triple | None = None
    rpy: Triple | None = None
    q: Annotated[tuple[Number, ...], Field(max_length=64)] | None = None
    pose: Label | None = None

    @model_validator(mode="after")
    def _one_start(self) -> ArmTable:
        if self.q is not None and self.pose is not None:
            raise ValueError("give either q or pose, not both")
        return self


class SceneTable(Table):
    """A whole scene file."""

    schema_version: Literal[1] = Field(alias="schema")
    name: Name
    title: Label | None = None
    source: Text | None = None
    notes: Text | None = None
    gravity: Triple | None = None
    robot: Annotated[tuple[ArmTable, ...], Field(max_length=MAX_ROBOTS)] = ()
    body: Annotated[tuple[BodyTable, ...], Field(max_length=MAX_BODIES)] = ()

    @model_validator(mode="after")
    def _names_differ(self) -> SceneTable:
        names = [*(arm.name or arm.arm for arm in self.robot), *(body.name for body in self.body)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError("; ".join(f"two things are named '{name}'" for name in twice))
        return self


def _check_keys(kind: str, given: dict[str, object]) -> None:
    """Raise ValueError that names every key that is missing or that the kind cannot have."""
    needed = _NEEDS.get(kind, "size")
    problems = [] if given.get(needed) is not None else [f"a {kind} needs {needed}"]
    allowed = {needed, *_MORE.get(kind, ())}
    problems += [f"a {kind} has no {key}" for key, value in given.items() if value is not None and key not in allowed]
    size = given.get("size")
    if needed == "size" and isinstance(size, tuple):
        problems += _size_problems(kind, size)
    if problems:
        raise ValueError("; ".join(problems))


def _size_problems(kind: str, size: tuple[float, ...]) -> list[str]:
    least, most = SIZES[kind]
    if not least <= len(size) <= most:
        wanted = f"{least}" if least == most else f"{least} to {most}"
        return [f"size of a {kind} has {wanted} numbers, got {len(size)}"]
    shown = ", ".join(f"{value:g}" for value in size)
    return [] if min(size[:least]) > 0.0 and min(size[:8]) >= 0.0 else [f"size [{shown}] is not above zero"]


BODY_KINDS: tuple[str, ...] = get_args(BodyKind)
