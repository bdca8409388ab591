"""The scene: robots, and the bodies round them; a frozen value that simulations and collision checks are made from."""

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
from armlab.geometry import solid
from armlab.geometry.inertia import Inertia
from armlab.geometry.pose import as_one_pose
from armlab.geometry.shape import Shape
from armlab.messages import Message, _, term
from armlab.model.joint_limits import check_joint_limits
from armlab.model.robot import Robot
from armlab.validation import shown

GRAVITY = 9.81
"""m/s², downwards, unless a scene says otherwise."""
FRICTION = 0.6
"""Coulomb's coefficient between dry, clean surfaces of a workshop, unless a body says otherwise."""
MAX_BODIES = 1000
MAX_ROBOTS = 16
MAX_SHAPES = 5000
"""Of one body."""
MAX_PUSHES = 100
"""Of one body."""
LONGEST_NAME = 200

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True, eq=False)
class Push:
    """A force (N) and a torque (N m) on a loose body at its centre of mass, in the world, while it lasts."""

    force: Floats = field(default_factory=lambda: np.zeros(3))
    torque: Floats = field(default_factory=lambda: np.zeros(3))
    start: float = 0.0
    """s of the simulation."""
    end: float = math.inf
    """s."""
    until_rate: float = math.inf
    """rad/s: it pauses while the body turns this fast or faster, as a motor with a set speed does."""

    def __post_init__(self) -> None:
        for what in ("force", "torque"):
            object.__setattr__(self, what, read_only(as_floats(getattr(self, what), (3,), f"push: {what}")))
        if not (0.0 <= self.start < self.end and self.until_rate > 0.0 and math.isfinite(self.start)):
            raise InvalidInput(
                "push_times",
                _("push: start ({start:g} s) must be ≥ 0, end ({end:g} s) after it, and until_rate > 0"),
                start=float(self.start),
                end=float(self.end),
            )


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A body in the scene: fixed (no mass), or loose with a mass (kg). Its shapes are convex and in its own frame."""

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
    pushes: tuple[Push, ...] = ()
    """What pushes a loose body, and when; what overlaps in time adds up."""

    def __post_init__(self) -> None:
        _check_name(_("body {name}: a name has 1 to {most} printable letters"), self.name)
        try:
            self._check()
        except InvalidInput as error:
            raise error.within(term(_("body '{body}'"), body=self.name)) from None
        if self.belt is not None:
            object.__setattr__(self, "belt", read_only(as_floats(self.belt, (3,), self._attribute("belt"))))
        T = as_one_pose(self.T_world_body, self._attribute("T_world_body"))
        object.__setattr__(self, "T_world_body", read_only(T))

    def _attribute(self, what: str) -> Message:
        return term(_("body '{body}': {what}"), body=self.name, what=what)

    def _check(self) -> None:
        if not 1 <= len(self.shapes) <= MAX_SHAPES:
            raise InvalidInput(
                "shape_count",
                _("{count} shapes given; 1 to {most} are allowed"),
                count=len(self.shapes),
                most=MAX_SHAPES,
            )
        if self.mass is not None and not (self.mass > 0.0 and math.isfinite(self.mass)):
            raise InvalidInput(
                "mass_not_positive", _("mass must be > 0, got {mass:g} kg; a fixed body has no mass"), mass=self.mass
            )
        if self.own_inertia is not None and (self.mass is None or abs(self.own_inertia.mass - self.mass) > 1e-9):
            raise InvalidInput(
                "inertia_of_other_mass",
                _("its inertia is for {mass:g} kg, which is not its mass"),
                mass=self.own_inertia.mass,
            )
        if not _COLOUR.fullmatch(self.colour):
            raise InvalidInput("colour", _("colour '{colour}' is not written as #rrggbb"), colour=self.colour)
        if not (self.friction >= 0.0 and math.isfinite(self.friction)):
            raise InvalidInput("friction_negative", _("friction must be ≥ 0, got {friction:g}"), friction=self.friction)
        if self.belt is not None and self.mass is not None:
            raise InvalidInput("belt_with_mass", _("a conveyor is fixed; give it no mass"))
        if self.pushes and self.mass is None:
            raise InvalidInput("push_without_mass", _("it is fixed: a push needs a body with a mass"))
        if len(self.pushes) > MAX_PUSHES:
            raise InvalidInput(
                "push_count",
                _("{count} pushes given; at most {most} are allowed"),
                count=len(self.pushes),
                most=MAX_PUSHES,
            )

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
        """Return the same body at another pose."""
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
        _check_name(_("robot {name}: a name has 1 to {most} printable letters"), self.name)
        q = as_floats(self.q, (self.robot.dof,), term(_("robot '{robot}': {what}"), robot=self.name, what="q"))
        check_joint_limits(self.robot, q, term(_("robot '{robot}': {what}"), robot=self.name, what="start"))
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
            raise InvalidInput(
                "scene_name_twice",
                _("scene '{scene}': two robots or bodies are named '{name}'"),
                scene=self.name,
                name=twice[0],
            )
        if len(self.robots) > MAX_ROBOTS or len(self.bodies) > MAX_BODIES:
            raise InvalidInput(
                "scene_too_large",
                _(
                    "scene '{scene}': {robots} robots and {bodies} bodies given; "
                    "at most {most_robots} and {most_bodies} are allowed"
                ),
                scene=self.name,
                robots=len(self.robots),
                bodies=len(self.bodies),
                most_robots=MAX_ROBOTS,
                most_bodies=MAX_BODIES,
            )
        who = term(_("scene '{scene}': {what}"), scene=self.name, what="gravity")
        object.__setattr__(self, "gravity", read_only(as_floats(self.gravity, (3,), who)))

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
        raise UnknownName("scene_robot", name or "", (placed.name for placed in self.robots), owner=self.name)

    def body(self, name: str) -> Body:
        """Return the body of that name."""
        for body in self.bodies:
            if body.name == name:
                return body
        raise UnknownName("scene_body", name, (body.name for body in self.bodies), owner=self.name)

    def with_body(self, body: Body) -> Scene:
        """Return the scene with one body more, or another in the place of the one with its name."""
        if body.name not in (other.name for other in self.bodies):
            return replace(self, bodies=(*self.bodies, body))
        return replace(self, bodies=tuple(body if other.name == body.name else other for other in self.bodies))


def _check_name(template: str, name: str) -> None:
    if not isinstance(name, str) or not (1 <= len(name) <= LONGEST_NAME and name.isprintable()):
        raise InvalidInput("name_not_printable", template, name=shown(name), most=LONGEST_NAME)
