"""Kernels of searches, compiled before anybody waits for them."""

from __future__ import annotations

import numpy as np

from armlab.kernels.collision import edge, edge_room, rules
from armlab.kernels.collision.check import CollisionModel
from armlab.kernels.planning import constrained, roadmap, shorten, trees


def warm_up_planning(model: CollisionModel) -> None:
    """Compile what searches call, on a model of one joint."""
    q, scale = np.zeros((1, 1)), np.ones(1)
    room = edge_room.edge_room(model)
    edge.edges_into(model, q, q, 0.0, np.empty(1))
    one = trees.Sampling(-scale, scale, scale, np.zeros(1), 1.0, np.full(1, -1), np.zeros((1, 2)))
    trees.shift_into(0, one.shift)
    empty = np.zeros((2, 8, 1)), np.zeros((2, 8), np.int64), np.zeros((2, 8))
    grown = trees.Trees(*empty, np.zeros(2, np.int64), np.zeros(4, np.int64))
    for side in (0, 1):
        trees.plant(grown, side, q)
    trees.grow(model, grown, one, 0.0, 1, room)
    limited = room._replace(rules=np.array([[0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]]))
    constrained.grow_constrained(model, grown, one, 0.0, 1, limited)
    rules.keeps_rules(model, np.zeros((7, 1)), limited)
    rules.excess(model, q[0], 1.0, limited)
    path = np.zeros((8, 1))
    trees.path_into(grown, path)
    roadmap.free_nodes_into(model, one, 0, 1, 0.0, room, path)
    pairs, nodes = np.zeros((1, 2), np.int64), np.zeros((1, 1))
    roadmap.join_into(model, nodes, 0, scale, 1, 0.0, room, pairs)
    empty_map = roadmap.RoadmapGraph(nodes, np.full((1, 1), -1), np.zeros((1, 1)))
    roadmap.path_between(model, empty_map, q[0], q, scale, 1, 0.0, room, path)
    shorten.drop_points(model, path, 2, 0.0, room)
    shorten.shortcut(model, path, 2, scale, 0.0, 0, 1, 1, room)
