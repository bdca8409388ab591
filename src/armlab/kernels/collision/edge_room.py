"""Workspace for straight motions: what moves, and the boxes of all that stands still in columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.collision.check import NEVER, STRANGERS, CollisionModel, Room, room_of
from armlab.kernels.collision.gjk import Integers
from armlab.kernels.jit import kernel

INTERVALS, OPEN, LOOKS = 4096, 65536, 4
"""What the workspace holds: intervals, and what is open in them, or all that can be at so many looks."""


class EdgeRoom(NamedTuple):
    """Workspace for motions of one scene: what moves (a objects), and the parts of what stands still (b of them)."""

    room: Room
    q: Floats
    delta: Floats
    """(n,) how far each joint gets from the middle of an interval."""
    moving: Integers
    """(a,) objects."""
    spread: Floats
    """(a, n + 1) how far each can get in the interval: by joint i and those farther out, in the end by all."""
    still: Integers
    """(b,) parts."""
    boxes: Floats
    """(15, b) of these parts: frame in the world and half widths, a column each."""
    checked: Integers
    """(a, b) 1 where they are checked against each other."""
    apart: Floats
    """(b,) how far the ball of one object is from each box."""
    own: Integers
    """(c, 5) pairs of objects that both move: places of both in `moving`, both objects, the joint of `pairs`; kinds."""
    kinds: Integers
    """(c,)"""
    span: Floats
    """(INTERVALS, 2) beginning and end of an interval, 0 … 1."""
    kept: Integers
    """(INTERVALS, 2) first of what is open in it, and how much."""
    open: Integers
    """Numbers of what is open: b i + j for an object i and a part j, a b + k for a pair k of objects that move."""
    lately: Integers
    """(1,) what touched last; -1 for nothing."""
    rules: Floats
    """(k, 12) constraints of the tool, see `rules`; none at first."""
    counts: Integers
    """Motions, samples, distances looked at."""


MOTIONS, SAMPLES, WALKS = 0, 1, 2


@kernel
def edge_room(model: CollisionModel) -> EdgeRoom:
    """Return workspace for motions within the limits: pairs that never meet there are left out."""
    n, objects, pairs = model.fixed.shape[0], model.objects, model.pairs
    number = np.full(objects.shape[0], -1, np.int64)
    a, b = 0, 0
    for e in range(objects.shape[0]):
        if objects[e, 0] > 0:
            number[e] = a
            a += 1
        else:
            b += objects[e, 2] - objects[e, 1]
    moving, still, boxes = np.empty(a, np.int64), np.empty(b, np.int64), np.empty((15, b))
    first = np.full(objects.shape[0], -1, np.int64)
    b = 0
    for e in range(objects.shape[0]):
        if number[e] >= 0:
            moving[number[e]] = e
            continue
        first[e] = b
        for part in range(objects[e, 1], objects[e, 2]):
            still[b] = part
            for row in range(12):
                boxes[row, b] = model.places[part, row]
            for row in range(3):
                boxes[12 + row, b] = model.sizes[part, row]
            b += 1
    checked = np.zeros((a, b), np.int64)
    own, kinds, c = np.empty((pairs.shape[0], 5), np.int64), np.empty(pairs.shape[0], np.int64), 0
    for k in range(pairs.shape[0]):
        e, o = pairs[k, 0], pairs[k, 1]
        if pairs[k, 3] == NEVER:
            continue
        if number[o] < 0:
            kind = 1 if pairs[k, 3] == STRANGERS else 2
            for j in range(first[o], first[o] + objects[o, 2] - objects[o, 1]):
                checked[number[e], j] = kind
            continue
        own[c, 0], own[c, 1], own[c, 2], own[c, 3], own[c, 4] = number[e], number[o], e, o, pairs[k, 2]
        kinds[c] = pairs[k, 3]
        c += 1
    return EdgeRoom(
        room_of(model), np.empty(n), np.empty(n), moving, np.zeros((a, n + 1)), still, boxes, checked, np.empty(b),
        own[:c].copy(), kinds[:c].copy(), np.empty((INTERVALS, 2)), np.empty((INTERVALS, 2), np.int64),
        np.empty(max(OPEN, LOOKS * (a * b + c)), np.int64), np.full(1, -1, np.int64),
        np.empty((0, 12)), np.zeros(3, np.int64),
    )  # fmt: skip
