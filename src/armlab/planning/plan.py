"""A motion of one arm round everything in its scene, every straight part of it proved free."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from numpy.typing import ArrayLike

from armlab.collision import Checker
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.model.scene import Scene
from armlab.planning.constraints import Constraint
from armlab.planning.enclosure import found_or_reason
from armlab.planning.ends import free_goals, read_question, refuse_touching
from armlab.planning.free_path import FreePath
from armlab.planning.goals import Goal
from armlab.planning.search import SAMPLES, SHORTCUTS, Search, goals_that_keep

CLEARANCE = 1e-3
"""m that the arm keeps from everything unless another clearance is asked for."""


def plan_free(
    scene: Scene | Checker,
    start: ArrayLike,
    goal: Goal,
    *,
    robot: str | None = None,
    clearance: float = CLEARANCE,
    constraints: Sequence[Constraint] = (),
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
        goal: joint values (n,), several of which one is enough (k, n), a PoseGoal, or several.
        robot: the arm that moves, where the scene has several.
        clearance: m that are kept from bodies and other arms.
        constraints: what is kept all along: Upright, OnPlane, OnLine, JointRange.
        seed: of the search.
        samples: how many random configurations the search may take.
        shortcuts: how many shortcuts are tried on what it finds.
        goes_on: asked now and then; the search ends where it returns False.

    Raises:
        LimitViolation: if joint values are outside the limits.
        Unreachable: if nothing reaches the pose.
        PlanningFailed: if the start or every goal touches something, or nothing was found; the sentence says which.
    """
    if seed < 0 or samples < 1 or shortcuts < 0:
        raise InvalidInput("search_bounds", _("seed and shortcuts must be ≥ 0, samples ≥ 1"))
    checker = scene if isinstance(scene, Checker) else Checker(scene)
    question = read_question(checker, start, goal, robot)
    refuse_touching(checker, question.start, clearance, robot)
    search = Search(checker, robot, clearance, seed, constraints)
    goals = free_goals(checker, question.start, goals_that_keep(search, question), clearance, robot)
    points = found_or_reason(search, checker, question.start, goals, samples, shortcuts, goes_on)
    return FreePath(checker, question.robot, points, search.certificate(), goals, tuple(constraints))
