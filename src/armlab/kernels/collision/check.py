"""Which configurations of arms are free of collisions: a coarse sieve of balls and boxes, then exact distances.

Everything is in frames: frame 0 is the world, frame i + 1 moves with joint i. An object (a link, a tool, a body) is in
one frame and has parts; a part is a convex solid in the form of `gjk`, in its own frame, whose origin is the middle of
its box. Only parts of objects that pass the sieve are placed in the world, and only once per configuration.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.collision.gjk import CORNER, SIMPLEX_ROWS, Integers, walk
from armlab.kernels.jit import inlined, kernel
from armlab.kernels.trig import LARGEST, sincos

GAP = 1e-7
"""Distances are known within this (m)."""
ROUNDING = 1e-12
"""Solids nearer than this (m) touch: below it lies the noise of floating point."""


STRANGERS, OWN, NEVER = 0, 1, 2
"""Kinds of pairs: of different owners, with a clearance; of one arm, without; of one arm, apart within limits."""


class CollisionModel(NamedTuple):
    """The arrays of a scene for collision checks; e objects, p parts, k rows of solids, n joints, m pairs."""

    fixed: Floats
    """(n, 12) the frame in front of each joint, in the frame that it starts from."""
    revolute: Floats
    """(n,)"""
    lower: Floats
    upper: Floats
    parent: Integers
    """(n,) the frame that each joint starts from."""
    objects: Integers
    """(e, 3) frame, first part, last part + 1."""
    balls: Floats
    """(e, 4) centre in the frame, radius."""
    parts: Integers
    """(p, 4) first row, last row + 1, whether it is pointed, its object."""
    places: Floats
    """(p, 12) of the part in its frame."""
    sizes: Floats
    """(p, 5) half widths of its box, radius of the ball round it, radius that its core is thickened by."""
    rows: Floats
    """(k, 6) see `gjk`."""
    pairs: Integers
    """(m, 4) moving object, other object, the joint that first moves one against the other or -1, kind of pair."""


class Room(NamedTuple):
    """Workspace of one call."""

    frames: Floats
    """(n + 1, 12)"""
    centres: Floats
    """(e, 3) of the balls, in the world."""
    placed: Floats
    """(p, 12) parts in the world."""
    is_placed: Integers
    """(e,)"""
    relative: Floats
    """(12,)"""
    simplex: Floats


@kernel
def room_of(model: CollisionModel) -> Room:
    """Return workspace in which all that stands still is in its place."""
    frames = np.zeros((model.fixed.shape[0] + 1, 12))
    frames[0, 0] = frames[0, 4] = frames[0, 8] = 1.0
    is_placed = np.zeros(model.objects.shape[0], np.int64)
    centres, placed = np.empty((model.objects.shape[0], 3)), np.empty((model.parts.shape[0], 12))
    for e in range(model.objects.shape[0]):
        is_placed[e] = 1 if model.objects[e, 0] == 0 else 0
        for column in range(3):
            centres[e, column] = model.balls[e, column]
    for p in range(model.parts.shape[0]):
        for column in range(12):
            placed[p, column] = model.places[p, column]
    return Room(frames, centres, placed, is_placed, np.zeros(12), np.zeros((SIMPLEX_ROWS, CORNER)))


@inlined
def compose(a: Floats, b: Floats, out: Floats) -> None:
    """Write the product of two frames (12,) to `out`."""
    for row in range(3):
        a0, a1, a2 = a[3 * row], a[3 * row + 1], a[3 * row + 2]
        out[3 * row] = a0 * b[0] + a1 * b[3] + a2 * b[6]
        out[3 * row + 1] = a0 * b[1] + a1 * b[4] + a2 * b[7]
        out[3 * row + 2] = a0 * b[2] + a1 * b[5] + a2 * b[8]
        out[9 + row] = a0 * b[9] + a1 * b[10] + a2 * b[11] + a[9 + row]


@inlined
def move_frame(model: CollisionModel, i: int, q: float, room: Room) -> None:
    """Move the frame of joint `i` to the joint value `q`: T = T_parent · fixed · Rot(z, q), or · Trans(z, q)."""
    T = room.frames[i + 1]
    compose(room.frames[model.parent[i]], model.fixed[i], T)
    if model.revolute[i] > 0.5:
        s, c = sincos(q)
        for row in range(3):
            u0, u1 = T[3 * row], T[3 * row + 1]
            T[3 * row], T[3 * row + 1] = u0 * c + u1 * s, u1 * c - u0 * s
    else:
        for row in range(3):
            T[9 + row] += T[3 * row + 2] * q


@inlined
def move_ball(model: CollisionModel, e: int, room: Room) -> None:
    """Move the ball round an object to where its frame is; its parts follow when they are asked for."""
    room.is_placed[e] = 0
    T = room.frames[model.objects[e, 0]]
    x, y, z = model.balls[e, 0], model.balls[e, 1], model.balls[e, 2]
    for row in range(3):
        room.centres[e, row] = T[3 * row] * x + T[3 * row + 1] * y + T[3 * row + 2] * z + T[9 + row]


@kernel
def pose_into(model: CollisionModel, q: Floats, room: Room) -> bool:
    """Move the frames and balls to `q` (n,); return False if a value is not usable."""
    usable = True
    for i in range(q.shape[0]):
        usable = usable and abs(q[i]) <= LARGEST
        move_frame(model, i, q[i], room)
    for e in range(model.objects.shape[0]):
        if model.objects[e, 0] > 0:
            move_ball(model, e, room)
    return usable


@kernel
def is_inside(model: CollisionModel, q: Floats) -> bool:
    """Tell whether every joint is within its limits."""
    inside = True
    for i in range(q.shape[0]):
        inside = inside and model.lower[i] - 1e-9 <= q[i] <= model.upper[i] + 1e-9
    return inside


@kernel
def place_parts(model: CollisionModel, e: int, room: Room) -> None:
    """Put the parts of an object where the frames are, unless they are there."""
    if room.is_placed[e] == 0:
        room.is_placed[e] = 1
        T = room.frames[model.objects[e, 0]]
        for p in range(model.objects[e, 1], model.objects[e, 2]):
            compose(T, model.places[p], room.placed[p])


@inlined
def ball_box(x: float, y: float, z: float, T: Floats, size: Floats) -> float:
    """Return the squared distance of a point from a box with the frame `T` (12,) and half widths `size`."""
    dx, dy, dz = x - T[9], y - T[10], z - T[11]
    u = max(abs(T[0] * dx + T[3] * dy + T[6] * dz) - size[0], 0.0)
    v = max(abs(T[1] * dx + T[4] * dy + T[7] * dz) - size[1], 0.0)
    w = max(abs(T[2] * dx + T[5] * dy + T[8] * dz) - size[2], 0.0)
    squared: float = u * u + v * v + w * w
    return squared


@inlined
def between_balls(balls: Floats, centres: Floats, e: int, o: int) -> float:
    """Return the distance of the balls round two objects; below zero where they overlap."""
    x, y, z = centres[e, 0] - centres[o, 0], centres[e, 1] - centres[o, 1], centres[e, 2] - centres[o, 2]
    apart: float = math.sqrt(x * x + y * y + z * z) - balls[e, 3] - balls[o, 3]
    return apart


@inlined
def relate(a: Floats, b: Floats, out: Floats) -> None:
    """Write the frame `b` as seen from the frame `a` to `out`, all (12,)."""
    dx, dy, dz = b[9] - a[9], b[10] - a[10], b[11] - a[11]
    for row in range(3):
        a0, a1, a2 = a[row], a[3 + row], a[6 + row]
        out[3 * row] = a0 * b[0] + a1 * b[3] + a2 * b[6]
        out[3 * row + 1] = a0 * b[1] + a1 * b[4] + a2 * b[7]
        out[3 * row + 2] = a0 * b[2] + a1 * b[5] + a2 * b[8]
        out[9 + row] = a0 * dx + a1 * dy + a2 * dz


@inlined
def between_boxes(T: Floats, a: Floats, b: Floats) -> float:
    """Return a lower bound on the distance of two boxes, by their faces; `T` (12,) is the second in the first."""
    best = -math.inf
    for i in range(3):
        # separating axes: the faces of the first box, then those of the second
        reach = abs(T[3 * i]) * b[0] + abs(T[3 * i + 1]) * b[1] + abs(T[3 * i + 2]) * b[2]
        best = max(best, abs(T[9 + i]) - a[i] - reach)
        along = T[i] * T[9] + T[3 + i] * T[10] + T[6 + i] * T[11]
        reach = abs(T[i]) * a[0] + abs(T[3 + i]) * a[1] + abs(T[6 + i]) * a[2]
        best = max(best, abs(along) - b[i] - reach)
    return best


@kernel
def meet(model: CollisionModel, e: int, o: int, within: float, room: Room) -> bool:
    """Tell whether two objects are `within` a distance of each other; in doubt they are."""
    within += ROUNDING
    place_parts(model, o, room)
    near = model.balls[e, 3] + within
    cx, cy, cz = room.centres[e, 0], room.centres[e, 1], room.centres[e, 2]
    relative, simplex = room.relative, room.simplex
    for j in range(model.objects[o, 1], model.objects[o, 2]):
        there = room.placed[j]
        # the ball of the whole object against the box of a part
        if ball_box(cx, cy, cz, there, model.sizes[j]) > near * near:
            continue
        place_parts(model, e, room)
        for i in range(model.objects[e, 1], model.objects[e, 2]):
            here = room.placed[i]
            # the ball of a part against that box, then box against box
            reach = model.sizes[i, 3] + within
            if ball_box(here[9], here[10], here[11], there, model.sizes[j]) > reach * reach:
                continue
            relate(here, there, relative)
            if between_boxes(relative, model.sizes[i], model.sizes[j]) > within:
                continue
            # GJK proves a separating plane farther than `thick`, or they meet
            thick = within + model.sizes[i, 4] + model.sizes[j, 4]
            lower, _ = walk(model.rows, model.parts[i], model.parts[j], relative, thick, thick, 0.0, simplex)
            if not lower > thick:
                return True
    return False


class Packed(NamedTuple):
    """A model in two arrays instead of twelve: unboxing an array costs more than checking a pair."""

    floats: Floats
    """All arrays of floats, one after the other."""
    integers: Integers
    """n, e, p, k, m (see `CollisionModel`), then all arrays of integers."""


@inlined
def unpacked(packed: Packed) -> CollisionModel:
    """Return the arrays of a packed model, as views."""
    floats, integers = packed.floats, packed.integers
    n, e, p, k, m = integers[0], integers[1], integers[2], integers[3], integers[4]
    a = 12 * n  # where each array ends
    b, c, d = a + n, a + 2 * n, a + 3 * n
    f = d + 4 * e
    g = f + 12 * p
    h = g + 5 * p
    s = 5 + n
    t = s + 3 * e
    u = t + 4 * p
    return CollisionModel(
        floats[:a].reshape(n, 12), floats[a:b], floats[b:c], floats[c:d], integers[5:s],
        integers[s:t].reshape(e, 3), floats[d:f].reshape(e, 4), integers[t:u].reshape(p, 4),
        floats[f:g].reshape(p, 12), floats[g:h].reshape(p, 5), floats[h : h + 6 * k].reshape(k, 6),
        integers[u : u + 4 * m].reshape(m, 4),
    )  # fmt: skip


@inlined
def is_row_free(model: CollisionModel, q: Floats, clearance: float, room: Room) -> bool:
    """Tell whether nothing touches where the frames are, at `q` (n,), nor is within the clearance."""
    inside = is_inside(model, q)
    pairs = model.pairs
    free = True
    for k in range(pairs.shape[0]):
        if pairs[k, 3] == NEVER and inside:
            continue
        e, o, within = pairs[k, 0], pairs[k, 1], clearance if pairs[k, 3] == STRANGERS else 0.0
        # the sieve: balls that are far apart need no closer look
        if between_balls(model.balls, room.centres, e, o) > within + ROUNDING:
            continue
        if meet(model, e, o, within, room):
            free = False
            break
    return free


@kernel
def is_free(packed: Packed, q: Floats, clearance: float) -> int:
    """Return 1 where nothing touches at `q` (n,), nor is within the clearance; 0 if not; -1 if a value is unusable."""
    model = unpacked(packed)
    room = room_of(model)
    if not pose_into(model, q, room):
        return -1
    return 1 if is_row_free(model, q, clearance, room) else 0


@kernel
def are_free_into(model: CollisionModel, q: Floats, clearance: float, out: Floats) -> bool:
    """Write 1.0 to `out` (m,) where nothing touches at a row of `q` (m, n), nor is within the clearance, else 0.0."""
    room = room_of(model)
    usable = True
    for row in range(q.shape[0]):
        usable = pose_into(model, q[row], room) and usable
        out[row] = 1.0 if is_row_free(model, q[row], clearance, room) else 0.0
    return usable
