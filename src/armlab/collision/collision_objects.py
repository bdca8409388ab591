"""A scene as objects that move in frames, and the arrays of it that the kernels take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.collision.parts import ball_round, part_of
from armlab.errors import UnknownName
from armlab.geometry.pose import as_one_pose
from armlab.geometry.shape import Shape
from armlab.kernels.collision.check import NEVER, OWN, STRANGERS, CollisionModel, Packed
from armlab.model.robot import Robot
from armlab.model.scene import Body, Scene

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
    own = [name for robot in robots for name in robot.part_names]
    prefixed = len(robots) > 1 or any(body.name in own for body in scene.bodies)
    objects: list[CollisionObject] = []
    first = 0
    for arm, placed in enumerate(scene.robots):
        objects += _of_arm(placed.robot.uncoupled, arm, first, f"{placed.name}/" if prefixed else "")
        first += placed.robot.uncoupled.dof
    carried = {grip.body: grip for grip in held}
    for body in scene.bodies:
        objects.append(_held(scene, body, carried.pop(body.name)) if body.name in carried else _standing(body))
    for name in carried:
        scene.body(name)
    return CollisionObjects(robots, tuple(placed.name for placed in scene.robots), tuple(objects))


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


def arrays_of(objects: CollisionObjects, pairs: Sequence[tuple[int, int, bool]]) -> CollisionModel:
    """Return the kernels' arrays; `pairs` are two objects and whether they never meet within the limits."""
    fixed, revolute, lower, upper, parent = _joint_arrays(objects)
    parts: list[list[int]] = []
    places, sizes, rows, spans, start = [], [], [], [], 0
    for index, item in enumerate(objects.items):
        first = len(parts)
        for shape in item.shapes:
            part = part_of(shape)
            parts.append([start, start + len(part.rows), int(part.is_pointed), index])
            places.append(_flat(item.T_frame_object @ part.T_object_part))
            sizes.append([*part.half_widths, part.reach, part.radius])
            rows.append(part.rows)
            start += len(part.rows)
        spans.append([item.frame, first, len(parts)])
    return CollisionModel(
        fixed, revolute, lower, upper, parent,
        np.array(spans, np.int64).reshape(-1, 3), _balls(objects), np.array(parts, np.int64).reshape(-1, 4),
        np.array(places).reshape(-1, 12), np.array(sizes).reshape(-1, 5), np.concatenate([np.zeros((0, 6)), *rows]),
        np.array([_pair(objects, *pair) for pair in pairs], np.int64).reshape(-1, 4),
    )  # fmt: skip


def packed(model: CollisionModel) -> Packed:
    """Return the same arrays in two."""
    n, e, p, k, m = (len(a) for a in (model.fixed, model.objects, model.parts, model.rows, model.pairs))
    floats = (model.fixed, model.revolute, model.lower, model.upper, model.balls, model.places, model.sizes, model.rows)
    integers = (np.array([n, e, p, k, m]), model.parent, model.objects, model.parts, model.pairs)
    return Packed(
        np.concatenate([a.ravel() for a in floats]), np.concatenate([a.ravel() for a in integers], dtype=np.int64)
    )


def _joint_arrays(
    objects: CollisionObjects,
) -> tuple[Floats, Floats, Floats, Floats, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    parents: list[int] = []
    robots = [robot.uncoupled for robot in objects.robots]
    for robot in robots:
        parents += [0, *range(len(parents) + 1, len(parents) + robot.dof)]
    none: list[Floats] = [np.zeros(0)]
    fixed = np.concatenate([np.zeros((0, 12)), *(robot.chain.constants[:-1, :12] for robot in robots)])
    revolute = np.concatenate(none + [robot.chain.revolute for robot in robots])
    lower, upper = (np.concatenate(none + [getattr(r, side) for r in robots]) for side in ("lower", "upper"))
    return fixed, revolute, lower, upper, np.array(parents, np.int64)


def _balls(objects: CollisionObjects) -> Floats:
    balls = np.zeros((len(objects.items), 4))
    for i, item in enumerate(objects.items):
        ball = ball_round(item.shapes)
        balls[i, :3] = item.T_frame_object[:3, :3] @ ball[:3] + item.T_frame_object[:3, 3]
        balls[i, 3] = ball[3]
    return balls


def _pair(objects: CollisionObjects, one: int, other: int, never: bool) -> tuple[int, int, int, int]:
    """Return the pair's row: the object farther out on its arm first; which joint first moves it against the other."""
    e, o = (one, other) if objects.items[one].frame > objects.items[other].frame else (other, one)
    near = objects.items[o]
    is_own = near.arm == objects.items[e].arm
    kind = NEVER if never else OWN if is_own else STRANGERS
    return e, o, near.frame if is_own and near.frame > 0 else -1, kind


def _flat(T: Floats) -> Floats:
    return np.concatenate([T[:3, :3].ravel(), T[:3, 3]])
