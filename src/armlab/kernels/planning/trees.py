"""Two trees of configurations that grow towards each other (RRT-Connect: Kuffner and LaValle 2000), every edge proved.

The smaller tree grows by one straight motion towards a sample; where that is free, the other tree grows towards its
end until it arrives or something is in between. Nodes whose motions failed are only extended towards samples near them
(dynamic domain: Yershova et al. 2005), unless too many samples in a row are refused.

Samples are Halton's sequence, moved round by the seed (Cranley and Patterson 1976): the same seed gives the same trees.
"""

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
from armlab.kernels.search.lm import seeded, shuffled, unit_fraction

PRIMES = np.array([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101])
"""Bases of Halton's sequence, one for each joint; of a scene with more joints only those of one arm move."""
DOMAIN = 2.0
"""Where a motion from a node has failed, samples count that are nearer to it than this many times `reach`."""
REFUSALS = 100
"""After so many refused samples in a row the next one is taken."""
NOT_MET, MET, FULL = 0, 1, 2


class Trees(NamedTuple):
    """Both trees, from the start and from the goals, and how far the search has come."""

    nodes: Floats
    """(2, capacity, n)"""
    parents: Integers
    """(2, capacity); -1 for a start or a goal."""
    domain: Floats
    """(2, capacity): how near a sample must be to a node; infinite where no motion from it failed."""
    sizes: Integers
    """(2,)"""
    progress: Integers
    """Samples taken, refusals in a row, and the two nodes that met: of the first and the second tree."""


SAMPLED, REFUSED, MEETING = 0, 1, 2


class Sampling(NamedTuple):
    """What the trees grow through, and how far at once."""

    lower: Floats
    """(n,)"""
    upper: Floats
    scale: Floats
    """(n,) what a unit of each joint counts in distances."""
    shift: Floats
    """(n,) 0 … 1, by the seed."""
    reach: float
    """The longest motion that is tried at once."""
    leader: Integers
    """(n,) the joint that each follows; -1 for those that have values of their own."""
    law: Floats
    """(n, 2) multiplier and offset of those that follow."""


@kernel
def shift_into(seed: int, out: Floats) -> None:
    """Write the numbers (n,) between 0 and 1 by which a seed moves the samples."""
    state = seeded(seed)
    for i in range(out.shape[0]):
        state = shuffled(state)
        out[i] = unit_fraction(state)


@inlined
def radical_inverse(i: int, base: int) -> float:
    """Return the digits of `i` to a base, mirrored at the point: van der Corput's sequence."""
    part, value = 1.0 / base, 0.0
    while i > 0:
        value += part * (i % base)
        i //= base
        part /= base
    return value


@inlined
def with_followers(s: Sampling, q: Floats) -> None:
    """Put joints that follow others at q = multiplier · q_leader + offset; straight motions keep such a law."""
    for j in range(q.shape[0]):
        if s.leader[j] >= 0:
            q[j] = s.law[j, 0] * q[s.leader[j]] + s.law[j, 1]


@inlined
def sample_into(number: int, s: Sampling, out: Floats) -> None:
    """Write sample `number` to `out` (n,)."""
    for j in range(out.shape[0]):
        u = radical_inverse(number + 1, PRIMES[j % PRIMES.shape[0]]) + s.shift[j]
        u -= math.floor(u)
        out[j] = s.lower[j] + u * (s.upper[j] - s.lower[j])
    with_followers(s, out)


@kernel
def nearest_node(nodes: Floats, size: int, scale: Floats, q: Floats) -> tuple[int, float]:
    """Return which of `nodes` (size, n) is nearest to `q` (n,), and its distance."""
    best, at = math.inf, 0
    for i in range(size):
        square = 0.0
        for j in range(q.shape[0]):
            step = scale[j] * (nodes[i, j] - q[j])
            square += step * step
        if square < best:
            best, at = square, i
    return at, math.sqrt(best)


@inlined
def add_node(trees: Trees, side: int, q: Floats, parent: int) -> int:
    """Add a node; return its number."""
    node: int = trees.sizes[side]
    for j in range(q.shape[0]):
        trees.nodes[side, node, j] = q[j]
    trees.parents[side, node], trees.domain[side, node] = parent, math.inf
    trees.sizes[side] = node + 1
    return node


