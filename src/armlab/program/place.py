"""Where a part lies in the cell, and how the tool stands on it.

A program without an arm in mind (G-code) writes points of a part. `Placement` says where the part's frame is in the
world, how the tool is held while A, B and C are 0, and which part of a pose must be met.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose, solid
from armlab.kinematics.answers import IkResult
from armlab.kinematics.ik import attempt_ik
from armlab.kinematics.reach import reach
from armlab.kinematics.task import TASKS, Task, default_task
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.model.scene import Body
from armlab.units import MM_PER_M

Direction: TypeAlias = tuple[float, float, float]

DOWN: Direction = (0.0, 0.0, -1.0)
"""Along the tool's z axis by default, in the part's frame."""
MARGIN = 1.05
"""How much larger than the points a box must be reachable for a place to be chosen."""
ROOM = 0.05
"""Share of its range that each joint should keep to its limits at the place that is chosen."""
MOST_TRIED = 40
"""Places whose middle is reached that are looked at more closely."""
SHARES = np.linspace(0.2, 0.95, 11)
"""Distances from the arm's first axis that are tried, as shares of its reach."""
HEIGHTS = np.linspace(0.0, 0.7, 7)
"""Heights above the arm's foot that are tried, as shares of its reach."""
YAWS = np.radians([0.0, 180.0, 90.0, -90.0])
"""How the tool may be turned about the vertical."""
LARGEST_STEP = 2.0
"""rad: no joint may turn farther from the middle of a box to its corners, or the arm would have to change branches."""


class WithNormal(Protocol):
    """Something that has a normal near a point."""

    def normal(self, point_world: Floats) -> Floats:
        """Return the unit normal (3,) of the surface where it is nearest to the point."""


@dataclass(frozen=True, slots=True, eq=False)
class BodySurface:
    """The surface of a body: the tool stands perpendicular to it."""

    body: Body
    _triangles: Floats = field(init=False)

    def __post_init__(self) -> None:
        meshes = [solid.mesh(shape) for shape in self.body.shapes]
        triangles = np.concatenate([mesh.vertices[mesh.faces] for mesh in meshes])
        object.__setattr__(self, "_triangles", pose.transform(self.body.T_world_body, triangles))

    def normal(self, point_world: Floats) -> Floats:
        """Return the normal of the nearest triangle; of several equally near ones, of that which faces the point."""
        a, b, c = self._triangles[:, 0], self._triangles[:, 1], self._triangles[:, 2]
        normals = np.cross(b - a, c - a)
        size = np.linalg.norm(normals, axis=1)
        normals = normals / np.maximum(size, 1e-30)[:, None]
        gaps = np.linalg.norm(_nearest_on(self._triangles, point_world) - point_world, axis=1)
        facing = np.einsum("ij,ij->i", normals, point_world - a)
        near = np.flatnonzero((gaps <= gaps[size > 0.0].min() + 1e-9) & (size > 0.0))
        return np.asarray(normals[near[np.argmax(facing[near])]])


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """Where a part lies, and how the tool stands on it."""

    T_world_part: Floats
    R_part_tool: Floats
    """The tool's axes (3, 3) while A, B and C are 0."""
    task: Task = TASKS["pose"]
    surface: WithNormal | None = None
    """What the tool stands perpendicular to; None: `R_part_tool` holds everywhere."""
    flat: bool = False
    """Whether the arm moves in one plane only, so that heights of the program are left out."""

    def rotation(self, a: float, b: float, c: float) -> Floats:
        """Return the tool's axes in the world: C about Z, then B about the turned Y, then A about X (degrees)."""
        R = self.T_world_part[:3, :3]
        if a or b or c:
            R = R @ pose.from_xyz_rpy((0.0, 0.0, 0.0), np.radians((a, b, c)))[:3, :3]
        return np.asarray(R @ self.R_part_tool)

    def perpendicular(self, R_world_tool: Floats, p_world: Floats) -> Floats:
        """Return the tool's axes turned by the least angle that makes it perpendicular to the surface at a point."""
        assert self.surface is not None
        return np.asarray(turn_between(R_world_tool[:, 2], -self.surface.normal(p_world)) @ R_world_tool)


