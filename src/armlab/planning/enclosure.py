"""Proofs that there is no path: a part of the arm that cannot get through, whatever the joints do.

A ball inside a part moves on a curve that stays farther than its radius from every body. Space is cut into cubes; one
that is so near to a body that the ball fits nowhere in it is closed. Where the cubes left open do not join the ball's
place at the start to that at the goal, no path does. The joints are not looked at, so that most of what is impossible
is not found to be so; what is found is proved. See `joint_barrier` for another such proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.collision import Checker
from armlab.collision.collision_objects import CollisionObject, collision_objects_of
from armlab.errors import PlanningFailed
from armlab.geometry import pose, solid
from armlab.geometry.hull import attempt_hull, planes
from armlab.geometry.shape import Shape
from armlab.messages import _
from armlab.model.parts import Joint, Link
from armlab.model.robot import Robot
from armlab.model.scene import Body, PlacedRobot, Scene
from armlab.planning.joint_barrier import Mask, Proof, are_apart, joint_barrier
from armlab.planning.search import Search

SHARE = 0.5
"""Half the diagonal of a cube, as part of the ball's radius."""
MOST_CUBES = 500_000
SMALLEST = 2e-3
"""m: balls smaller than this are not tried."""
GUARD = 1e-6
"""m by which the ball is made smaller, against rounding."""
PARALLEL = 1e-15
FAR = 1e4
"""m"""
FEW_BODIES = 8
DOUBT = 8
"""After so many slices of a search it is time to look whether there is a path at all."""
WORTH = 0.4
"""Balls smaller than this share of the largest one of a part are not tried."""


class _Ball(NamedTuple):
    name: str
    link: int
    centre: Floats
    """In the frame of the link; of a tool, in that of the flange."""
    radius: float


class Enclosure(NamedTuple):
    """The part that cannot get from the start to any goal, and the bodies that keep it."""

    part: str
    bodies: tuple[str, ...]


def enclosure(checker: Checker, robot: str | None, start: Floats, goals: Floats) -> Enclosure | None:
    """Return what proves that no path leads from `start` (n,) to any of `goals` (k, n); None if nothing does."""
    for proof in _proofs(checker, checker.scene.robot(robot), start, goals):
        bodies = _bodies_against(checker, proof.part)
        groups = [[body] for body in bodies] if len(bodies) <= FEW_BODIES else [bodies]
        left = [proof.is_open(group) for group in groups]
        if not left or not proof.is_apart(np.all(left, axis=0)):
            continue
        # bodies without which the proof holds, too, are not named
        for i in reversed(range(len(groups))):
            fewer = left[:i] + left[i + 1 :]
            if fewer and proof.is_apart(np.all(fewer, axis=0)):
                left = fewer
                del groups[i]
        return Enclosure(proof.part, tuple(body.name for group in groups for body in group))
    return None


def _proofs(checker: Checker, arm: PlacedRobot, start: Floats, goals: Floats) -> Iterator[Proof]:
    """Yield what may prove it, the quickest first."""
    barrier = joint_barrier(arm.robot, start, goals)
    if barrier is not None:
        names = {item.part: item.name for item in _moving(checker.scene, arm.name)}
        yield barrier._replace(part=names[barrier.part])
    for ball in _balls(checker.scene, arm.name):
        places = _centres(arm.robot, ball, np.vstack([start, goals]))
        bodies = _bodies_against(checker, ball.name)
        proof = _ball_proof(arm.robot, ball, places, bodies) if bodies else None
        if proof is not None:
            yield proof


def found_or_reason(
    search: Search, checker: Checker, start: Floats, goals: Floats, samples: int, shortcuts: int,
    goes_on: Callable[[], bool],
) -> Floats:  # fmt: skip
    """Return the path of a search, with shortcuts.

    Raises:
        PlanningFailed: if none is found: `no_path_exists` where that is proved, otherwise `no_path_found`.
    """
    looks = 0

    def goes_on_unless_impossible() -> bool:
        nonlocal looks
        looks += 1
        if looks == DOUBT:
            _refuse_impossible(checker, search.robot, start, goals)
        return goes_on()

    try:
        return search.shortened(search.run(start, goals, samples, goes_on_unless_impossible), shortcuts)
    except PlanningFailed as error:
        if error.code == "no_path_found" and looks < DOUBT:
            _refuse_impossible(checker, search.robot, start, goals)
        raise


def _refuse_impossible(checker: Checker, robot: str | None, start: Floats, goals: Floats) -> None:
    found = enclosure(checker, robot, start, goals)
    if found is not None:
        raise PlanningFailed(
            "no_path_exists",
            _("no free path exists: '{part}' cannot get from the start to the goal past {bodies}"),
            part=found.part,
            bodies=list(found.bodies),
        )


def _moving(scene: Scene, robot: str) -> list[CollisionObject]:
    """Return the parts of an arm that move."""
    objects = collision_objects_of(scene)
    arm = objects.names.index(robot)
    return [item for item in objects.items[: objects.arm_items] if item.arm == arm and item.link > 0]


