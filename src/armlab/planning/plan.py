"""A motion of one arm round everything in its scene, every straight part of it proved free."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.collision import Checker, Distance
from armlab.errors import InvalidInput, PlanningFailed
from armlab.kernels.planning import shorten, trees
from armlab.messages import _
from armlab.model.coupling import not_for_coupled
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.planning.free_path import Certificate, FreePath
from armlab.planning.goals import PoseGoal, check_inside, goals_of
from armlab.units import MM_PER_M

CLEARANCE = 1e-3
"""m that the arm keeps from everything unless another clearance is asked for."""
REACH = 1.0
"""rad, or part of the arm's length: the longest motion that is tried at once."""
CAPACITY = 20_000
"""Nodes of each tree at most."""
SAMPLES, SLICE = 200_000, 2_000
"""Samples that are taken at most, and between two looks at whether to go on."""
SHORTCUTS, GIVE_UP = 100, 10
"""Shortcuts that are tried, and how many in a row may fail."""
MOST_POINTS = 2_000
ROOM = math.pi
"""rad: how far joints may go beyond the start and the goals, where the limits let them."""


def plan_free(
    scene: Scene | Checker,
    start: ArrayLike,
    goal: ArrayLike | PoseGoal,
    *,
    robot: str | None = None,
    clearance: float = CLEARANCE,
    seed: int = 0,
    samples: int = SAMPLES,
    shortcuts: int = SHORTCUTS,
    goes_on: Callable[[], bool] = lambda: True,
) -> FreePath:
    """Return a path from `start` (n,) to a goal that touches nothing and keeps the clearance, with its proof.

    The same scene, start, goal and seed give the same path. Whoever asks many times in one scene hands over its
    Checker instead.

    Args:
        scene: the arms and what is round them; arms that do not move stand at their `q`.
        start: joint values of the arm that moves.
        goal: joint values (n,), several of which one is enough (k, n), or a PoseGoal.
        robot: the arm that moves, where the scene has several.
        clearance: m that are kept from bodies and other arms.
        seed: of the search.
        samples: how many random configurations the search may take.
        shortcuts: how many shortcuts are tried on what it finds.
        goes_on: asked now and then; the search ends where it returns False.

    Raises:
        LimitViolation: if joint values are outside the limits.
        Unreachable: if nothing reaches the pose.
        PlanningFailed: if the start or every goal touches something, or nothing was found; the sentence says which.
    """
    checker = scene if isinstance(scene, Checker) else Checker(scene)
    arm = checker.scene.robot(robot).robot
    if arm.coupling is not None:
        raise not_for_coupled()
    begin = as_floats(start, (arm.dof,), f"{arm.name}: start")
    check_inside(arm, begin)
    if seed < 0 or samples < 1 or shortcuts < 0:
        raise InvalidInput("search_bounds", _("seed and shortcuts must be ≥ 0, samples ≥ 1"))
    _refuse_touching(checker, begin, clearance, robot)
    goals = _free_goals(checker, begin, goals_of(arm, begin, goal), clearance, robot)
    search = _Search(checker, arm, robot, clearance, seed)
    points = search.run(begin, goals, samples, goes_on)
    points = search.shortened(points, shortcuts)
    return FreePath(checker, checker.scene.robot(robot).name, points, search.certificate())


def _refuse_touching(checker: Checker, q: Floats, clearance: float, robot: str | None) -> None:
    if not checker.is_free(q, clearance=clearance, robot=robot):
        near = _nearest(checker, q, clearance, robot)
        raise PlanningFailed("start_touches", _start_problem(near), **_pair(near))


def _start_problem(near: Distance) -> str:
    if near.value <= 0.0:
        return _("start: {first} touches {second}; move the arm away first")
    return _("start: {first} is {distance:.2f} mm away from {second}, nearer than the clearance that is asked for")