def tool_axes(direction: Direction = DOWN, yaw: float = 0.0) -> Floats:
    """Return axes (3, 3) of a tool whose z axis points along `direction`, turned about it by `yaw` (rad).

    For a tool that points down, its x axis is that of the part at yaw 0.

    Raises:
        InvalidInput: if the direction is zero.
    """
    axis = np.asarray(direction, dtype=np.float64)
    length = float(np.linalg.norm(axis))
    if not length > 0.0:
        raise InvalidInput("tool_axis_zero", _("the tool's axis must not be 0, 0, 0"))
    down = np.diag([1.0, -1.0, -1.0])
    turned = pose.from_xyz_axis_angle((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), yaw)[:3, :3]
    return np.asarray(turn_between(np.array(DOWN), axis / length) @ down @ turned)


def turn_between(first: Floats, second: Floats) -> Floats:
    """Return the rotation by the least angle that takes one unit vector to another.

    R = 1 + [v] + [v]² / (1 + cos), v = first × second; half a turn about any axis across where they are opposite.
    """
    v, cosine = np.cross(first, second), float(first @ second)
    if cosine <= -1.0 + 1e-12:
        across = np.cross(first, np.eye(3)[int(np.argmin(np.abs(first)))])
        across /= np.linalg.norm(across)
        return np.asarray(2.0 * np.outer(across, across) - np.eye(3))
    V = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.asarray(np.eye(3) + V + V @ V / (1.0 + cosine))


def top_of(body: Body) -> Floats:
    """Return the frame in the middle of a body's top, with the body's axes: where a part lies that is put on it."""
    points = np.concatenate([solid.mesh(shape).vertices for shape in body.shapes])
    middle = (points.min(axis=0) + points.max(axis=0)) / 2.0
    return np.asarray(body.T_world_body @ pose.from_xyz((middle[0], middle[1], points[:, 2].max())))


def task_of(robot: Robot) -> tuple[Task, bool]:
    """Return what an arm can be asked for while it runs a part program, and whether it moves in one plane only."""
    task = default_task(robot)
    T, axes, turns = robot.base, [], True
    for joint in robot.uncoupled.joints:
        T = T @ joint.T_parent_joint
        axes.append(T[:3, :3] @ joint.axis)
        turns &= joint.kind == "revolute"
    is_flat = turns and all(np.hypot(axis[0], axis[1]) <= 1e-9 for axis in axes)
    return (TASKS["planar"], True) if is_flat else (task, False)


def placed(
    robot: Robot,
    T_world_part: Floats,
    points: Floats,
    *,
    direction: Direction = DOWN,
    surface: WithNormal | None = None,
) -> tuple[Placement, tuple[Finding, ...]]:
    """Return how the tool stands on a part that lies at `T_world_part`, and what is to be said about it.

    The turn about the tool's axis is chosen so that as many of the part's `points` (k, 3) as possible are reached, near
    the arm's home. Where an arm with five axes cannot keep its tool upright at all of them, only the point counts, and
    a finding says so.
    """
    task, flat = task_of(robot)
    reached, best = -1, Placement(T_world_part, tool_axes(direction), task, surface, flat)
    box = _box(points, flat)
    for yaw in YAWS:
        candidate = Placement(T_world_part, tool_axes(direction, yaw), task, surface, flat)
        count = int(_reached(robot, candidate, box).sum())
        if count > reached:
            reached, best = count, candidate
        if count == len(box) or task is not TASKS["pose"]:
            break
    if task is TASKS["approach"] and reached < len(box):
        return _leaning(robot, best, box)
    return best, ()


def _leaning(robot: Robot, upright: Placement, box: Floats) -> tuple[Placement, tuple[Finding, ...]]:
    """Return a placement at which only the point counts, where that reaches more than an upright tool does."""
    free = replace(upright, task=TASKS["position"])
    if _reached(robot, free, box).sum() <= _reached(robot, upright, box).sum():
        return upright, ()
    return free, (_leans(robot, upright, box),)


