"""Members of the continuum of solutions that a target leaves to an arm with more joints than conditions.

As many joints are free as the task has conditions too few; the last ones that the others can do without are chosen.
They are held at some values, and for each the other joints are searched numerically. One free joint is looked at in
SAMPLES evenly spaced values from limit to limit, within one turn; of several, SAMPLES_OF_MANY combinations are spread
over their ranges (Roberts 2018: multiples of irrational numbers, which leave no large gaps in any dimension).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.kinematics.answers import SEARCHED, FreeJoint, IkSolution
from armlab.kinematics.numeric import SAME, NumericAnswers, distinct, length_of, search_batch
from armlab.kinematics.scaled import DEPENDENT, scaled_task
from armlab.kinematics.solvers import solver_of
from armlab.kinematics.task import Task
from armlab.model.coupling import repeating
from armlab.model.robot import Robot

SAMPLES = 25
SAMPLES_OF_MANY = 64
STARTS = 12
"""Searches per value of the free joints: enough for both elbows in nearly all cases."""
CHECKED = 16
TURN = 2.0 * math.pi


def free_joints(robot: Robot, task: Task) -> tuple[int, ...]:
    """Return the joints, in ascending order, that are free when the others meet the task; none where all are needed."""
    scaled = scaled_task(robot, task, length_of(robot))
    q = robot.lower + (robot.upper - robot.lower) * np.random.default_rng(0).random((CHECKED, robot.dof))
    J = scaled.jacobian(q)
    kept = list(range(robot.dof))
    for i in reversed(range(robot.dof)):
        without = [j for j in kept if j != i]
        if len(kept) > scaled.rank and _rank(J[:, :, without]) == scaled.rank:
            kept = without
    return tuple(i for i in range(robot.dof) if i not in kept)


def sampled_self_motion(robot: Robot, T: Floats, task: Task, free: tuple[int, ...]) -> list[IkSolution]:
    """Return members of the continuum of solutions for one pose, with the answer of a search from home among them."""
    rng = np.random.default_rng(0)
    values = sample_values(robot, free)
    targets = np.repeat(T[None], STARTS, axis=0)
    members: list[_Member] = []
    for number in range(len(values)):
        lower, upper = robot.lower.copy(), robot.upper.copy()
        lower[list(free)] = upper[list(free)] = values[number]
        starts = lower + (upper - lower) * rng.random((STARTS, robot.dof))
        answers = distinct(search_batch(robot, targets, starts, task, searches=2, limits=(lower, upper)))
        members += [_member(robot, answers, i, number) for i in range(len(answers.q))]
    home = search_batch(robot, T[None], robot.home[None], task)
    if home.converged[0] and not any(np.abs(member.q - home.q[0]).max() < SAME for member in members):
        nearest = int(np.abs(values - home.q[0, list(free)]).sum(axis=1).argmin())
        members.append(_member(robot, home, 0, nearest))
    return [
        IkSolution(m.q, m.branch, m.position_error, m.rotation_error, _place(robot, free, values, members, m))
        for m in members
    ]


class _Member(NamedTuple):
    q: Floats
    branch: str
    position_error: float
    rotation_error: float
    number: int
    """Of the sample that it belongs to."""


def _member(robot: Robot, answers: NumericAnswers, i: int, number: int) -> _Member:
    q = answers.q[i]
    branch = solver_of(robot).branch_of(q) or SEARCHED
    return _Member(q, branch, float(answers.position_error[i]), float(answers.rotation_error[i]), number)


def _place(
    robot: Robot, free: tuple[int, ...], values: Floats, members: list[_Member], member: _Member
) -> tuple[FreeJoint, ...]:
    """Return the free joints of a member: one alone goes on through all neighbouring samples of the same branch."""
    lower, upper = _ranges(robot, free)
    steps = (upper - lower) / (len(values) ** (1.0 / len(free)) - 1.0)
    if len(free) == 1:
        numbers = {other.number for other in members if other.branch == member.branch}
        first = last = member.number
        while first - 1 in numbers:
            first -= 1
        while last + 1 in numbers:
            last += 1
        own = member.q[list(free)]
        lower, upper = np.minimum(values[first], own), np.maximum(values[last], own)
    return tuple(
        FreeJoint(robot.joints[i].name, float(member.q[i]), float(lower[k]), float(upper[k]), float(steps[k]))
        for k, i in enumerate(free)
    )


def sample_values(robot: Robot, free: tuple[int, ...]) -> Floats:
    """Return the values (m, r) at which the free joints are held."""
    lower, upper = _ranges(robot, free)
    if len(free) == 1:
        return np.linspace(lower, upper, SAMPLES)
    root = _generalised_golden_ratio(len(free))
    steps = (1.0 / root) ** np.arange(1, len(free) + 1)
    parts = (0.5 + np.outer(np.arange(SAMPLES_OF_MANY), steps)) % 1.0
    return np.asarray(lower + (upper - lower) * parts)


def _ranges(robot: Robot, free: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return the limits of the free joints; a range of more than a turn is cut to the turn around its middle."""
    chosen = list(free)
    lower, upper = robot.lower[chosen], robot.upper[chosen]
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    turns = repeating(robot.joints, robot.followers)[chosen]
    half = np.where(turns, np.minimum(half, 0.5 * TURN), half)
    return np.maximum(middle - half, lower), np.minimum(middle + half, upper)


def _generalised_golden_ratio(r: int) -> float:
    """Return the root > 1 of x^(r + 1) = x + 1."""
    x = 1.5
    for _ in range(60):
        x = (1.0 + x) ** (1.0 / (r + 1))
    return x


def _rank(J: Floats) -> int:
    return int(np.linalg.matrix_rank(J, tol=DEPENDENT).max())
