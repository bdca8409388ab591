"""The objects of a scene as the kernels take them: in arrays, of which those of the arms are kept."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.collision.collision_objects import KEPT_ARMS, CollisionObject, CollisionObjects
from armlab.collision.parts import ball_round, part_of
from armlab.kernels.collision.check import NEVER, OWN, STRANGERS, CollisionModel, Packed
from armlab.model.robot import Robot

Integers = NDArray[np.int64]


class ObjectArrays(NamedTuple):
    """The arrays of some objects; see `CollisionModel` for what is in them."""

    objects: Integers
    balls: Floats
    parts: Integers
    places: Floats
    sizes: Floats
    rows: Floats

    def followed_by(self, other: ObjectArrays) -> ObjectArrays:
        """Return the arrays of these objects and of others behind them."""
        objects, parts = other.objects.copy(), other.parts.copy()
        objects[:, 1:] += len(self.parts)
        parts[:, :2] += len(self.rows)
        parts[:, 3] += len(self.objects)
        moved = other._replace(objects=objects, parts=parts)
        return ObjectArrays(*(np.concatenate([one, two]) for one, two in zip(self, moved, strict=True)))


def object_arrays(items: Sequence[CollisionObject]) -> ObjectArrays:
    """Return the arrays of objects; each part is in the frame that its object is in."""
    shapes = [(item, shape) for item in items for shape in item.shapes]
    parts = [part_of(shape) for _item, shape in shapes]
    counts = np.array([len(item.shapes) for item in items], np.int64)
    ends, last = np.cumsum(counts), np.cumsum([len(part.rows) for part in parts], dtype=np.int64)
    first = np.concatenate([np.zeros(1, np.int64), last])[:-1]
    frames = np.array([item.frame for item in items], np.int64)
    pointed = np.array([part.is_pointed for part in parts], np.int64)
    none = [np.zeros((0, 4, 4))]
    T_frame_object = np.concatenate([*none, *(item.T_frame_object[None] for item in items)])
    T_object_part = np.concatenate([*none, *(part.T_object_part[None] for part in parts)])
    T = np.repeat(T_frame_object, counts, axis=0) @ T_object_part
    balls = np.concatenate([np.zeros((0, 4)), *(ball_round(item.shapes)[None] for item in items)])
    balls[:, :3] = (T_frame_object[:, :3, :3] @ balls[:, :3, None])[:, :, 0] + T_frame_object[:, :3, 3]
    return ObjectArrays(
        np.column_stack([frames, ends - counts, ends]).astype(np.int64),
        np.ascontiguousarray(balls),
        np.column_stack([first, last, pointed, np.repeat(np.arange(len(items)), counts)]).astype(np.int64),
        np.ascontiguousarray(np.concatenate([T[:, :3, :3].reshape(-1, 9), T[:, :3, 3]], axis=1)),
        np.concatenate([np.zeros((0, 5)), *(part.sizes[None] for part in parts)]),
        np.concatenate([np.zeros((0, 6)), *(part.rows for part in parts)]),
    )


def arrays_of(objects: CollisionObjects, pairs: Sequence[tuple[int, int, bool]]) -> CollisionModel:
    """Return the kernels' arrays; `pairs` are two objects and whether they never meet within the limits."""
    fixed, revolute, lower, upper, parent = _joint_arrays(objects.robots)
    arms = objects.items[: objects.arm_items]
    whole = _arm_arrays(arms).followed_by(object_arrays(objects.items[objects.arm_items :]))
    rows = np.array([_pair(objects, *pair) for pair in pairs], np.int64).reshape(-1, 4)
    return CollisionModel(fixed, revolute, lower, upper, parent, *whole, rows)


@lru_cache(maxsize=KEPT_ARMS)
def _arm_arrays(items: tuple[CollisionObject, ...]) -> ObjectArrays:
    return object_arrays(items)


def packed(model: CollisionModel) -> Packed:
    """Return the same arrays in two."""
    n, e, p, k, m = (len(a) for a in (model.fixed, model.objects, model.parts, model.rows, model.pairs))
    floats = (model.fixed, model.revolute, model.lower, model.upper, model.balls, model.places, model.sizes, model.rows)
    integers = (np.array([n, e, p, k, m]), model.parent, model.objects, model.parts, model.pairs)
    return Packed(
        np.concatenate([a.ravel() for a in floats]), np.concatenate([a.ravel() for a in integers], dtype=np.int64)
    )


@lru_cache(maxsize=KEPT_ARMS)
def _joint_arrays(
    arms: tuple[Robot, ...],
) -> tuple[Floats, Floats, Floats, Floats, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    parents: list[int] = []
    robots = [robot.uncoupled for robot in arms]
    for robot in robots:
        parents += [0, *range(len(parents) + 1, len(parents) + robot.dof)]
    none: list[Floats] = [np.zeros(0)]
    fixed = np.concatenate([np.zeros((0, 12)), *(robot.chain.constants[:-1, :12] for robot in robots)])
    revolute = np.concatenate(none + [robot.chain.revolute for robot in robots])
    lower, upper = (np.concatenate(none + [getattr(r, side) for r in robots]) for side in ("lower", "upper"))
    return fixed, revolute, lower, upper, np.array(parents, np.int64)


def _pair(objects: CollisionObjects, one: int, other: int, never: bool) -> tuple[int, int, int, int]:
    """Return the pair's row: the object farther out on its arm first; which joint first moves it against the other."""
    e, o = (one, other) if objects.items[one].frame > objects.items[other].frame else (other, one)
    near = objects.items[o]
    is_own = near.arm == objects.items[e].arm
    kind = NEVER if never else OWN if is_own else STRANGERS
    return e, o, near.frame if is_own and near.frame > 0 else -1, kind
