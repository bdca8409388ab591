"""Paths made shorter: points left out, and shortcuts between places on the path; each new motion is proved first."""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.collision.check import CollisionModel
from armlab.kernels.collision.edge import FREE, edge_state
from armlab.kernels.collision.edge_room import EdgeRoom
from armlab.kernels.jit import inlined, kernel
from armlab.kernels.search.lm import seeded, shuffled, unit_fraction

WORTHWHILE = 0.99
"""A shortcut is tried where it is shorter than this share of the path that it replaces."""


@inlined
def gap(a: Floats, b: Floats, scale: Floats) -> float:
    """Return the distance of two configurations."""
    square = 0.0
    for j in range(a.shape[0]):
        step = scale[j] * (b[j] - a[j])
        square += step * step
    return math.sqrt(square)


@kernel
def path_length(path: Floats, count: int, scale: Floats) -> float:
    """Return the length of the first `count` points of a path (k, n)."""
    total = 0.0
    for i in range(count - 1):
        total += gap(path[i], path[i + 1], scale)
    return total


@inlined
def take_out(path: Floats, first: int, last: int, count: int) -> int:
    """Take the points `first` … `last` - 1 out of a path of `count`; return how many are left."""
    for i in range(last, count):
        for j in range(path.shape[1]):
            path[i - last + first, j] = path[i, j]
    return count - last + first


@kernel
def drop_points(model: CollisionModel, path: Floats, count: int, clearance: float, room: EdgeRoom) -> int:
    """Leave out points of a path where the motion past them is free: from each point the farthest first."""
    i = 0
    while i < count - 2:
        j = count - 1
        while j > i + 1:
            if edge_state(model, path[i], path[j], clearance, room) == FREE:
                count = take_out(path, i + 1, j, count)
                break
            j -= 1
        i += 1
    return count


@inlined
def place_at(path: Floats, count: int, scale: Floats, along: float, out: Floats) -> int:
    """Write the place `along` a path to `out` (n,); return the segment that it is on."""
    for i in range(count - 1):
        size = gap(path[i], path[i + 1], scale)
        if along <= size or i == count - 2:
            share = min(max(along / size, 0.0), 1.0) if size > 0.0 else 0.0
            for j in range(out.shape[0]):
                out[j] = path[i, j] + share * (path[i + 1, j] - path[i, j])
            return i
        along -= size
    return 0


@kernel
def shortcut(
    model: CollisionModel,
    path: Floats,
    count: int,
    scale: Floats,
    clearance: float,
    seed: int,
    trials: int,
    give_up: int,
    room: EdgeRoom,
) -> int:
    """Try shortcuts between random places on a path (k, n) of `count` points; return how many points it has then.

    The search ends after `trials`, or when `give_up` in a row have not helped.
    """
    n = path.shape[1]
    a, b = np.empty(n), np.empty(n)
    state, failed = seeded(seed), 0
    for _ in range(trials):
        if count < 3 or failed >= give_up or count + 2 > path.shape[0]:
            break
        whole = path_length(path, count, scale)
        state = shuffled(state)
        low = whole * unit_fraction(state)
        state = shuffled(state)
        high = whole * unit_fraction(state)
        low, high = min(low, high), max(low, high)
        i, j = place_at(path, count, scale, low, a), place_at(path, count, scale, high, b)
        if j <= i or gap(a, b, scale) > WORTHWHILE * (high - low):
            failed += 1 if j > i else 0
            continue
        if edge_state(model, a, b, clearance, room) != FREE:
            failed += 1
            continue
        # … path[i], a, b, path[j + 1], …
        spare = j - i
        if spare == 1:  # one point makes way for two
            for row in range(count - 1, j, -1):
                for c in range(n):
                    path[row + 1, c] = path[row, c]
            count += 1
        else:
            count = take_out(path, i + 3, j + 1, count)
        for c in range(n):
            path[i + 1, c], path[i + 2, c] = a[c], b[c]
        failed = 0
    return count
