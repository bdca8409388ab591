"""The search that looks once more where nothing has a solution: "no solution" is a claim, and must hold.

A closed form can miss solutions where the arm is singular: then a joint is free, the formula gives it one value, and
another joint may have to leave its limits for that. It also counts with rounding only where a target is beyond the
stretched arm, beside its plane or past a limit, while an answer may be off by TOLERANCE. Searches from the start and
from random places come first; then searches from what the closed form proposed, moved into the limits, also where it
refused because of such a little. `all_ik` and `attempt_ik` both end here, so that one of them does not find what the
other denies.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.kinematics.numeric import NumericAnswer, NumericAnswers, search_batch, search_one
from armlab.kinematics.solvers import ArmSolver
from armlab.kinematics.task import TASKS, Task
from armlab.model.robot import Robot

TURN = 2.0 * math.pi
POSE = TASKS["pose"]
LAST_SEARCHES = 40
SINGULAR_SEARCHES = 400
"""Where a joint is free, and hardly any of its values keeps the others inside their limits."""
EDGE = 1e-2
"""m and rad: a refused proposal that comes nearer than this to its target, moved into the limits, is worth a search."""
AS_THE_GATE = 1.0
"""m that weigh as much as one radian where the gate decides: it allows as many metres as radians."""
SINGULAR = 1e-6
"""The smallest singular value of the Jacobian (m or rad) below which a joint counts as free."""


def second_opinions(robot: Robot, solver: ArmSolver, T: Floats, starts: Floats) -> NumericAnswers:
    """Return joints for whole poses (m, 4, 4) that no formula reached; the first searches begin at `starts` (m, n)."""
    answers = search_batch(robot, T, starts, POSE, searches=solver.searches(POSE))
    _search_from(robot, T, np.flatnonzero(~answers.converged), robot.home[None], answers)
    (rest,) = np.nonzero(~answers.converged)
    if solver.family is None or not len(rest):
        return answers
    q, valid = solver.proposals(T[rest])
    row, branch = np.nonzero(valid > 0.5)
    _search_from(robot, T, rest[row], _into_limits(robot, q[row, branch]), answers)
    _search_from(robot, T, *_refused(robot, solver, T, rest), answers, length=AS_THE_GATE)
    # only limits are in the way, if anything is
    _search_again(robot, T, starts, np.unique(rest[row]).tolist(), LAST_SEARCHES, answers)
    is_left = ~answers.converged[rest[row]]
    smallest = np.linalg.svd(robot.jacobian(q[row, branch][is_left]), compute_uv=False)[:, -1]
    free = np.unique(rest[row][is_left][smallest < SINGULAR]).tolist()
    _search_again(robot, T, starts, free, SINGULAR_SEARCHES, answers)
    return answers


def _search_from(
    robot: Robot,
    T: Floats,
    targets: NDArray[np.int64],
    starts: Floats,
    answers: NumericAnswers,
    length: float | None = None,
) -> None:
    """Search once for each of `targets` (k,) from the rows of `starts` (k, n), or one for all; put in what is found."""
    if not len(targets):
        return
    begin = np.repeat(starts, len(targets) // len(starts), axis=0)
    more = search_batch(robot, T[targets], begin, POSE, searches=1, length=length)
    for k in np.flatnonzero(more.converged)[::-1]:  # the first that converged is written last, and stays
        _copy_answer(more, int(k), answers, int(targets[k]))


def _refused(robot: Robot, solver: ArmSolver, T: Floats, rest: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats]:
    """Return proposals for the targets `rest` that come near to them inside the limits, whatever the formula says."""
    assert solver.family is not None
    q, _valid = solver.family.loosened().solve(T[rest], robot.dof)
    row, branch = np.nonzero(np.isfinite(q).all(axis=2))
    moved = _into_limits(robot, q[row, branch])
    away = np.abs(robot.fk(moved) - T[rest[row]]).max(axis=(1, 2))
    return rest[row[away < EDGE]], moved[away < EDGE]


def _search_again(
    robot: Robot, T: Floats, starts: Floats, targets: list[int], searches: int, answers: NumericAnswers
) -> None:
    """Search for those of `targets` that have no answer yet, and put in what is found."""
    left = [i for i in targets if not answers.converged[i]]
    if left:
        more = search_batch(robot, T[left], starts[left], POSE, searches=searches)
        for k in np.flatnonzero(more.converged):
            _copy_answer(more, int(k), answers, left[k])


def _copy_answer(source: NumericAnswers, i: int, out: NumericAnswers, j: int) -> None:
    for field, value in zip(out, source, strict=True):
        field[j] = value[i]


def look_for(robot: Robot, solver: ArmSolver, T: Floats, start: Floats, task: Task) -> NumericAnswer:
    """Return joints for one target (4, 4) that no formula reached; one search where it is farther than the arm."""
    if task.has_position and solver.is_too_far(T):
        return search_one(robot, T, start, task, searches=1)
    answer = search_one(robot, T, start, task, searches=solver.searches(task))
    if answer.converged or solver.family is None or not task.is_whole_pose:
        return answer
    row = [field[0] for field in second_opinions(robot, solver, T[None], start[None])]
    return NumericAnswer(row[0], bool(row[1]), float(row[2]), float(row[3]), int(row[4]), int(row[5]))


def _into_limits(robot: Robot, q: Floats) -> Floats:
    """Return rows of joint values with turning joints shifted by whole turns towards their middle, then clamped."""
    middle = 0.5 * (robot.lower + robot.upper)
    turns = np.round((middle - q) / TURN) * robot.chain.revolute
    return np.ascontiguousarray(np.clip(q + TURN * turns, robot.lower, robot.upper))
