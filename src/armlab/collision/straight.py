"""Straight motions of one arm of a scene: the arrays that are searched and proved, and the rows between them."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.collision.check import CollisionModel
from armlab.kernels.collision.edge import FREE, edge_state
from armlab.kernels.collision.edge_room import EdgeRoom, edge_room


class StraightMotions:
    """Workspace for straight motions of one arm; the others stand where they are in `row`.

    It remembers what touched last, so that it is of one search and of one thread.
    """

    def __init__(self, model: CollisionModel, start: Floats, first: int, last: int) -> None:
        self.model: CollisionModel = model
        self.room: EdgeRoom = edge_room(model)
        self._start, self._own = start, slice(first, last)

    def row(self, q: Floats) -> Floats:
        """Return the values of all joints of the scene for those of the arm, (n,)."""
        return self.widened(q, self._start)

    def widened(self, values: Floats, others: Floats | float) -> Floats:
        """Return values of the arm's joints among those of all joints."""
        row = np.empty(len(self._start))
        row[:] = others
        row[self._own] = values
        return row

    def own(self, row: Floats) -> Floats:
        """Return the arm's part of a row."""
        return row[self._own].copy()

    def is_free(self, a: Floats, b: Floats, clearance: float) -> bool:
        """Return whether the motion between two rows is proved free."""
        return bool(edge_state(self.model, a, b, clearance, self.room) == FREE)
