"""A scene as objects that move in frames."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.errors import UnknownName
from armlab.geometry.pose import as_one_pose
from armlab.geometry.shape import Shape
from armlab.model.robot import Robot
from armlab.model.scene import Body, Scene

KEPT_ARMS = 64
"""Of so many arms, or groups of them, the objects and their arrays are kept."""
WORLD = -1
"""The arm of an object that belongs to none."""


class Held(NamedTuple):
    """A body that an arm holds, and where it is in the frame of the arm's tool; without a name it is the first arm."""

    body: str
    T_tool_body: ArrayLike
    robot: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CollisionObject:
    """A link, a part that is fixed to one, a tool or a body: shapes that move together."""

    name: str
    shapes: tuple[Shape, ...]
    frame: int
    """0 for the world, i + 1 for what joint i moves."""
    T_frame_object: Floats
    arm: int = WORLD
    """Which arm it is a part of, or held by."""
    link: int = -1
    """Which link of the arm it is: one more than the last for the tool; -1 for bodies."""
    part: str = ""
    """Its name on the arm: its link's, or its own where it is fixed to a link; empty for bodies."""


@dataclass(frozen=True, slots=True, eq=False)
class CollisionObjects:
    """All objects of a scene that have shapes, and the arms that move them."""

    robots: tuple[Robot, ...]
    names: tuple[str, ...]
    """Of the arms."""
    items: tuple[CollisionObject, ...]
    arm_items: int
    """How many of them, the first ones, are parts of arms."""

    @property
    def offsets(self) -> tuple[int, ...]:
        """Where the joints of each arm start in the row of all joints, followers among them, and how many there are."""
        return tuple(int(i) for i in np.cumsum([0, *(robot.uncoupled.dof for robot in self.robots)]))

    def indices(self, name: str) -> list[int]:
        """Return the objects that a name means: one of them, or all parts of an arm."""
        found = [i for i, item in enumerate(self.items) if item.name == name]
        if not found and name in self.names:
            arm = self.names.index(name)
            found = [i for i, item in enumerate(self.items) if item.arm == arm and item.link >= 0]
        if not found:
            raise UnknownName("collision_object", name, (*(item.name for item in self.items), *self.names))
        return found


def collision_objects_of(scene: Scene, held: Iterable[Held] = ()) -> CollisionObjects:
    """Return the objects of `scene`.

    A link has its own name; "robot/link" where there are several arms, or where a body has the name of a link.
    """
    robots = tuple(placed.robot for placed in scene.robots)
    prefixed = len(robots) > 1 or not _part_names(robots[0]).isdisjoint(body.name for body in scene.bodies)
    names = tuple(placed.name for placed in scene.robots)
    arms = _of_arms(robots, names if prefixed else ("",))
    objects = list(arms)
    carried = {grip.body: grip for grip in held}
    for body in scene.bodies:
        objects.append(_held(scene, body, carried.pop(body.name)) if body.name in carried else _standing(body))
    for name in carried:
        scene.body(name)
    return CollisionObjects(robots, names, tuple(objects), len(arms))


@lru_cache(maxsize=KEPT_ARMS)
def _part_names(robot: Robot) -> frozenset[str]:
    return frozenset(robot.part_names)


@lru_cache(maxsize=KEPT_ARMS)
def _of_arms(robots: tuple[Robot, ...], names: tuple[str, ...]) -> tuple[CollisionObject, ...]:
    """Return the parts of all arms; their names begin with the arm's where it has one here."""
    objects: list[CollisionObject] = []
    first = 0
    for arm, (robot, name) in enumerate(zip(robots, names, strict=True)):
        objects += _of_arm(robot.uncoupled, arm, first, f"{name}/" if name else "")
        first += robot.uncoupled.dof
    return tuple(objects)


def _of_arm(robot: Robot, arm: int, first: int, prefix: str) -> list[CollisionObject]:
    objects: list[CollisionObject] = []
    for i, link in enumerate(robot.links):
        frame, T_frame_link = (0, robot.base) if i == 0 else (first + i, _joint_link(robot, i - 1))
        for part in dict.fromkeys(["", *(shape.part for shape in link.shapes)]):
            name, shapes = part or link.name, tuple(shape for shape in link.shapes if shape.part == part)
            objects.append(CollisionObject(prefix + name, shapes, frame, T_frame_link, arm, i, name))
    T_frame_flange = _joint_link(robot, robot.dof - 1) @ robot.flange
    tool = robot.tool.shapes
    objects.append(
        CollisionObject(prefix + "tool", tool, first + robot.dof, T_frame_flange, arm, robot.dof + 1, "tool")
    )
    return [item for item in objects if item.shapes]


def _joint_link(robot: Robot, joint: int) -> Floats:
    """Return the link's frame in the frame of its joint whose z axis is the joint's axis."""
    T_joint_link = np.eye(4)
    T_joint_link[:3, :3] = robot.chain.to_link[joint]
    return T_joint_link


def _standing(body: Body) -> CollisionObject:
    return CollisionObject(body.name, body.shapes, 0, body.T_world_body)


def _held(scene: Scene, body: Body, grip: Held) -> CollisionObject:
    placed = scene.robot(grip.robot)
    arm, robot = scene.robots.index(placed), placed.robot.uncoupled
    frame = sum(other.robot.uncoupled.dof for other in scene.robots[: arm + 1])
    T_tool_body = as_one_pose(grip.T_tool_body, f"held '{body.name}': T_tool_body")
    T_frame_tool = _joint_link(robot, robot.dof - 1) @ robot.flange @ robot.tool.T_flange_tool
    return CollisionObject(body.name, body.shapes, frame, T_frame_tool @ T_tool_body, arm)
