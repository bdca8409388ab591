"""Inverse kinematics: joints that put the tool where it is wanted, or the reason why there are none.

Where the arm's geometry has a closed form, that answers, with the solution nearest to the start; everything else, and
every task that asks for less than a whole pose, is searched numerically. Whatever proposes an answer, the same gate
stands behind it: nothing is called converged that is not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import FLOAT64, Floats
from armlab.errors import InvalidInput, Unreachable
from armlab.kernels.closed_form.answers import HOME, first_into, first_of_each_into
from armlab.kernels.gate import TOLERANCE, is_inside
from armlab.kernels.jit import DirectCall
from armlab.kinematics.answers import IkResult
from armlab.kinematics.numeric import search_batch, search_one
from armlab.kinematics.second_opinion import look_for, second_opinions
from armlab.kinematics.solvers import ArmSolver, solver_of
from armlab.kinematics.targets import as_start, as_starts, as_targets
from armlab.kinematics.task import TASKS, Task, TaskLike, as_task, task_for
from armlab.kinematics.why import reason_for
from armlab.messages import Message, _
from armlab.model.robot import Robot
from armlab.threads import map_slices
from armlab.units import MM_PER_M

FOUND = Message("reached", _("the target is reached"))
POSE = TASKS["pose"]
TRACKING_SEARCHES = 4
_first_into = DirectCall(first_into)
NOT_FOUND = Message("not_found", _("no answer was found; why_not tells more"))


def solve_ik(
    robot: Robot, T_world_tool: ArrayLike, *, start: ArrayLike | None = None, task: TaskLike | None = None
) -> Floats:
    """Return joints (n,) or (m, n) that put the tool at `T_world_tool` (4, 4) or (m, 4, 4), near to `start`.

    Raises:
        Unreachable: if there are none; the message gives the reason.
    """
    result = attempt_ik(robot, T_world_tool, start=start, task=task)
    if result.converged is True:
        return result.q
    if np.ndim(result.converged) == 0:
        if not result.converged:
            raise _unreachable(robot, np.asarray(T_world_tool, dtype=np.float64), result.q, result.reason)
    elif not result.converged.all():
        i = int(np.argmin(result.converged))
        T = np.asarray(T_world_tool, dtype=np.float64)[i]
        reason = reason_for(robot, T, task_for(robot, task))
        raise _unreachable(robot, T, result.q[i], reason).within(Message("", _("target {number}"), number=i))
    return result.q


def attempt_ik(
    robot: Robot, T_world_tool: ArrayLike, *, start: ArrayLike | None = None, task: TaskLike | None = None
) -> IkResult:
    """Look for joints that put the tool at `T_world_tool`, one (4, 4) or a batch (m, 4, 4).

    Of several answers the one nearest to `start` is taken, by default nearest to home. `task` says what must
    be met: the whole "pose", "position", "approach" (position and the tool's z axis), "planar", "planar-pose", "scara",
    or a mask of the rows x, y, z, rx, ry, rz; by default what `default_task` finds for the arm.

    Raises:
        InvalidInput: if the target is no pose, or shapes do not fit.
        LimitViolation: if `start` is outside the limits.
    """
    solver = solver_of(robot)
    wanted = solver.task if task is None else as_task(task)
    if (
        solver.closed is not None
        and (wanted is POSE or wanted.is_whole_pose)
        and (quick := _at_once(robot, solver, T_world_tool, start)) is not None
    ):
        return quick
    targets, single = as_targets(T_world_tool)
    if single:
        return _attempt_one(robot, solver, targets, as_start(robot, solver.limits, start), wanted)
    return _attempt_many(robot, solver, targets, as_starts(robot, start, len(targets)), wanted)


def track_ik(
    robot: Robot,
    T_world_tool: ArrayLike,
    *,
    start: ArrayLike | None = None,
    task: TaskLike | None = None,
    searches: int = TRACKING_SEARCHES,
) -> IkResult:
    """Do `attempt_ik` for one target that moves, such as a tool that is dragged: with little work, near to `start`.

    At most `searches` numeric searches are made, and the reason of a failure is not looked for: `why_not` tells it.
    """
    targets, single = as_targets(T_world_tool)
    if not single:
        raise InvalidInput(
            "track_one_pose", _("target: track_ik takes one pose (4, 4), got {count}"), count=len(targets)
        )
    solver, wanted = solver_of(robot), task_for(robot, task)
    begin = as_start(robot, solver.limits, start)
    if solver.closed is not None and wanted.is_whole_pose:
        quick = _at_once(robot, solver, targets[0], begin)
        if quick is not None:
            return quick
    answer = search_one(robot, targets[0], begin, wanted, searches=searches)
    converged = answer.converged and is_inside(answer.q, *solver.limits)
    return IkResult(
        answer.q,
        converged,
        answer.position_error,
        answer.rotation_error,
        answer.iterations,
        answer.restarts,
        FOUND if converged else NOT_FOUND,
    )


def _at_once(robot: Robot, solver: ArmSolver, T: ArrayLike, start: ArrayLike | None) -> IkResult | None:
    """Return the closed form's answer to one target that needs no conversion, or None where it has none."""
    begin = solver.rows[HOME] if start is None else start
    if not (type(T) is np.ndarray and T.shape == (4, 4) and T.dtype is FLOAT64 and robot.is_plain_row(begin)):
        return None
    assert solver.closed is not None
    if not begin.flags.carray:
        begin = begin.copy()  # robot.home is read-only
    if not T.flags.carray:
        T = T.copy()
    out = np.empty(begin.size + 2)
    if _first_into.call(*solver.closed, T, begin, solver.branches, TOLERANCE, out) < 0:
        return None
    return IkResult(out[:-2], True, out.item(-2), out.item(-1), 0, 0, FOUND)


def _attempt_one(robot: Robot, solver: ArmSolver, targets: Floats, start: Floats, task: Task) -> IkResult:
    if solver.closed is not None and task.is_whole_pose:
        quick = _at_once(robot, solver, targets[0], start)
        if quick is not None:
            return quick
    answer = look_for(robot, solver, targets[0], start, task)
    converged = answer.converged and is_inside(answer.q, *solver.limits)
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
    if solver.closed is not None and task.is_whole_pose:
        _closed_form(solver, targets, starts, found)
    if not found.converged.all():
        _search(robot, solver, task, targets, starts, found)
    reasons = [FOUND] * len(targets)
    for i in np.flatnonzero(~found.converged).tolist():
        reasons[i] = NOT_FOUND
    return IkResult(
        found.q, found.converged, found.errors[:, 0], found.errors[:, 1], found.iterations, found.restarts, reasons
    )


class _Found:
    """Answers as they come in, one row per target."""

    def __init__(self, m: int, n: int) -> None:
        self.q = np.empty((m, n))
        self.converged = np.zeros(m, dtype=np.bool_)
        self.errors = np.full((m, 2), np.inf)
        self.iterations = np.zeros(m, dtype=np.int64)
        self.restarts = np.zeros(m, dtype=np.int64)


def _closed_form(solver: ArmSolver, targets: Floats, starts: Floats, found: _Found) -> None:
    closed = solver.closed
    assert closed is not None

    def work(i: slice) -> None:
        first_of_each_into(
            *closed, targets[i], starts[i], solver.branches, TOLERANCE, found.q[i], found.errors[i], found.converged[i]
        )

    map_slices(work, len(targets))


def _search(robot: Robot, solver: ArmSolver, task: Task, targets: Floats, starts: Floats, found: _Found) -> None:
    open_ones = np.flatnonzero(~found.converged)
    T, begin = targets[open_ones], starts[open_ones]
    if task.is_whole_pose:
        answer = second_opinions(robot, solver, T, begin)
    else:
        answer = search_batch(robot, T, begin, task, searches=solver.searches(task))
    found.q[open_ones] = answer.q
    found.errors[open_ones, 0], found.errors[open_ones, 1] = answer.position_error, answer.rotation_error
    found.iterations[open_ones], found.restarts[open_ones] = answer.iterations, answer.restarts
    inside = ((answer.q >= robot.lower) & (answer.q <= robot.upper)).all(axis=1)
    found.converged[open_ones] = inside & answer.converged


def _unreachable(robot: Robot, T: Floats, closest: Floats, reason: Message) -> Unreachable:
    x, y, z = (T[:3, 3] * MM_PER_M).tolist()
    return Unreachable(
        "unreachable",
        _("{robot} cannot reach ({x:.1f}, {y:.1f}, {z:.1f}) mm: {reason}"),
        robot=robot.name,
        x=x,
        y=y,
        z=z,
        reason=reason,
        why=reason.code,
        closest_q=closest.tolist(),
    )
