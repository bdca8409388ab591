"""Straight motions of one arm of a scene: the arrays that are searched and proved, and the rows between them."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.collision.check import CollisionModel
from armlab.kernels.collision.edge import FREE, edge_state
from armlab.kernels.collision.edge_room import EdgeRoom, edge_room
from armlab.kernels.collision.rules import excess, keeps_rules
from armlab.model.coupling import chain_values
from armlab.model.robot import Robot


class StraightMotions:
    """Workspace for straight motions of one arm; the others stand where they are in `row`.

    It remembers what touched last, so that it is of one search and of one thread.
    """

    def __init__(self, model: CollisionModel, start: Floats, first: int, last: int, robot: Robot) -> None:
        self.model: CollisionModel = model
        self.room: EdgeRoom = edge_room(model)
        self.robot = robot
        self._start, self._chain = start, slice(first, last)
        own = range(last - first) if robot.coupling is None else robot.coupling.own
        self._own = first + np.array(own, np.int64)
        self.leader = np.full(len(start), -1, np.int64)
        """(n,) the column that each joint follows; -1 for those that follow none."""
        self.law: Floats = np.zeros((len(start), 2))
        """(n, 2) multiplier and offset of those that do."""
        for follower in robot.followers:
            self.leader[first + follower.place] = self._own[follower.leader]
            self.law[first + follower.place] = follower.multiplier, follower.offset

    def row(self, q: Floats) -> Floats:
        """Return the values of all joints of the scene for those of the arm, (n,)."""
        row = self._start.copy()
        row[self._chain] = chain_values(self.robot.coupling, q)
        return row

    def widened(self, values: Floats, others: Floats | float) -> Floats:
        """Return values of the arm's own joints among those of all joints."""
        row = np.empty(len(self._start))
        row[:] = others
        row[self._own] = values
        return row

    def own(self, row: Floats) -> Floats:
        """Return the arm's own part of a row."""
        return row[self._own].copy()

    def constrain(self, rules: Floats) -> None:
        """Let motions be free only where they keep these constraints (k, 12) all along; see kernels.collision.rules."""
        self.room = self.room._replace(rules=rules)

    def keep(self, q: Floats) -> bool:
        """Return whether the arm keeps the constraints at `q` (n,)."""
        return bool(excess(self.model, self.row(q), 1.0, self.room) <= 0.0)

    def curve_keeps(self, coefficients: Floats) -> bool:
        """Return whether a piece of a motion of the arm, (terms, n) over 0 … 1, is proved to keep the constraints."""
        if not len(self.room.rules):
            return True
        whole = np.zeros((len(coefficients), len(self._start)))
        whole[0] = self.row(coefficients[0])
        coupling = self.robot.coupling
        whole[1:, self._chain] = coefficients[1:] if coupling is None else coupling.expand_rates(coefficients[1:])
        return bool(keeps_rules(self.model, whole, self.room))

    def is_free(self, a: Floats, b: Floats, clearance: float) -> bool:
        """Return whether the motion between two rows is proved free."""
        return bool(edge_state(self.model, a, b, clearance, self.room) == FREE)
