"""Starts and goals: free, or refused with what touches, how deep, and what would help."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.collision import Checker, Distance
from armlab.errors import PlanningFailed
from armlab.kinematics.all_ik import branch_of
from armlab.messages import Message, _, term
from armlab.model.joint_limits import check_joint_limits
from armlab.model.robot import Robot
from armlab.planning.goals import Goal, goals_of
from armlab.units import MM_PER_M, joint_scale, joint_unit

BRANCHES = 8
"""Of so many goals that are not free, each is told with its reason."""
MOVES = 60
"""Steps of one joint, up to 30° or 300 mm either way, that are tried to get a start free."""


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
    check_joint_limits(arm, begin, "start")
    return FreeQuestion(placed.name, begin, goals_of(arm, begin, goal))


def refuse_touching(checker: Checker, q: Floats, clearance: float, robot: str | None) -> None:
    """Raise PlanningFailed if a start touches something or is nearer to it than the clearance, with a way out."""
    if checker.is_free(q, clearance=clearance, robot=robot):
        return
    near = _nearest(checker, q, clearance, robot)
    text = _(
        "start: {first} is {distance:.2f} mm away from {second}, nearer than the clearance that is asked for; {remedy}"
    )
    if near.value <= 0.0:
        text = _("start: {first} is {depth:.1f} mm deep in {second}; {remedy}")
    raise PlanningFailed("start_touches", text, **_pair(near), **_remedy(checker, q, clearance, robot))


def _remedy(checker: Checker, q: Floats, clearance: float, robot: str | None) -> dict[str, Any]:
    """Return the smallest motion of one joint that leads to where the arm is free."""
    arm = checker.scene.robot(robot).robot
    scales = np.array([joint_scale(joint.kind) for joint in arm.joints])
    steps = np.arange(1, MOVES + 1)
    sizes = 0.5 * np.array([1.0 if joint.kind == "revolute" else 10.0 for joint in arm.joints])
    by: Floats = np.outer(
        np.ravel(np.column_stack([steps, -steps])), sizes * scales
    )  # (2 MOVES, n), the smallest first
    tried = q + by[:, :, None] * np.eye(arm.dof)
    inside = np.all((tried >= arm.lower) & (tried <= arm.upper), axis=2)
    rows = np.where(inside[:, :, None], tried, q).reshape(-1, arm.dof)
    free = np.flatnonzero(np.asarray(checker.is_free(rows, clearance=clearance, robot=robot)))
    if not len(free):
        return {"remedy": term(_("move the arm away first"))}
    step, i = divmod(int(free[0]), arm.dof)
    joint, value = arm.joints[i], float(by[step, i])
    text = (
        _("turn joint '{joint}' by {by:.1f}{unit} first")
        if joint.kind == "revolute"
        else _("move joint '{joint}' by {by:.1f}{unit} first")
    )
    remedy = term(text, joint=joint.name, by=value / scales[i], unit=joint_unit(joint.kind))
    return {"remedy": remedy, "joint": joint.name, "by": value}


def free_goals(checker: Checker, start: Floats, goals: Floats, clearance: float, robot: str | None) -> Floats:
    """Return the goals that are free, the one nearest to the start first.

    Raises:
        PlanningFailed: if none is.
    """
    free = np.asarray(checker.is_free(goals, clearance=clearance, robot=robot))
    if free.any():
        order = np.argsort(np.linalg.norm(goals[free] - start, axis=1), kind="stable")
        return np.ascontiguousarray(goals[free][order])
    near = [_nearest(checker, q, clearance, robot) for q in goals[:BRANCHES]]
    if len(goals) == 1:
        text = _("goal: {first} is {distance:.2f} mm away from {second}, nearer than the clearance that is asked for")
        if near[0].value <= 0.0:
            text = _("goal: {first} is {depth:.1f} mm deep in {second}")
        raise PlanningFailed("goal_touches", text, **_pair(near[0]))
    arm = checker.scene.robot(robot).robot
    branches = [_branch(arm, i, q, one) for i, (q, one) in enumerate(zip(goals, near, strict=False))]
    raise PlanningFailed(
        "goals_touch",
        _("goal: none of {count} configurations is free: {branches}"),
        count=len(goals),
        branches=branches,
        pairs=[[one.first, one.second] for one in near],
        **_pair(max(near, key=lambda one: one.value)),
    )


def _branch(arm: Robot, number: int, q: Floats, near: Distance) -> Message:
    """Return what is wrong with one of several goals."""
    facts = {"branch": branch_of(arm, q) or str(number + 1), **_pair(near)}
    if near.value <= 0.0:
        return term(_("{branch}: {first} is {depth:.1f} mm deep in {second}"), **facts)
    return term(_("{branch}: {first} is {distance:.2f} mm away from {second}"), **facts)


def _nearest(checker: Checker, q: Floats, clearance: float, robot: str | None) -> Distance:
    """Return the pair that makes a configuration not free: the deepest, or the nearest."""
    contacts = checker.contacts(q, robot=robot)
    if not contacts:
        return checker.distances(q, within=clearance, robot=robot)[0]
    depths = [checker.depth(q, one.first, one.second, robot=robot) for one in contacts]
    deepest = int(np.argmax(depths))
    one = contacts[deepest]
    return Distance(-depths[deepest], one.first, one.second, one.p_first, one.p_second)


def _pair(near: Distance) -> dict[str, Any]:
    distance = near.value * MM_PER_M
    return {"first": near.first, "second": near.second, "distance": distance, "depth": max(-distance, 0.0)}
