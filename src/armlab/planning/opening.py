"""What would have to be smaller for a path to exist: the search again among bodies that are made smaller."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.collision import Checker
from armlab.errors import PlanningFailed
from armlab.model.scene import Body, Scene
from armlab.planning.ends import free_goals, read_question
from armlab.planning.free_path import FreePath
from armlab.planning.goals import Goal
from armlab.planning.search import SHORTCUTS, Search
from armlab.planning.smaller import smaller_shape

SMALLER = 1e-3 * 2.0 ** np.arange(8)
"""m by which each face is moved in, one after the other, until a path is found."""
HALVINGS = 4
SAMPLES = 10_000
"""Of each search."""


class Opening(NamedTuple):
    """A path that is free once some bodies are smaller; that they must be is not proved."""

    bodies: tuple[str, ...]
    """Those that are in its way as they are."""
    smaller: float
    """m by which each of their faces is moved in."""
    path: FreePath
    """Proved in the scene in which these bodies are smaller, and all others as they are."""


def find_opening(
    scene: Scene | Checker,
    start: ArrayLike,
    goal: Goal,
    *,
    robot: str | None = None,
    clearance: float = 1e-3,
    seed: int = 0,
    samples: int = SAMPLES,
) -> Opening | None:
    """Return by how much bodies must be smaller for a path to be found where `plan_free` finds none.

    None where it is not found with bodies 128 mm smaller on every side either. Start and goal must be free as they are.

    Raises:
        LimitViolation, Unreachable, PlanningFailed: as `plan_free`, if the start or every goal touches something.
    """
    checker = scene if isinstance(scene, Checker) else Checker(scene)
    question = read_question(checker, start, goal, robot)
    goals = free_goals(checker, question.start, question.goals, clearance, robot)
    work = _Attempts(checker, question.robot, clearance, seed, samples, question.start, goals)
    low, found = 0.0, None
    for by in SMALLER:
        found = work.points(by)
        if found is not None:
            high = by
            break
        low = by
    if found is None:
        return None
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        better = work.points(middle)
        if better is None:
            low = middle
        else:
            high, found = middle, better
    return work.opening(high, found)


class _Attempts:
    """One question, asked among smaller and smaller bodies."""

    def __init__(
        self, checker: Checker, robot: str, clearance: float, seed: int, samples: int, start: Floats, goals: Floats
    ) -> None:
        self._checker, self._robot, self._clearance, self._seed = checker, robot, clearance, seed
        self._samples, self._start, self._goals = samples, start, goals
        self._bodies = checker.scene.bodies
        self._fixed = set(checker.held)

    def points(self, by: float) -> Floats | None:
        """Return a path among bodies that are so much smaller, or None."""
        search = Search(self._among(by, {body.name for body in self._bodies}), self._robot, self._clearance, self._seed)
        try:
            points = search.run(self._start, self._goals, self._samples, lambda: True)
        except PlanningFailed:
            return None
        return search.shortened(points, SHORTCUTS)

    def opening(self, by: float, points: Floats) -> Opening:
        """Return which bodies are in the way of a path, and its proof with only those made smaller."""
        names = {body.name for body in self._bodies}
        in_the_way = {
            name for name in names - self._fixed if not self._is_free(self._among(by, names - {name}), points)
        }
        checker = self._among(by, in_the_way)
        search = Search(checker, self._robot, self._clearance, self._seed)
        assert self._is_free(checker, points), "what is free of each body is free of all"
        path = FreePath(checker, self._robot, points, search.certificate(), self._goals)
        return Opening(tuple(sorted(in_the_way)), float(by), path)

    def _is_free(self, checker: Checker, points: Floats) -> bool:
        free = checker.is_motion_free(points[:-1], points[1:], clearance=self._clearance, robot=self._robot)
        return bool(np.all(free))

    def _among(self, by: float, names: set[str]) -> Checker:
        smaller = [_smaller(body, by) if body.name in names - self._fixed else body for body in self._bodies]
        return self._checker.with_bodies([body for body in smaller if body is not None])


def _smaller(body: Body, by: float) -> Body | None:
    """Return a body whose faces are moved in; None where nothing is left of it."""
    shapes = [shape for one in body.shapes if (shape := smaller_shape(one, by)) is not None]
    return replace(body, shapes=tuple(shapes)) if shapes else None