def _free_goals(checker: Checker, start: Floats, goals: Floats, clearance: float, robot: str | None) -> Floats:
    free = np.asarray(checker.is_free(goals, clearance=clearance, robot=robot))
    if free.any():
        order = np.argsort(np.linalg.norm(goals[free] - start, axis=1), kind="stable")
        return np.ascontiguousarray(goals[free][order])
    near = [_nearest(checker, q, clearance, robot) for q in goals[:8]]
    best = max(near, key=lambda one: one.value)
    if len(goals) == 1:
        template = _(
            "goal: {first} is {distance:.2f} mm away from {second}, nearer than the clearance that is asked for"
        )
        if best.value <= 0.0:
            template = _("goal: {first} touches {second}")
        raise PlanningFailed("goal_touches", template, **_pair(best))
    raise PlanningFailed(
        "goals_touch",
        _("goal: none of {count} configurations is free; in the best of them {first} and {second} come too near"),
        count=len(goals),
        **_pair(best),
    )


def _nearest(checker: Checker, q: Floats, clearance: float, robot: str | None) -> Distance:
    """Return the pair that makes a configuration not free."""
    near = checker.distances(q, within=clearance, robot=robot)
    contacts = checker.contacts(q, robot=robot)
    if contacts:
        one = contacts[0]
        return Distance(one.distance, one.first, one.second, one.p_first, one.p_second)
    return near[0]


def _pair(near: Distance) -> dict[str, str | float]:
    return {"first": near.first, "second": near.second, "distance": near.value * MM_PER_M}


class _Search:
    """One search: the trees, and what they have cost."""

    def __init__(self, checker: Checker, arm: Robot, robot: str | None, clearance: float, seed: int) -> None:
        self._motions = checker.motions(robot)
        self._checker, self._arm, self._clearance, self._seed = checker, arm, clearance, seed
        turning = arm.chain.revolute > 0.5
        self._scale = self._motions.widened(np.where(turning, 1.0, 1.0 / max(arm.chain.length, 1e-3)), 0.0)
        self._samples = 0

    def run(self, start: Floats, goals: Floats, samples: int, goes_on: Callable[[], bool]) -> Floats:
        motions = self._motions
        begin, ends = motions.row(start), np.array([motions.row(goal) for goal in goals])
        for end in ends:
            if motions.is_free(begin, end, self._clearance):
                return np.array([start, motions.own(end)])
        n = len(begin)
        sampling = trees.Sampling(*self._box(begin, ends), self._scale, np.empty(n), REACH)
        trees.shift_into(self._seed, sampling.shift)
        capacity = CAPACITY + len(ends)
        grown = trees.Trees(
            np.empty((2, capacity, n)), np.empty((2, capacity), np.int64), np.empty((2, capacity)),
            np.zeros(2, np.int64), np.zeros(4, np.int64),
        )  # fmt: skip
        trees.plant(grown, 0, begin[None])
        trees.plant(grown, 1, ends)
        state = trees.NOT_MET
        while state == trees.NOT_MET and self._samples < samples:
            if not goes_on():
                raise PlanningFailed(
                    "cancelled", _("planning was cancelled after {samples} samples"), samples=self._samples
                )
            count = min(SLICE, samples - self._samples)
            state = trees.grow(motions.model, grown, sampling, self._clearance, count, motions.room)
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
        """Return between which values each joint is looked for; joints of other arms stay where they are."""
        lower, upper = self._motions.model.lower, self._motions.model.upper
        low, high = np.minimum(begin, ends.min(axis=0)), np.maximum(begin, ends.max(axis=0))
        turning = self._motions.model.revolute > 0.5
        moves = self._scale > 0.0
        wide = np.where(turning, ROOM, np.inf)
        return (
            np.where(moves, np.maximum(lower, low - wide), begin),
            np.where(moves, np.minimum(upper, high + wide), begin),
        )

    def shortened(self, points: Floats, shortcuts: int) -> Floats:
        motions = self._motions
        if len(points) < 3:
            return points
        path = np.empty((MOST_POINTS, len(self._scale)))
        path[: len(points)] = [motions.row(q) for q in points]
        work = motions.model, path
        count = shorten.drop_points(*work, len(points), self._clearance, motions.room)
        count = shorten.shortcut(
            *work, count, self._scale, self._clearance, self._seed, shortcuts, GIVE_UP, motions.room
        )
        count = shorten.drop_points(*work, count, self._clearance, motions.room)
        return np.array([motions.own(row) for row in path[:count]])

    def certificate(self) -> Certificate:
        motions, _samples, distances = (int(n) for n in self._motions.room.counts)
        return Certificate(self._clearance, self._seed, self._samples, motions, distances, self._checker.left_out)
