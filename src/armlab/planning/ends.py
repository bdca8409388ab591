"""Starts and goals: free, or refused with what touches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.collision import Checker, Distance
from armlab.errors import PlanningFailed
from armlab.messages import _
from armlab.planning.goals import Goal, check_inside, goals_of
from armlab.units import MM_PER_M


class FreeQuestion(NamedTuple):
    """From where an arm is to move, and where to."""

    robot: str
    start: Floats
    """(n,)"""
    goals: Floats
    """(k, n), one of which is enough."""


def read_question(checker: Checker, start: ArrayLike, goal: Goal, robot: str | None) -> FreeQuestion:
    """Return a start and goals within the limits of the arm.

    Raises:
        LimitViolation, Unreachable: if there are none.
    """
    placed = checker.scene.robot(robot)
    arm = placed.robot
    begin = as_floats(start, (arm.dof,), f"{arm.name}: start")
    check_inside(arm, begin)
    return FreeQuestion(placed.name, begin, goals_of(arm, begin, goal))


def refuse_touching(checker: Checker, q: Floats, clearance: float, robot: str | None) -> None:
    """Raise PlanningFailed if a start touches something or is nearer to it than the clearance."""
    if not checker.is_free(q, clearance=clearance, robot=robot):
        near = _nearest(checker, q, clearance, robot)
        raise PlanningFailed("start_touches", _start_problem(near), **_pair(near))


def _start_problem(near: Distance) -> str:
    if near.value <= 0.0:
        return _("start: {first} touches {second}; move the arm away first")
    return _("start: {first} is {distance:.2f} mm away from {second}, nearer than the clearance that is asked for")


def free_goals(checker: Checker, start: Floats, goals: Floats, clearance: float, robot: str | None) -> Floats:
    """Return the goals that are free, the one nearest to the start first.

    Raises:
        PlanningFailed: if none is.
    """
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