def _leans(robot: Robot, upright: Placement, box: Floats) -> Finding:
    x, y, z = box[int(np.argmin(_reached(robot, upright, box)))] * MM_PER_M
    message = Message(
        "tool_cannot_stay_upright",
        _("{robot}: the tool cannot stay upright at X {x:.1f} Y {y:.1f} Z {z:.1f} mm, and leans there"),
        robot=robot.name,
        x=float(x),
        y=float(y),
        z=float(z),
    )
    return Finding("warning", message)


def default_placement(
    robot: Robot,
    points: Floats,
    *,
    direction: Direction = DOWN,
    surface: WithNormal | None = None,
) -> tuple[Placement, tuple[Finding, ...]]:
    """Return a place at which the part's points (k, 3, in m) are reached, as near as can be to the tool at home.

    The part's axes are parallel to those of the arm's foot. A note says where the part lies; where no place is found at
    which everything can be reached, a warning does.
    """
    task, flat = task_of(robot)
    box = _box(points, flat)
    like = Placement(robot.base, np.eye(3), task, surface, flat)
    best, count = _search(robot, box, direction, like)
    findings: tuple[Finding, ...] = ()
    if task is TASKS["approach"] and count < len(box):
        free, freely = _search(robot, box, direction, replace(like, task=TASKS["position"]))
        if freely > count:
            findings = (_leans(robot, replace(free, task=task), box),)
            best, count = free, freely
    return best, (_said(best, is_reached=count == len(box)), *findings)


def _search(robot: Robot, box: Floats, direction: Direction, like: Placement) -> tuple[Placement, int]:
    """Return the nearest place where the whole box is reached, or the one where most of it is, and how much that is."""
    middle = box.mean(axis=0)
    candidates = _candidates(robot, middle, direction, like)
    frames = np.array([frame_at(candidate, middle) for candidate in candidates])
    is_reached = attempt_ik(robot, frames, task=like.task).converged
    best, most = candidates[int(np.argmax(is_reached))], -1.0
    for k in np.flatnonzero(is_reached)[:MOST_TRIED]:
        value = _value(robot, candidates[k], box)
        if value > most:
            best, most = candidates[k], value
        if value >= len(box) + ROOM:
            break
    return best, int(most)


def _value(robot: Robot, placement: Placement, box: Floats) -> float:
    """Return how many points of a box are reached; if all are, plus the least room to a joint limit as a share."""
    result, is_reached = _attempted(robot, placement, box)
    if not is_reached.all():
        return float(is_reached.sum())
    span = np.where(np.isfinite(robot.upper - robot.lower), robot.upper - robot.lower, np.inf)
    rooms = np.minimum(result.q - robot.lower, robot.upper - result.q) / span
    return len(box) + float(np.clip(np.nan_to_num(rooms, nan=0.5).min(), 0.0, 0.5))


def _candidates(
    robot: Robot, middle: Floats, direction: tuple[float, float, float], like: Placement
) -> list[Placement]:
    """Return places for the middle of the part: before the arm, nearest to the tool at home first."""
    p_home = pose.transform(pose.inverse(robot.base), robot.fk(robot.home)[:3, 3])
    far = reach(robot)
    across = p_home[:2] / max(float(np.linalg.norm(p_home[:2])), 1e-9)
    across = across if np.linalg.norm(across) > 0.5 else np.array([1.0, 0.0])
    heights = [float(p_home[2])] if like.flat else [*(HEIGHTS * far), float(p_home[2])]
    places = [np.array([*(across * share * far), z]) for share in SHARES for z in heights]
    places.append(p_home)
    places.sort(key=lambda p: float(np.linalg.norm(p - p_home)))
    yaws = YAWS if like.task is TASKS["pose"] else YAWS[:1]
    return [
        Placement(robot.base @ pose.from_xyz(p - middle), tool_axes(direction, yaw), like.task, like.surface, like.flat)
        for p in places
        for yaw in yaws
    ]


