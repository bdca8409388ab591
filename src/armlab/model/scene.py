"""The scene: arms, and the things round them; a frozen value, from which simulations and collision checks are made."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats, read_only
from armlab.errors import InvalidInput, UnknownName
from armlab.model import solid
from armlab.model.parts import Inertia
from armlab.model.pose import as_one_pose
from armlab.model.robot import Robot
from armlab.model.shape import Shape

GRAVITY = 9.81
"""m/s², downwards, unless a scene says otherwise."""
FRICTION = 0.6
"""Coulomb's coefficient between dry, clean surfaces of a workshop, unless a body says otherwise."""
MAX_BODIES = 1000
MAX_ROBOTS = 16
MAX_SHAPES = 5000
"""Of one body."""
LONGEST_NAME = 200

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A thing in the scene: fixed (no mass), or loose with a mass (kg). Its shapes are convex and in its own frame."""

    name: str
    shapes: tuple[Shape, ...]
    T_world_body: Floats = field(default_factory=lambda: np.eye(4))
    mass: float | None = None
    friction: float = FRICTION
    colour: str = "#8a94a6"
    belt: Floats | None = None
    """The velocity (m/s, in the body's frame) of a conveyor's surface: what lies on it is carried along."""
    own_inertia: Inertia | None = None
    """What a loose body weighs, where its mass is not spread evenly; its mass must be the same as `mass`."""

    def __post_init__(self) -> None:
        _check_name("body", self.name)
        if not 1 <= len(self.shapes) <= MAX_SHAPES:
            given = f"{len(self.shapes)} shapes are too many" if self.shapes else "it has no shape"
            raise InvalidInput(f"body '{self.name}': {given}; 1 to {MAX_SHAPES} are allowed")
        if self.mass is not None and not (self.mass > 0.0 and math.isfinite(self.mass)):
            raise InvalidInput(f"body '{self.name}': mass {self.mass:g} kg is not above zero; a fixed body has none")
        if self.own_inertia is not None and (self.mass is None or abs(self.own_inertia.mass - self.mass) > 1e-9):
            raise InvalidInput(
                f"body '{self.name}': its own inertia is of {self.own_inertia.mass:g} kg, not of its mass"
            )
        if not _COLOUR.fullmatch(self.colour):
            raise InvalidInput(f"body '{self.name}': colour '{self.colour}' is not written as #rrggbb")
        if not (self.friction >= 0.0 and math.isfinite(self.friction)):
            raise InvalidInput(f"body '{self.name}': friction {self.friction:g} is not zero or more")
        if self.belt is not None:
            if self.mass is not None:
                raise InvalidInput(f"body '{self.name}': a conveyor stands still; give it no mass")
            object.__setattr__(self, "belt", read_only(as_floats(self.belt, (3,), f"body '{self.name}': belt")))
        T = as_one_pose(self.T_world_body, f"body '{self.name}': T_world_body")
        object.__setattr__(self, "T_world_body", read_only(T))

    @property
    def is_fixed(self) -> bool:
        """Whether nothing moves it."""
        return self.mass is None

    @property
    def inertia(self) -> Inertia:
        """Mass, centre and inertia: its own, or its mass spread evenly over its shapes."""
        if self.own_inertia is not None:
            return self.own_inertia
        return solid.inertia(self.shapes, mass=self.mass or 0.0)

    def at(self, T_world_body: ArrayLike) -> Body:
        """Return the same body at another place."""
        return replace(self, T_world_body=np.asarray(T_world_body))


@dataclass(frozen=True, slots=True, eq=False)
class PlacedRobot:
    """An arm of the scene, under a name of its own; where it stands is its base, what it holds its tool."""

    name: str
    robot: Robot
    q: Floats
    """Joint values at the start, (n,)."""
    arm_file: str = ""
    """The file beside the scene's that the arm comes from; empty for an arm of the catalog."""
    tool_file: str = ""
    """The same for its tool."""

    def __post_init__(self) -> None:
        _check_name("robot", self.name)
        q = as_floats(self.q, (self.robot.dof,), f"robot '{self.name}': q")
        for value, joint in zip(q, self.robot.joints, strict=True):
            if not joint.lower - 1e-9 <= value <= joint.upper + 1e-9:
                allowed = f"{joint.lower:g}…{joint.upper:g}"
                raise InvalidInput(f"robot '{self.name}': joint '{joint.name}' starts at {value:g}, outside {allowed}")
        object.__setattr__(self, "q", read_only(q))


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Arms and bodies in world coordinates, z up; names are unique."""

    name: str
    robots: tuple[PlacedRobot, ...] = ()
    bodies: tuple[Body, ...] = ()
    gravity: Floats = field(default_factory=lambda: np.array([0.0, 0.0, -GRAVITY]))
    title: str = ""
    notes: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        names = [*(placed.name for placed in self.robots), *(body.name for body in self.bodies)]
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise InvalidInput(f"scene '{self.name}': two things are named '{twice[0]}'")
        if len(self.robots) > MAX_ROBOTS or len(self.bodies) > MAX_BODIES:
            raise InvalidInput(
                f"scene '{self.name}': {len(self.robots)} arms and {len(self.bodies)} bodies are too many; "
                f"{MAX_ROBOTS} and {MAX_BODIES} are allowed"
            )
        object.__setattr__(self, "gravity", read_only(as_floats(self.gravity, (3,), f"scene '{self.name}': gravity")))

    @classmethod
    def of(cls, robot: Robot, *, q: ArrayLike | None = None, bodies: Iterable[Body] = ()) -> Scene:
        """Return a scene with one arm at `q`, or at home, and perhaps some bodies."""
        start = robot.home if q is None else q
        return cls(robot.name, (PlacedRobot(robot.name, robot, np.asarray(start)),), tuple(bodies))

    def robot(self, name: str | None = None) -> PlacedRobot:
        """Return the arm of that name; without a name, the first."""
        if name is None and self.robots:
            return self.robots[0]
        for placed in self.robots:
            if placed.name == name:
                return placed
        raise UnknownName(f"arm in scene '{self.name}'", name or "", (placed.name for placed in self.robots))

    def body(self, name: str) -> Body:
        """Return the body of that name."""
        for body in self.bodies:
            if body.name == name:
                return body
        raise UnknownName(f"body in scene '{self.name}'", name, (body.name for body in self.bodies))

    def with_body(self, body: Body) -> Scene:
        """Return the scene with one body more, or another in the place of the one with its name."""
        if body.name not in (other.name for other in self.bodies):
            return replace(self, bodies=(*self.bodies, body))
        return replace(self, bodies=tuple(body if other.name == body.name else other for other in self.bodies))

    def without_body(self, name: str) -> Scene:
        """Return the scene without the body of that name."""
        self.body(name)
        return replace(self, bodies=tuple(body for body in self.bodies if body.name != name))


def _check_name(what: str, name: str) -> None:
    if not isinstance(name, str) or not (1 <= len(name) <= LONGEST_NAME and name.isprintable()):
        raise InvalidInput(f"{what} {name!r}: a name has 1 to {LONGEST_NAME} letters that can be printed")
