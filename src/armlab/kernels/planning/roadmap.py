"""Roadmaps: configurations of a scene that are joined by proved motions before anybody asks for a path between two."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.collision.check import CollisionModel
from armlab.kernels.collision.edge import FREE, edge_state
from armlab.kernels.collision.edge_room import EdgeRoom
from armlab.kernels.collision.gjk import Integers
from armlab.kernels.jit import inlined, kernel
from armlab.kernels.planning.shorten import gap
from armlab.kernels.planning.trees import Sampling, sample_into

JOINED = 3
"""A start, or the goals, are joined to so many nodes if that many are free, and the shortest path counts."""


class RoadmapGraph(NamedTuple):
    """Nodes, and which node comes next on the shortest path from one to another."""

    nodes: Floats
    """(m, n)"""
    before: Integers
    """(m, m) for a path from node i to node j: the last node before j; negative where there is none."""
    lengths: Floats
    """(m, m) of these paths; infinite where there is none."""


@kernel
def free_nodes_into(
    model: CollisionModel, s: Sampling, first: int, samples: int, clearance: float, room: EdgeRoom, out: Floats
) -> int:
    """Write the free ones of `samples` configurations from number `first` on to `out` (k, n); return how many."""
    count = 0
    for number in range(first, first + samples):
        if count == out.shape[0]:
            break
        sample_into(number, s, out[count])
        if edge_state(model, out[count], out[count], clearance, room) == FREE:
            count += 1
    return count


@kernel
def join_into(
    model: CollisionModel, nodes: Floats, begin: int, scale: Floats, most: int, clearance: float, room: EdgeRoom,
    pairs: Integers,
) -> int:  # fmt: skip
    """Join each node from `begin` on to the nearest others by free motions; write the `pairs` (k, 2), return k."""
    count, m = 0, nodes.shape[0]
    apart = np.empty(m)
    for i in range(begin, m):
        for j in range(m):
            apart[j] = gap(nodes[i], nodes[j], scale)
        apart[i] = math.inf
        for _ in range(most):
            j = int(np.argmin(apart))
            if apart[j] == math.inf:
                break
            apart[j] = math.inf
            if edge_state(model, nodes[i], nodes[j], clearance, room) == FREE:
                pairs[count, 0], pairs[count, 1] = i, j
                count += 1
    return count


@inlined
def join(
    model: CollisionModel, map_: RoadmapGraph, q: Floats, scale: Floats, tries: int, clearance: float, room: EdgeRoom,
    apart: Floats, out: Integers,
) -> int:  # fmt: skip
    """Write up to JOINED nodes to which the motion from `q` (n,) is free to `out`, the nearest first; return k."""
    m = map_.nodes.shape[0]
    for i in range(m):
        apart[i] = gap(q, map_.nodes[i], scale)
    count = 0
    for _ in range(min(tries, m)):
        i = int(np.argmin(apart))
        apart[i] = math.inf
        if edge_state(model, q, map_.nodes[i], clearance, room) == FREE:
            out[count] = i
            count += 1
            if count == out.shape[0]:
                break
    return count


@kernel
def path_between(
    model: CollisionModel, map_: RoadmapGraph, start: Floats, goals: Floats, scale: Floats, tries: int,
    clearance: float, room: EdgeRoom, out: Floats,
) -> int:  # fmt: skip
    """Write the shortest path over the roadmap from `start` (n,) to one of `goals` (k, n) to `out`; return its points.

    0 where the roadmap does not join them.
    """
    n, m = start.shape[0], map_.nodes.shape[0]
    apart = np.empty(m)
    ends, begins = np.empty(JOINED, np.int64), np.empty(JOINED, np.int64)
    for g in range(goals.shape[0]):
        if edge_state(model, start, goals[g], clearance, room) == FREE:
            for j in range(n):
                out[0, j], out[1, j] = start[j], goals[g, j]
            return 2
    first = join(model, map_, start, scale, tries, clearance, room, apart, begins)
    best, a, b, goal = math.inf, -1, -1, -1
    for g in range(goals.shape[0] if first > 0 else 0):
        last = join(model, map_, goals[g], scale, tries, clearance, room, apart, ends)
        for i in range(first):
            head = gap(start, map_.nodes[begins[i]], scale)
            for k in range(last):
                whole = head + map_.lengths[begins[i], ends[k]] + gap(map_.nodes[ends[k]], goals[g], scale)
                if whole < best:
                    best, a, b, goal = whole, begins[i], ends[k], g
    if best == math.inf:
        return 0
    count, node = 3, b
    while node != a:
        count += 1
        node = map_.before[a, node]
    if count > out.shape[0]:
        return 0
    node = b
    for row in range(count - 2, 0, -1):
        for j in range(n):
            out[row, j] = map_.nodes[node, j]
        node = map_.before[a, node]
    for j in range(n):
        out[0, j], out[count - 1, j] = start[j], goals[goal, j]
    return count
