"""The format of scene files, checked key by key; docs/scenes.md explains it with an example.

Lengths are millimetres, angles degrees, speeds mm/s; `armlab.catalog.scenes` turns them into SI.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from armlab.catalog.schema import Colour, FileTable, InertialTable, Label, Name, Number, Points, Positive, Text, Triple
from armlab.errors import InvalidInput
from armlab.formats.decompose import MOST_PARTS, PARTS
from armlab.messages import Message, _
from armlab.model.scene import MAX_BODIES, MAX_PUSHES, MAX_ROBOTS, MAX_SHAPES
from armlab.validation import Problem, summary

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
Seconds = Annotated[float, Field(strict=True, ge=0, le=1e6, allow_inf_nan=False)]
Size = Annotated[tuple[Number, ...], Field(max_length=10)]


class PartTable(FileTable):
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


class PushTable(FileTable):
    """A force (N) and a torque (N m, both in the world's axes) on a loose body, from `start` to `end` (s)."""

    force: Triple = (0.0, 0.0, 0.0)
    torque: Triple = (0.0, 0.0, 0.0)
    start: Seconds = 0.0
    end: Seconds | None = None
    until_rate: Positive | None = None
    """°/s: it pauses while the body turns this fast or faster."""


class BodyTable(InertialTable):
    """A body of the scene: where it is, what it is made of, and what it weighs if it is loose."""

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
    push: Annotated[tuple[PushTable, ...], Field(max_length=MAX_PUSHES)] = ()

    @model_validator(mode="after")
    def _agrees(self) -> BodyTable:
        keys = ("size", "points", "shape", "file", "scale", "parts", "speed")
        _check_keys(self.kind, {key: getattr(self, key) for key in keys})
        if self.kind in _STANDS and self.mass is not None:
            template = _("a body of kind '{kind}' is fixed and has no mass; use kind = 'compound' for a loose body")
            raise InvalidInput("fixed_kind_with_mass", template, kind=self.kind)
        if self.mass is not None and self.belt is not None:
            raise InvalidInput("loose_with_belt", _("a loose body has no belt"))
        if self.speed is not None and self.belt is not None:
            raise InvalidInput("speed_and_belt", _("give either speed or belt, not both"))
        return self

    @property
    def most_parts(self) -> int:
        """Into how many convex parts a mesh may be cut."""
        return self.parts or PARTS


class ArmTable(FileTable):
    """An arm of the scene: which one, where it stands, what it holds, and how it starts."""

    name: Label | None = None
    arm: FileName
    tool: FileName | None = None
    xyz: Triple | None = None
    rpy: Triple | None = None
    q: Annotated[tuple[Number, ...], Field(max_length=64)] | None = None
    configuration: Label | None = None

    @model_validator(mode="after")
    def _one_start(self) -> ArmTable:
        if self.q is not None and self.configuration is not None:
            raise InvalidInput("q_and_configuration", _("give either q or configuration, not both"))
        return self


class SceneTable(FileTable):
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
        twice = sorted(name for name, count in Counter(names).items() if count > 1)
        if twice:
            raise InvalidInput("names_twice", _("two robots or bodies have the same name: {names}"), names=twice[:4])
        return self


def _check_keys(kind: str, given: dict[str, object]) -> None:
    """Raise InvalidInput that names every key that is missing or that the kind cannot have."""
    needed = _NEEDS.get(kind, "size")
    problems = []
    if given.get(needed) is None:
        problems.append(Message("body_key_missing", _("kind '{kind}' needs {key}"), kind=kind, key=needed))
    allowed = {needed, *_MORE.get(kind, ())}
    problems += [
        Message("body_key_unknown", _("kind '{kind}' has no {key}"), kind=kind, key=key)
        for key, value in given.items()
        if value is not None and key not in allowed
    ]
    size = given.get("size")
    if needed == "size" and isinstance(size, tuple):
        problems += _size_problems(kind, size)
    if problems:
        raise InvalidInput(summary([Problem("", problem) for problem in problems])[1])


def _size_problems(kind: str, size: tuple[float, ...]) -> list[Message]:
    least, most = SIZES[kind]
    if not least <= len(size) <= most:
        template = _("kind '{kind}': size must have {least} to {most} numbers, got {count}")
        return [Message("body_size_count", template, kind=kind, least=least, most=most, count=len(size))]
    if min(size[:least]) > 0.0 and min(size[:8]) >= 0.0:
        return []
    return [Message("body_size_not_positive", _("size must be > 0, got [{size:g}]"), size=size)]


BODY_KINDS: tuple[str, ...] = get_args(BodyKind)
