"""Trees that grow along constraints of the tool (CBiRRT: Berenson et al. 2009): each step is brought back to them.

A step towards a sample leaves the constraints; gradient steps lead back to within a share of their tolerances. The
straight motion to there is taken only if it is proved to keep them all along, and to touch nothing.
"""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.collision.check import CollisionModel, move_frame
from armlab.kernels.collision.edge import FREE, edge_state
from armlab.kernels.collision.edge_room import EdgeRoom
from armlab.kernels.collision.rules import excess, rule_value
from armlab.kernels.jit import kernel
from armlab.kernels.planning.shorten import gap
from armlab.kernels.planning.trees import (
    FULL,
    MEETING,
    MET,
    NOT_MET,
    SAMPLED,
    Sampling,
    Trees,
    add_node,
    nearest_node,
    sample_into,
    with_followers,
)

STEP, HALVINGS = 0.2, 4
"""rad, or part of the arm's length: the longest step, and how often it is halved where it breaks a constraint."""
MOST_STEPS = 200
PROGRESS = 0.2
"""A step counts that comes nearer to where it is to go by this share of its length."""
AIM, GOOD = 0.5, 0.8
"""Configurations are brought to within the first share of the tolerances, and count within the second."""
ROUNDS = 30
LARGEST = 0.3
"""rad or m: what a round changes any joint by at most."""
DIFFERENCE = 1e-6


@kernel
def value_at(model: CollisionModel, rule: Floats, q: Floats, room: EdgeRoom) -> float:
    """Return how far off a constraint is at `q` (n,)."""
    for i in range(q.shape[0]):
        move_frame(model, i, q[i], room.room)
    return rule_value(rule, room.room.frames[int(rule[11])])


@kernel
def brought_back(model: CollisionModel, s: Sampling, room: EdgeRoom, q: Floats, slope: Floats) -> bool:
    """Move `q` (n,) until it keeps every constraint; return whether it does."""
    n = q.shape[0]
    for _ in range(ROUNDS):
        if excess(model, q, GOOD, room) <= 0.0:
            return True
        for k in range(room.rules.shape[0]):
            rule = room.rules[k]
            value = value_at(model, rule, q, room)
            over = value - AIM * rule[1]
            if over <= 0.0:
                continue
            square = 0.0
            for j in range(n):
                slope[j] = 0.0
                if s.scale[j] > 0.0:
                    kept = q[j]
                    q[j] = kept + DIFFERENCE
                    with_followers(s, q)
                    slope[j] = (value_at(model, rule, q, room) - value) / DIFFERENCE / s.scale[j]
                    q[j] = kept
                    square += slope[j] * slope[j]
            if square < 1e-12:
                return False
            # the shortest change, in the scale of the joints, that takes a linear value to its aim
            for j in range(n):
                if s.scale[j] > 0.0:
                    change = -over * slope[j] / square / s.scale[j]
                    q[j] += min(max(change, -LARGEST), LARGEST)
                    q[j] = min(max(q[j], s.lower[j]), s.upper[j])
            with_followers(s, q)
    return excess(model, q, GOOD, room) <= 0.0


@kernel
def extend(
    model: CollisionModel, trees: Trees, s: Sampling, side: int, near: int, target: Floats, clearance: float,
    room: EdgeRoom, work: Floats,
) -> int:  # fmt: skip
    """Grow a tree from its node `near` towards `target` (n,) as far as it goes; return the last node."""
    q, slope, last = work[0], work[1], near
    for _ in range(MOST_STEPS):
        here = trees.nodes[side, last]
        left = gap(here, target, s.scale)
        if left < 1e-9 or trees.sizes[side] + 1 >= trees.nodes.shape[1]:
            return last
        share, is_there = min(1.0, STEP / left), False
        for _halving in range(HALVINGS):
            for j in range(q.shape[0]):
                q[j] = here[j] + share * (target[j] - here[j])
            is_good = share >= 1.0 or brought_back(model, s, room, q, slope)
            is_nearer = gap(q, target, s.scale) < left * (1.0 - PROGRESS * share) or share >= 1.0
            if is_good and is_nearer and edge_state(model, here, q, clearance, room) == FREE:
                is_there = True
                break
            share *= 0.5
        if not is_there:
            return last
        last = add_node(trees, side, q, last)
    return last


@kernel
def grow_constrained(
    model: CollisionModel, trees: Trees, s: Sampling, clearance: float, samples: int, room: EdgeRoom
) -> int:
    """Take up to so many more samples; return whether the trees have MET, have NOT_MET yet, or are FULL."""
    n = trees.nodes.shape[2]
    sample, work = np.empty(n), np.empty((2, n))
    last = trees.progress[SAMPLED] + samples
    while trees.progress[SAMPLED] < last:
        sample_into(trees.progress[SAMPLED], s, sample)
        trees.progress[SAMPLED] += 1
        if max(trees.sizes[0], trees.sizes[1]) + 2 >= trees.nodes.shape[1]:
            return FULL
        side = 0 if trees.sizes[0] <= trees.sizes[1] else 1
        near, _distance = nearest_node(trees.nodes[side], trees.sizes[side], s.scale, sample)
        node = extend(model, trees, s, side, near, sample, clearance, room, work)
        if node == near:
            continue
        for j in range(n):
            sample[j] = trees.nodes[side, node, j]
        near, _distance = nearest_node(trees.nodes[1 - side], trees.sizes[1 - side], s.scale, sample)
        other = extend(model, trees, s, 1 - side, near, sample, clearance, room, work)
        if gap(trees.nodes[1 - side, other], sample, s.scale) < 1e-9:
            trees.progress[MEETING + side], trees.progress[MEETING + 1 - side] = node, other
            return MET
    return NOT_MET
