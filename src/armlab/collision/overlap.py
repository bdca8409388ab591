"""How deep two objects are in each other, and which way out is the shortest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.collision.collision_objects import CollisionObject
from armlab.collision.parts import ConvexPart, part_of
from armlab.kernels.collision.check import CollisionModel, pose_into, room_of

DIRECTIONS, ROUNDS, AROUND = 2000, 8, 60
"""Directions on the sphere that are looked at, then so many nearer and nearer round the best of them."""
GOLDEN = np.pi * (3.0 - np.sqrt(5.0))


class PlacedPart(NamedTuple):
    """A convex part, and where it is in the world."""

    part: ConvexPart
    T_world_part: Floats


def frames_at(model: CollisionModel, q: Floats) -> Floats:
    """Return the frames (n + 1, 4, 4) in the world, that of the world first, for values (n,) of all joints."""
    room = room_of(model)
    pose_into(model, q, room)
    T = np.tile(np.eye(4), (len(room.frames), 1, 1))
    T[:, :3, :3], T[:, :3, 3] = room.frames[:, :9].reshape(-1, 3, 3), room.frames[:, 9:]
    return T


def placed_parts(items: Sequence[CollisionObject], frames: Floats) -> list[PlacedPart]:
    """Return the parts of objects where the frames (n + 1, 4, 4) are."""
    placed = []
    for item in items:
        T = frames[item.frame] @ item.T_frame_object
        parts = [part_of(shape) for shape in item.shapes]
        placed += [PlacedPart(part, T @ part.T_object_part) for part in parts]
    return placed


def way_out(first: list[PlacedPart], second: list[PlacedPart]) -> Floats:
    """Return the shortest translation (3,) of `first` that takes its parts out of those of `second`; zeros if apart.

    Its length is the depth, to about 1 %. Only parts that overlap now are looked at.
    """
    directions = _sphere(DIRECTIONS)
    reaches = np.array([_needed(one, other, directions) for one in first for other in second])
    overlapping = reaches.min(axis=1) > 0.0
    if not overlapping.any():
        return np.zeros(3)
    pairs = [(one, other) for one in first for other in second]
    pairs = [pair for pair, is_in in zip(pairs, overlapping, strict=True) if is_in]
    needed = reaches[overlapping].max(axis=0)
    best, least = directions[int(np.argmin(needed))], float(needed.min())
    rng, width = np.random.default_rng(0), 0.1
    for _ in range(ROUNDS):
        near = best + width * rng.normal(size=(AROUND, 3))
        near /= np.linalg.norm(near, axis=1, keepdims=True)
        needed = np.max([_needed(one, other, near) for one, other in pairs], axis=0)
        if needed.min() < least:
            best, least = near[int(np.argmin(needed))], float(needed.min())
        width *= 0.5
    return np.asarray(least * best)


def _needed(one: PlacedPart, other: PlacedPart, directions: Floats) -> Floats:
    """Return how far (m,) `one` must go in each direction (m, 3) until a plane across it separates the parts."""
    return _support(other, directions) + _support(one, -directions)


def _support(placed: PlacedPart, directions: Floats) -> Floats:
    """Return how far (m,) a part reaches in each direction (m, 3) of the world."""
    R, p = placed.T_world_part[:3, :3], placed.T_world_part[:3, 3]
    dx, dy, dz = np.ascontiguousarray((directions @ R).T)[:, :, None]
    z, x, y, r, ox, oy = placed.part.rows.T
    # a row is a rectangle of half widths x, y round (ox, oy) at height z, made rounder by r
    reach = dz * z + dx * ox + dy * oy + np.abs(dx) * x + np.abs(dy) * y + np.hypot(dx, dy) * r
    return np.asarray(reach.max(axis=1) + placed.part.radius + directions @ p)


def _sphere(count: int) -> Floats:
    """Return directions (count, 3), spread evenly (Fibonacci's spiral)."""
    i = np.arange(count)
    z = 1.0 - (2.0 * i + 1.0) / count
    flat = np.sqrt(1.0 - z * z)
    return np.column_stack([flat * np.cos(GOLDEN * i), flat * np.sin(GOLDEN * i), z])