def _said(placement: Placement, *, is_reached: bool) -> Finding:
    xyz, abc = placement.T_world_part[:3, 3] * MM_PER_M, np.degrees(pose.as_abc(placement.T_world_part))
    values = [f"{value:.1f}".removesuffix(".0") for value in (*xyz, *abc)]
    place = ",".join("0" if value == "-0" else value for value in values)
    if is_reached:
        template = _("the part lies at {place} (X,Y,Z in mm, A,B,C in °)")
        return Finding("note", Message("placed_by_default", template, place=place))
    template = _("no place was found where the arm reaches the whole part; it lies at {place} (X,Y,Z,A,B,C)")
    return Finding("warning", Message("placed_out_of_reach", template, place=place))


def _box(points: Floats, flat: bool) -> Floats:
    """Return the middle and the corners of a box a little larger than the points' own."""
    if not len(points):
        points = np.zeros((1, 3))
    lower, upper = points.min(axis=0), points.max(axis=0)
    middle, half = (lower + upper) / 2.0, (upper - lower) / 2.0 * MARGIN
    signs = np.array([(0.0, 0.0, 0.0), *product((-1.0, 1.0), repeat=3)])
    if flat:
        half = half * (1.0, 1.0, 0.0)
        middle = middle * (1.0, 1.0, 0.0)
    return np.unique(middle + signs * half, axis=0) if np.any(half > 0.0) else middle[None]


def _reached(robot: Robot, placement: Placement, box: Floats) -> NDArray[np.bool_]:
    """Return which points are reached from the middle of the box without a change of branch."""
    return _attempted(robot, placement, box)[1]


def _attempted(robot: Robot, placement: Placement, box: Floats) -> tuple[IkResult, NDArray[np.bool_]]:
    frames = np.array([frame_at(placement, p) for p in box])
    first = attempt_ik(robot, frame_at(placement, box.mean(axis=0)), task=placement.task)
    if not first.converged:
        result = attempt_ik(robot, frames, task=placement.task)
        return result, np.asarray(result.converged)
    result = attempt_ik(robot, frames, start=first.q, task=placement.task)
    near = np.abs(result.q - first.q).max(axis=1) <= LARGEST_STEP
    return result, np.asarray(result.converged & near)


def frame_at(placement: Placement, p_part: Floats) -> Floats:
    """Return the tool's frame in the world at a point (3,) of the part, with A, B and C being 0."""
    T = np.eye(4)
    T[:3, 3] = pose.transform(placement.T_world_part, p_part)
    T[:3, :3] = placement.rotation(0.0, 0.0, 0.0)
    if placement.surface is not None:
        T[:3, :3] = placement.perpendicular(T[:3, :3], T[:3, 3])
    return T


def _nearest_on(triangles: Floats, p: Floats) -> Floats:
    """Return the point of each triangle (k, 3, 3) that is nearest to p, by clamping to its plane, edges and corners."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    candidates = [_on_edge(a, b, p), _on_edge(b, c, p), _on_edge(c, a, p)]
    normal = np.cross(b - a, c - a)
    size = np.maximum(np.einsum("ij,ij->i", normal, normal), 1e-300)
    foot = p - (np.einsum("ij,ij->i", p - a, normal) / size)[:, None] * normal
    inside = np.ones(len(a), dtype=bool)
    for start, end in ((a, b), (b, c), (c, a)):
        inside &= np.einsum("ij,ij->i", np.cross(end - start, foot - start), normal) >= 0.0
    best = np.where(inside[:, None], foot, np.inf)
    for candidate in candidates:
        closer = np.linalg.norm(candidate - p, axis=1) < np.linalg.norm(best - p, axis=1)
        best = np.where(closer[:, None], candidate, best)
    return np.asarray(best)


def _on_edge(a: Floats, b: Floats, p: Floats) -> Floats:
    d = b - a
    t = np.einsum("ij,ij->i", p - a, d) / np.maximum(np.einsum("ij,ij->i", d, d), 1e-300)
    return np.asarray(a + np.clip(t, 0.0, 1.0)[:, None] * d)
