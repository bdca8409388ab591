"""A scene as things that move in frames, and the arrays of it that the kernels take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.collision.parts import ball_round, part_of
from armlab.errors import UnknownName
from armlab.kernels.collide import NEVER, OWN, STRANGERS, Model
from armlab.model.pose import as_one_pose
from armlab.model.robot import Robot
from armlab.model.scene import Body, Scene
from armlab.model.shape import Shape

WORLD = -1
"""The arm of a thing that belongs to none."""


class Held(NamedTuple):
    """A body that an arm holds, and where it is in the frame of the arm's tool; without a name it is the first arm."""

    body: str
    T_tool_body: ArrayLike
    robot: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Thing:
    """A link, a tool or a body: shapes that move together."""

    name: str
    shapes: tuple[Shape, ...]
    frame: int
    """0 for the world, i + 1 for what joint i moves."""
    T_frame_thing: Floats
    arm: int = WORLD
    """Which arm it is a part of, or held by."""
    link: int = -1
    """Which link of the arm it is: one more than the last for the tool; -1 for bodies."""


@dataclass(frozen=True, slots=True, eq=False)
class Cast:
    """All things of a scene that have shapes, and the arms that move them."""

    robots: tuple[Robot, ...]
    names: tuple[str, ...]
    """Of the arms."""
    things: tuple[Thing, ...]

    @property
    def offsets(self) -> tuple[int, ...]:
        """Where the joints of each arm start in the row of all joints, and how many there are."""
        return tuple(int(i) for i in np.cumsum([0, *(robot.dof for robot in self.robots)]))

    def indices(self, name: str) -> list[int]:
        """Return the things that a name means: one of them, or all parts of an arm."""
        found = [i for i, thing in enumerate(self.things) if thing.name == name]
        if not found and name in self.names:
            arm = self.names.index(name)
            found = [i for i, thing in enumerate(self.things) if thing.arm == arm and thing.link >= 0]
        if not found:
            raise UnknownName("part of an arm or body", name, (*(thing.name for thing in self.things), *self.names))
        return found


def cast_of(scene: Scene, held: Iterable[Held] = ()) -> Cast:
    """Return the things of `scene`.

    A link has its own name; "robot/link" where there are several arms, or where a body has the name of a link.
    """
    robots = tuple(placed.robot for placed in scene.robots)
    own = [name for robot in robots for name in robot.frame_names]
    prefixed = len(robots) > 1 or any(body.name in own for body in scene.bodies)
    things: list[Thing] = []
    first = 0
    for arm, placed in enumerate(scene.robots):
        things += _of_arm(placed.robot, arm, first, f"{placed.name}/" if prefixed else "")
        first += placed.robot.dof
    carried = {grip.body: grip for grip in held}
    for body in scene.bodies:
        things.append(_held(scene, body, carried.pop(body.name)) if body.name in carried else _standing(body))
    for name in carried:
        scene.body(name)
    return Cast(robots, tuple(placed.name for placed in scene.robots), tuple(things))


def _of_arm(robot: Robot, arm: int, first: int, prefix: str) -> list[Thing]:
    things = [Thing(prefix + robot.links[0].name, robot.links[0].shapes, 0, robot.base, arm, 0)]
    for i, link in enumerate(robot.links[1:]):
        things.append(Thing(prefix + link.name, link.shapes, first + i + 1, _joint_link(robot, i), arm, i + 1))
    T_frame_flange = _joint_link(robot, robot.dof - 1) @ robot.flange
    things.append(Thing(prefix + "tool", robot.tool.shapes, first + robot.dof, T_frame_flange, arm, robot.dof + 1))
    return [thing for thing in things if thing.shapes]


def _joint_link(robot: Robot, joint: int) -> Floats:
    """Return the link's frame in the frame of its joint whose z axis is the joint's axis."""
    T_joint_link = np.eye(4)
    T_joint_link[:3, :3] = robot._to_link[joint]
    return T_joint_link


def _standing(body: Body) -> Thing:
    return Thing(body.name, body.shapes, 0, body.T_world_body)


def _held(scene: Scene, body: Body, grip: Held) -> Thing:
    placed = scene.robot(grip.robot)
    arm, robot = scene.robots.index(placed), placed.robot
    frame = sum(other.robot.dof for other in scene.robots[: arm + 1])
    T_tool_body = as_one_pose(grip.T_tool_body, f"held '{body.name}': T_tool_body")
    T_frame_tool = _joint_link(robot, robot.dof - 1) @ robot.flange @ robot.tool.T_flange_tool
    return Thing(body.name, body.shapes, frame, T_frame_tool @ T_tool_body, arm)


def arrays_of(cast: Cast, pairs: Sequence[tuple[int, int, bool]]) -> Model:
    """Return the kernels' arrays; `pairs` are two things and whether they never meet within the limits."""
    fixed, revolute, lower, upper, parent = _joint_arrays(cast)
    parts: list[list[int]] = []
    places, sizes, rows, things, start = [], [], [], [], 0
    for index, thing in enumerate(cast.things):
        first = len(parts)
        for shape in thing.shapes:
            part = part_of(shape)
            parts.append([start, start + len(part.rows), int(part.is_pointed), index])
            places.append(_flat(thing.T_frame_thing @ part.T_thing_part))
            sizes.append([*part.half_widths, part.reach, part.radius])
            rows.append(part.rows)
            start += len(part.rows)
        things.append([thing.frame, first, len(parts)])
    return Model(
        fixed, revolute, lower, upper, parent,
        np.array(things, np.int64).reshape(-1, 3), _balls(cast), np.array(parts, np.int64).reshape(-1, 4),
        np.array(places).reshape(-1, 12), np.array(sizes).reshape(-1, 5), np.concatenate([np.zeros((0, 6)), *rows]),
        np.array([_pair(cast, *pair) for pair in pairs], np.int64).reshape(-1, 4),
    )  # fmt: skip


def _joint_arrays(cast: Cast) -> tuple[Floats, Floats, Floats, Floats, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    parents: list[int] = []
    for robot in cast.robots:
        parents += [0, *range(len(parents) + 1, len(parents) + robot.dof)]
    none: list[Floats] = [np.zeros(0)]
    fixed = np.concatenate([np.zeros((0, 12)), *(robot._constants[:-1] for robot in cast.robots)])
    revolute = np.concatenate(none + [robot._revolute for robot in cast.robots])
    lower, upper = (np.concatenate(none + [getattr(r, side) for r in cast.robots]) for side in ("lower", "upper"))
    return fixed, revolute, lower, upper, np.array(parents, np.int64)


def _balls(cast: Cast) -> Floats:
    balls = np.zeros((len(cast.things), 4))
    for i, thing in enumerate(cast.things):
        ball = ball_round(thing.shapes)
        balls[i, :3] = thing.T_frame_thing[:3, :3] @ ball[:3] + thing.T_frame_thing[:3, 3]
        balls[i, 3] = ball[3]
    return balls


def _pair(cast: Cast, one: int, other: int, never: bool) -> tuple[int, int, int, int]:
    """Return the pair's row: the thing farther out on its arm first; which joint first moves it against the other."""
    e, o = (one, other) if cast.things[one].frame > cast.things[other].frame else (other, one)
    near = cast.things[o]
    is_own = near.arm == cast.things[e].arm
    kind = NEVER if never else OWN if is_own else STRANGERS
    return e, o, near.frame if is_own and near.frame > 0 else -1, kind


def _flat(T: Floats) -> Floats:
    return np.concatenate([T[:3, :3].ravel(), T[:3, 3]])