def _balls(scene: Scene, robot: str) -> Iterable[_Ball]:
    """Return balls inside of each part that moves, the outermost part first: the ball farthest out, and the largest."""
    for item in reversed(_moving(scene, robot)):
        inside = [_ball_inside(shape) for shape in item.shapes]
        largest = max(inside, key=lambda one: one[1])
        worth = [one for one in inside if one[1] > WORTH * largest[1]]
        farthest = max(worth, key=lambda one: float(np.linalg.norm(one[0])))
        for centre, radius in {id(one): one for one in (farthest, largest)}.values():
            if radius > SMALLEST:
                yield _Ball(item.name, item.link, centre, radius)


@lru_cache(maxsize=2048)
def _ball_inside(shape: Shape) -> tuple[Floats, float]:
    """Return a ball inside of a solid: its centre, in the frame of the shape's object, and its radius."""
    if shape.kind == "sphere":
        return shape.T_link_shape[:3, 3], shape.size[0]
    points = solid.surface_points(shape)
    hull = attempt_hull(points)
    if hull is None:
        return np.zeros(3), 0.0
    normals, offsets = planes(hull)
    middle = points.mean(axis=0)
    return pose.transform(shape.T_link_shape, middle), float((offsets - normals @ middle).min())


def _bodies_against(checker: Checker, part: str) -> list[Body]:
    """Return the bodies that a part is checked against; one that is held does not stand where the scene has it."""
    names = {b if a == part else a for a, b in checker.pairs if part in (a, b)} - set(checker.held)
    return [body for body in checker.scene.bodies if body.name in names]


def _centres(arm: Robot, ball: _Ball, rows: Floats) -> Floats:
    """Return where the ball is in the world (m, 3) for joint values (m, n)."""
    frames = arm.frames(rows)
    is_tool = ball.link >= frames.shape[1] - 1
    T = frames[:, -1] @ np.linalg.inv(arm.tool.T_flange_tool) if is_tool else frames[:, ball.link]
    return np.asarray(T[:, :3, :3] @ ball.centre + T[:, :3, 3])


def _fixed_axis(arm: Robot) -> int | None:
    """Return the axis of the world along which nothing of a planar arm moves."""
    joints = arm.uncoupled.joints
    turning = np.abs(arm.uncoupled.jacobian(np.zeros(len(joints)))[3:])
    if any(joint.kind != "revolute" for joint in joints):
        return None
    along = np.flatnonzero((turning >= 1.0 - PARALLEL).all(axis=1))
    return int(along[0]) if len(along) else None


def _ball_proof(arm: Robot, ball: _Ball, places: Floats, bodies: list[Body]) -> Proof | None:
    """Return the proof on cubes round all bodies; None where they would be too many."""
    flat = _fixed_axis(arm)
    step = 2.0 * SHARE * ball.radius / math.sqrt(2.0 if flat is not None else 3.0)
    low, high = _box_round(bodies, places, 2.0 * ball.radius + step)
    reach, origin = arm.uncoupled.chain.reach + 2.0 * ball.radius, arm.base[:3, 3]
    low, high = np.maximum(low, origin - reach - 2.0 * step), np.minimum(high, origin + reach + 2.0 * step)
    if flat is not None:
        low[flat] = high[flat] = places[0, flat]
    counts = np.maximum(np.ceil((high - low) / step), 1.0).astype(int)
    if (high < low).any() or counts.prod() > MOST_CUBES:
        return None
    axes = [low[i] + step * (np.arange(counts[i]) + (0.0 if i == flat else 0.5)) for i in range(3)]
    centres = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    probe = _probe((1.0 - SHARE) * ball.radius - GUARD)
    # a layer of open cubes round all of them stands for what is outside
    layer = np.array([0 if i == flat else 1 for i in range(3)])
    cubes = np.clip(np.floor((places - low) / step).astype(int) * layer + layer, 0, counts + 2 * layer - 1)

    def is_open(group: list[Body]) -> Mask:
        free = np.asarray(Checker(Scene.of(probe, bodies=group)).is_free(centres)).reshape(counts)
        return np.pad(free, np.column_stack([layer, layer]), constant_values=True)

    return Proof(ball.name, is_open, lambda grid: are_apart(grid, cubes))


def _box_round(bodies: list[Body], places: Floats, margin: float) -> tuple[Floats, Floats]:
    """Return the corners of a box, along the axes of the world, that holds all bodies and places."""
    points = [places]
    for body in bodies:
        points += [pose.transform(body.T_world_body, solid.hull_points(shape)) for shape in body.shapes]
    rows = np.concatenate(points)
    return rows.min(axis=0) - margin, rows.max(axis=0) + margin


@lru_cache(maxsize=64)
def _probe(radius: float) -> Robot:
    """Return three prismatic joints that move a ball: their values are its place."""
    joints = [Joint(name, "prismatic", np.eye(4), axis, -FAR, FAR) for name, axis in zip("xyz", np.eye(3), strict=True)]
    ball = Link("probe", shapes=(Shape("sphere", (radius,), np.eye(4)),))
    links = (Link("base"), Link("x slide"), Link("y slide"), ball)
    return Robot(name="probe", joints=tuple(joints), links=links, home=np.zeros(3), source="")
