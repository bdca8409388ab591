"""Two trees that grow towards each other, and shortcuts on what they find; every motion is proved."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from armlab.arrays import Floats
from armlab.collision import Checker
from armlab.collision.straight import StraightMotions
from armlab.errors import PlanningFailed
from armlab.kernels.collision.edge_room import MOTIONS
from armlab.kernels.gate import LIMIT_SLACK
from armlab.kernels.planning import constrained, shorten, trees
from armlab.messages import _
from armlab.planning.certificate import Certificate
from armlab.planning.constraints import Constraint, bounds_of
from armlab.planning.ends import FreeQuestion

REACH = 1.0
"""rad, or part of the arm's length: the longest motion that is tried at once."""
CAPACITY = 20_000
"""Nodes of each tree at most."""
SLICE = 2_000
"""Samples between two looks at whether to go on."""
SAMPLES = 200_000
"""Samples that are taken at most."""
SHORTCUTS, GIVE_UP = 100, 10
"""Shortcuts that are tried, and how many in a row may fail."""
MOST_POINTS = 2_000
ROOM = math.pi
"""rad: how far joints may go beyond the start and the goals, where the limits let them."""


class Search:
    """Workspace for searches of one arm, and what they have cost."""

    def __init__(
        self,
        checker: Checker,
        robot: str | None,
        clearance: float,
        seed: int,
        constraints: Sequence[Constraint] = (),
    ) -> None:
        self.motions: StraightMotions = checker.motions(robot)
        self._checker, self._clearance, self.seed, self.robot = checker, clearance, seed, robot
        arm = self.motions.robot
        turning = arm.chain.revolute > 0.5
        self.scale: Floats = self.motions.widened(np.where(turning, 1.0, 1.0 / max(arm.chain.length, 1e-3)), 0.0)
        self.bounds = bounds_of(checker, robot, constraints)
        self.motions.constrain(self.bounds.rules)
        self._samples = 0

    def begin(self) -> None:
        """Forget what was counted, and what touched last."""
        self._samples = 0
        self.motions.room.counts[:] = 0
        self.motions.room.lately[:] = -1

    @property
    def motion_count(self) -> int:
        """How many straight motions were looked at."""
        return int(self.motions.room.counts[MOTIONS])

    def sampling(self, lower: Floats, upper: Floats) -> trees.Sampling:
        """Return the samples of the seed between joint values of all joints; those of other arms stay in place."""
        motions, arm, moves = self.motions, self.motions.robot, self.scale > 0.0
        still = motions.row(np.zeros(arm.dof))
        low, high = motions.widened(self.bounds.lower, -np.inf), motions.widened(self.bounds.upper, np.inf)
        s = trees.Sampling(
            np.where(moves, np.maximum(lower, low), still), np.where(moves, np.minimum(upper, high), still),
            self.scale, np.empty(len(moves)), REACH, motions.leader, motions.law,
        )  # fmt: skip
        trees.shift_into(self.seed, s.shift)
        return s

    def run(self, start: Floats, goals: Floats, samples: int, goes_on: Callable[[], bool]) -> Floats:
        """Return a path (m, n) from `start` to one of `goals` (k, n), straight where that is free.

        Raises:
            PlanningFailed: if none is found in so many samples, or `goes_on` returned False.
        """
        motions = self.motions
        begin, ends = motions.row(start), np.array([motions.row(goal) for goal in goals])
        for end in ends:
            if motions.is_free(begin, end, self._clearance):
                return np.array([start, motions.own(end)])
        n, self._samples = len(begin), 0
        sampling = self.sampling(*self._box(begin, ends))
        capacity = CAPACITY + len(ends)
        grown = trees.Trees(
            np.empty((2, capacity, n)), np.empty((2, capacity), np.int64), np.empty((2, capacity)),
            np.zeros(2, np.int64), np.zeros(4, np.int64),
        )  # fmt: skip
        trees.plant(grown, 0, begin[None])
        trees.plant(grown, 1, ends)
        grow = constrained.grow_constrained if len(self.bounds.rules) else trees.grow
        state = trees.NOT_MET
        while state == trees.NOT_MET and self._samples < samples:
            if not goes_on():
                raise PlanningFailed(
                    "cancelled", _("planning was cancelled after {samples} samples"), samples=self._samples
                )
            count = min(SLICE, samples - self._samples)
            state = grow(motions.model, grown, sampling, self._clearance, count, motions.room)
            self._samples = int(grown.progress[trees.SAMPLED])
        if state != trees.MET:
            raise PlanningFailed(
                "no_path_found",
                _("no free path found in {samples} samples; that is no proof that there is none"),
                samples=self._samples,
            )
        path = np.empty((MOST_POINTS, n))
        count = trees.path_into(grown, path)
        assert count > 0, "a path of more points than that is longer than both trees are deep"
        return np.array([motions.own(row) for row in path[:count]])

    def _box(self, begin: Floats, ends: Floats) -> tuple[Floats, Floats]:
        """Return between which values each joint is looked for."""
        model = self.motions.model
        low, high = np.minimum(begin, ends.min(axis=0)), np.maximum(begin, ends.max(axis=0))
        wide = np.where(model.revolute > 0.5, ROOM, np.inf)
        return np.maximum(model.lower, low - wide), np.minimum(model.upper, high + wide)

    def shortened(self, points: Floats, shortcuts: int, give_up: int = GIVE_UP) -> Floats:
        """Return the path without points that can be left out, and with shortcuts."""
        motions = self.motions
        if len(points) < 3:
            return points
        path, count = self._path(points)
        work = motions.model, path
        count = shorten.drop_points(*work, count, self._clearance, motions.room)
        count = shorten.shortcut(*work, count, self.scale, self._clearance, self.seed, shortcuts, give_up, motions.room)
        return self.without_detours(path, count)

    def without_detours(self, path: Floats, count: int) -> Floats:
        """Return the arm's part of the first `count` rows of a path, without those that can be left out."""
        count = shorten.drop_points(self.motions.model, path, count, self._clearance, self.motions.room)
        return np.array([self.motions.own(row) for row in path[:count]])

    def _path(self, points: Floats) -> tuple[Floats, int]:
        path = np.empty((MOST_POINTS, len(self.scale)))
        path[: len(points)] = [self.motions.row(q) for q in points]
        return path, len(points)

    def certificate(self) -> Certificate:
        """Return what is proved, and what it has cost since the beginning."""
        motions, _samples, distances = (int(n) for n in self.motions.room.counts)
        return Certificate(self._clearance, self.seed, self._samples, motions, distances, self._checker.left_out)


def goals_that_keep(search: Search, question: FreeQuestion) -> Floats:
    """Return the goals that keep the constraints.

    Raises:
        PlanningFailed: if the start does not keep them, or no goal does.
    """
    if not _keeps(search, question.start):
        raise PlanningFailed("start_breaks_constraint", _("start: it breaks a constraint of the path"))
    kept = [q for q in question.goals if _keeps(search, q)]
    if not kept:
        raise PlanningFailed(
            "goal_breaks_constraint", _("goal: it breaks a constraint of the path in every configuration")
        )
    return np.array(kept)


def _keeps(search: Search, q: Floats) -> bool:
    bounds = search.bounds
    inside = (q >= bounds.lower - LIMIT_SLACK) & (q <= bounds.upper + LIMIT_SLACK)
    return bool(inside.all()) and search.motions.keep(q)