@kernel
def plant(trees: Trees, side: int, q: Floats) -> None:
    """Put the roots `q` (k, n) of a tree down."""
    for row in range(q.shape[0]):
        add_node(trees, side, q[row], -1)


@kernel
def connect(
    model: CollisionModel,
    trees: Trees,
    s: Sampling,
    side: int,
    target: Floats,
    clearance: float,
    room: EdgeRoom,
    q: Floats,
) -> int:
    """Grow a tree from its node nearest to `target` (n,) until it is there; return that node, or -1."""
    near, distance = nearest_node(trees.nodes[side], trees.sizes[side], s.scale, target)
    count = max(math.ceil(distance / s.reach), 1)
    last = near
    for step in range(1, count + 1):
        for j in range(q.shape[0]):
            begin = trees.nodes[side, near, j]
            q[j] = target[j] if step == count else begin + (target[j] - begin) * (step / count)
        if edge_state(model, trees.nodes[side, last], q, clearance, room) != FREE:
            return -1
        last = add_node(trees, side, q, last)
    return last


@kernel
def grow(model: CollisionModel, trees: Trees, s: Sampling, clearance: float, samples: int, room: EdgeRoom) -> int:
    """Take up to so many more samples; return whether the trees have MET, have NOT_MET yet, or are FULL."""
    n, capacity = trees.nodes.shape[2], trees.nodes.shape[1]
    sample, q = np.empty(n), np.empty(n)
    last = trees.progress[SAMPLED] + samples
    while trees.progress[SAMPLED] < last:
        sample_into(trees.progress[SAMPLED], s, sample)
        trees.progress[SAMPLED] += 1
        side = 0 if trees.sizes[0] <= trees.sizes[1] else 1
        near, distance = nearest_node(trees.nodes[side], trees.sizes[side], s.scale, sample)
        is_refused = distance > trees.domain[side, near] and trees.progress[REFUSED] < REFUSALS
        trees.progress[REFUSED] = trees.progress[REFUSED] + 1 if is_refused else 0
        if is_refused or distance < 1e-9:
            continue
        share = min(1.0, s.reach / distance)
        for j in range(n):
            begin = trees.nodes[side, near, j]
            q[j] = begin + share * (sample[j] - begin)
        if edge_state(model, trees.nodes[side, near], q, clearance, room) != FREE:
            trees.domain[side, near] = DOMAIN * s.reach
            continue
        trees.domain[side, near] = math.inf
        room_needed = 4 + math.ceil(_diagonal(s) / s.reach)
        if max(trees.sizes[0], trees.sizes[1]) + room_needed > capacity:
            return FULL
        node = add_node(trees, side, q, near)
        for j in range(n):
            sample[j] = q[j]
        other = connect(model, trees, s, 1 - side, sample, clearance, room, q)
        if other >= 0:
            trees.progress[MEETING + side], trees.progress[MEETING + 1 - side] = node, other
            return MET
    return NOT_MET


@inlined
def _diagonal(s: Sampling) -> float:
    square = 0.0
    for j in range(s.lower.shape[0]):
        width = s.scale[j] * (s.upper[j] - s.lower[j])
        square += width * width
    return math.sqrt(square)


@kernel
def path_into(trees: Trees, out: Floats) -> int:
    """Write the path from the start to a goal through the nodes that met to `out` (k, n); return its points, or -1."""
    count, node = 0, trees.progress[MEETING]
    while node >= 0:
        count += 1
        node = trees.parents[0, node]
    if count > out.shape[0]:
        return -1
    node, row = trees.progress[MEETING], count - 1
    while node >= 0:
        for j in range(out.shape[1]):
            out[row, j] = trees.nodes[0, node, j]
        node = trees.parents[0, node]
        row -= 1
    # both nodes that met have the same configuration: it is written once
    node = trees.parents[1, trees.progress[MEETING + 1]]
    while node >= 0:
        if count >= out.shape[0]:
            return -1
        for j in range(out.shape[1]):
            out[count, j] = trees.nodes[1, node, j]
        node = trees.parents[1, node]
        count += 1
    return count
