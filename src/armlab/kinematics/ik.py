"""Inverse kinematics: joints that put the tool where it is wanted, or the reason why there are none.

Where the arm's geometry has a closed form, that answers, with the solution nearest to the start; everything else, and
every task that asks for less than a whole pose, is searched numerically. Whatever proposes an answer, the same gate
stands behind it: nothing is called converged that is not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.errors import Unreachable
from armlab.kernels.gate import is_inside, nearest_batch_into, nearest_into
from armlab.kinematics.answers import IkResult
from armlab.kinematics.numeric import SEARCHES, search_batch, search_one
from armlab.kinematics.solvers import ArmSolver, solver_of
from armlab.kinematics.targets import as_start, as_starts, as_targets
from armlab.kinematics.task import Task, TaskLike, as_task
from armlab.kinematics.why import reason_for
from armlab.model.robot import Robot

TOLERANCE = 1e-6
"""What `converged` promises, in m and rad; closed forms reach 1e-10 and searches 1e-9."""

FOUND = "the target is reached"
SECOND_OPINIONS = 8


def solve_ik(
    robot: Robot, T_world_tool: ArrayLike, *, start: ArrayLike | None = None, task: TaskLike = "pose"
) -> Floats:
    """Return joints (n,) or (m, n) that put the tool at `T_world_tool` (4, 4) or (m, 4, 4), near to `start`.

    Raises:
        Unreachable: if there are none; the message gives the reason.
    """
    result = attempt_ik(robot, T_world_tool, start=start, task=task)
    if np.ndim(result.converged) == 0:
        if not result.converged:
            raise _unreachable(robot, np.asarray(T_world_tool, dtype=np.float64), result.q, result.reason)
    elif not result.converged.all():
        i = int(np.argmin(result.converged))
        T = np.asarray(T_world_tool, dtype=np.float64)[i]
        reason = reason_for(robot, T, as_task(task))
        raise _unreachable(robot, T, result.q[i], reason, which=f"target {i}: ")
    return result.q


def attempt_ik(
    robot: Robot, T_world_tool: ArrayLike, *, start: ArrayLike | None = None, task: TaskLike = "pose"
) -> IkResult:
    """Look for joints that put the tool at `T_world_tool`, one (4, 4) or a batch (m, 4, 4).

    Of several answers the one nearest to `start` is taken, by default nearest to the home pose. `task` says what must
    be met: the whole "pose", "position", "approach" (position and the tool's z axis), "planar", "planar-pose", "scara",
    or a mask of the rows x, y, z, rx, ry, rz.

    Raises:
        InvalidInput: if the target is no pose, or shapes do not fit.
        LimitViolation: if `start` is outside the limits.
    """
    targets, single = as_targets(T_world_tool)
    solver, wanted = solver_of(robot), as_task(task)
    if single:
        return _attempt_one(robot, solver, targets, as_start(robot, solver.chain[2:], start), wanted)
    return _attempt_many(robot, solver, targets, as_starts(robot, start, len(targets)), wanted)


def _attempt_one(robot: Robot, solver: ArmSolver, targets: Floats, start: Floats, task: Task) -> IkResult:
    if solver.family is not None and task.is_whole_pose:
        q, valid = solver.proposals(targets)
        found, errors = np.empty(robot.dof), np.empty(2)
        chain, T = solver.chain, targets[0]
        if nearest_into(*chain, solver.weights, T, q[0], valid[0], start, TOLERANCE, found, errors) >= 0:
            return IkResult(found, True, float(errors[0]), float(errors[1]), 0, 0, FOUND)
    searches = 1 if task.has_position and solver.is_too_far(targets[0]) else _searches(solver, task)
    answer = search_one(robot, targets[0], start, task, searches=searches)
    converged = (
        is_inside(answer.q, *solver.chain[2:])
        and answer.position_error <= TOLERANCE
        and answer.rotation_error <= TOLERANCE
    )
    reason = FOUND if converged else reason_for(robot, targets[0], task)
    return IkResult(
        answer.q,
        converged,
        answer.position_error,
        answer.rotation_error,
        answer.iterations,
        answer.restarts,
        reason,
    )


def _attempt_many(robot: Robot, solver: ArmSolver, targets: Floats, starts: Floats, task: Task) -> IkResult:
    found = _Found(len(targets), robot.dof)
    if solver.family is not None and task.is_whole_pose:
        _closed_form(solver, targets, starts, found)
    if not found.converged.all():
        _search(robot, solver, task, targets, starts, found)
    reasons = [FOUND if ok else "no answer was found; why_not tells more" for ok in found.converged]
    return IkResult(
        found.q, found.converged, found.errors[:, 0], found.errors[:, 1], found.iterations, found.restarts, reasons
    )


def _searches(solver: ArmSolver, task: Task) -> int:
    """How often a search may start anew: seldom where a closed form has already said that there is nothing."""
    return SECOND_OPINIONS if solver.family is not None and task.is_whole_pose else SEARCHES


class _Found:
    """Answers as they come in, one row per target."""

    def __init__(self, m: int, n: int) -> None:
        self.q = np.empty((m, n))
        self.converged = np.zeros(m, dtype=np.bool_)
        self.errors = np.full((m, 2), np.inf)
        self.iterations = np.zeros(m, dtype=np.int64)
        self.restarts = np.zeros(m, dtype=np.int64)


def _closed_form(solver: ArmSolver, targets: Floats, starts: Floats, found: _Found) -> None:
    q, valid = solver.proposals(targets)
    nearest_batch_into(
        *solver.chain, solver.weights, targets, q, valid, starts, TOLERANCE, found.q, found.errors, found.converged
    )


def _search(robot: Robot, solver: ArmSolver, task: Task, targets: Floats, starts: Floats, found: _Found) -> None:
    open_ones = np.flatnonzero(~found.converged)
    searches = _searches(solver, task)
    answer = search_batch(robot, targets[open_ones], starts[open_ones], task, searches=searches)
    found.q[open_ones] = answer.q
    found.errors[open_ones, 0], found.errors[open_ones, 1] = answer.position_error, answer.rotation_error
    found.iterations[open_ones], found.restarts[open_ones] = answer.iterations, answer.restarts
    inside = ((answer.q >= robot.lower) & (answer.q <= robot.upper)).all(axis=1)
    found.converged[open_ones] = inside & (found.errors[open_ones] <= TOLERANCE).all(axis=1)


def _unreachable(robot: Robot, T: Floats, closest: Floats, reason: str, which: str = "") -> Unreachable:
    x, y, z = T[:3, 3] * 1e3
    return Unreachable(
        f"{which}{robot.name} cannot reach ({x:.1f}, {y:.1f}, {z:.1f}) mm: {reason}", closest_q=closest.tolist()
    )
