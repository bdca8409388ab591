"""Every solution of inverse kinematics, each with the name of its branch.

| arm | how | complete? |
|---|---|---|
| planar, SCARA, 5R like the Braccio, 6R with a spherical wrist, 6R with three parallel axes | closed form | yes |
| 6R whose axes 2 and 3 are parallel and whose axes 4 and 5 meet (xArm6) | search over one joint | up to its sampling |
| 7R with a spherical shoulder whose axes 5 and 6 meet (Panda, iiwa) | closed form per joint 7 | up to its sampling |
| any other | many numeric searches | no: what was found |

Listed is one solution per branch, or, with `turns`, also every copy by whole turns and every member of a continuum that
was found. At a singularity a branch can have a continuum of solutions; one member of it is returned. "No solution" is a
claim, too: before it is made, the numeric search that `attempt_ik` would use has its say, so that whatever `attempt_ik`
reaches from home has a solution here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armlab.arrays import FLOAT64, Floats, as_floats
from armlab.errors import InvalidInput
from armlab.kernels.chain import KIND
from armlab.kernels.closed_form.answers import (
    REFUSED,
    ROWS,
    TOO_MANY,
    checked_into,
    every,
    listed,
)
from armlab.kernels.gate import NEARLY, TOLERANCE, errors_into, gate_batch_into
from armlab.kernels.jit import DirectCall
from armlab.kinematics.answers import SEARCHED, FreeJoint, IkSolution, IkSolutions
from armlab.kinematics.general_six import solve_general_six
from armlab.kinematics.numeric import NumericAnswers, distinct, search_batch
from armlab.kinematics.second_opinion import second_opinions
from armlab.kinematics.self_motion import free_joints, sampled_self_motion
from armlab.kinematics.seven import redundant_intervals
from armlab.kinematics.solvers import ArmSolver, solver_of
from armlab.kinematics.targets import as_targets
from armlab.kinematics.task import TASKS, Task, TaskLike, task_for
from armlab.kinematics.turns import every_turn, nearest_first, one_per_branch, too_many_turns
from armlab.messages import _
from armlab.model.joint_limits import outside_limits
from armlab.model.robot import Robot
from armlab.threads import MINIMUM, map_slices

RESIDUAL = 1e-9
"""What solutions meet, m and rad; away from singularities closed forms leave 1e-12. Where a proposal is off by more,
but less than what `converged` promises, it is polished by a search."""

SAME = 1e-6
"""Two solutions nearer than this in every joint are one."""
STARTS = 256
SEVEN_SAMPLES = 16
POSE = TASKS["pose"]
_BOOL = np.dtype(np.bool_)
_checked_into = DirectCall(
    checked_into, 0, np.zeros(1), np.zeros((2, KIND + 1)), np.zeros((ROWS, 1)), np.zeros((1, 4, 4)), RESIDUAL,
    np.empty((1, 1, 1)), np.empty((1, 1)), np.empty((1, 1), np.bool_),
)  # fmt: skip


def all_ik(robot: Robot, T_world_tool: ArrayLike, *, task: TaskLike | None = None, turns: bool = False) -> IkSolutions:
    """Return every solution inside the limits that puts the tool at `T_world_tool` (4, 4), nearest to home first.

    Of solutions that differ by whole turns of joints, the one is listed whose joints are nearest to home; where the
    target leaves joints free, one member of each branch's continuum, the nearest to home. With `turns`, every whole
    turn that the limits allow is listed, and every member of a continuum that was looked at: `free` of each says how
    they were chosen. A `task` (by default the arm's `default_task`) that asks for less than the whole pose is answered
    by many searches.

    Raises:
        InvalidInput: if the target is not a pose, or with `turns`, if the limits allow very many copies.
    """
    solver = solver_of(robot)
    wanted = solver.task if task is None else task_for(robot, task)
    if solver.closed is not None and wanted.is_whole_pose:
        return _by_closed_form(robot, solver, T_world_tool, turns)
    targets, single = as_targets(T_world_tool)
    if not single:
        raise _one_pose_only(len(targets))
    if not wanted.is_whole_pose or robot.coupling is not None:
        return _listed(robot, solver, _all_of_task(robot, solver, targets[0], wanted), turns)
    if solver.seven is not None:
        return _listed(robot, solver, _seven(robot, solver, targets[0]), turns)
    return _from_proposals(robot, solver, targets[0], *_proposals(robot, solver, targets[0]), turns)


def all_ik_batch(
    robot: Robot, T_world_tool: ArrayLike, *, task: TaskLike | None = None
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return q (m, k, n) and valid (m, k), true where q is a solution inside the limits, for targets (m, 4, 4).

    The middle axis is the branch, in the order of `branch_names(robot)`, where the whole pose is asked for and the arm
    has a closed form. Each angle is shifted by whole turns into the limits, once: further copies are up to the caller.
    A redundant arm has its branches at several values of its last joint: evenly spaced ones, and one that a search
    finds. A `task` of less than the whole pose lists what searches find. Where a solution is not valid, its q means
    nothing.
    """
    solver = solver_of(robot)
    wanted = solver.task if task is None else task_for(robot, task)
    is_whole_pose = wanted is POSE or wanted.is_whole_pose
    if solver.closed is not None and is_whole_pose and _is_stack(T_world_tool):
        q, flags, valid, unclear = _by_closed_form_batch(solver, T_world_tool)
        if unclear == 0:
            return q, valid
    targets, _single = as_targets(T_world_tool)
    if not is_whole_pose or robot.coupling is not None:
        return _ragged([[s.q for s in _all_of_task(robot, solver, T, wanted)] for T in targets], robot.dof)
    q, flags, valid, unclear = branches_batch(robot, solver, targets)
    if unclear:
        _clear_up(robot, solver, targets, q, flags, valid)
    return q, valid


def _is_stack(T: ArrayLike) -> TypeGuard[Floats]:
    """Whether targets are floats with three axes; the kernel looks at the rest."""
    return type(T) is np.ndarray and T.ndim == 3 and T.dtype is FLOAT64


def _by_closed_form_batch(solver: ArmSolver, targets: Floats) -> tuple[Floats, Floats, NDArray[np.bool_], int]:
    """Return q (m, k, n), the gate's flags (m, k), valid (m, k) and how many targets are unclear; negative: refused."""
    closed, m, k = solver.closed, len(targets), solver.branches
    assert closed is not None
    q, flags, valid = np.empty((m, k, solver.dof)), np.empty((m, k)), np.empty((m, k), _BOOL)
    if m < MINIMUM:
        return q, flags, valid, _checked_into.call(*closed, targets, RESIDUAL, q, flags, valid)

    def work(part: slice) -> int:
        return _checked_into.call(*closed, targets[part], RESIDUAL, q[part], flags[part], valid[part])  # type: ignore[no-any-return]

    counts = map_slices(work, m)
    return q, flags, valid, min(counts) if min(counts) < 0 else sum(counts)


def branches_batch(robot: Robot, solver: ArmSolver, targets: Floats) -> tuple[Floats, Floats, NDArray[np.bool_], bool]:
    """Return q, the gate's flags, valid and whether a search may know more, for exact targets (m, 4, 4)."""
    if solver.closed is not None:
        q, flags, valid, unclear = _by_closed_form_batch(solver, targets)
        return q, flags, valid, unclear > 0
    if solver.seven is not None:
        q, flags = _seven_batch(robot, solver, targets)
    else:
        rows = [_proposals(robot, solver, T)[0] for T in targets]
        q, exists = _ragged(rows, robot.dof)
        flags = exists.astype(np.float64)
    gate_batch_into(*solver.chain, targets, q, flags, RESIDUAL)
    valid = flags > NEARLY
    return q, flags, valid, not valid.any(axis=1).all() or bool((flags == NEARLY).any())


def branch_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of the arm's branches, in the order of `all_ik_batch`; empty where the arm has no named ones."""
    return solver_of(robot).branch_names


def branch_of(robot: Robot, q: ArrayLike) -> str:
    """Return the name of the branch that `q` (n,) is on, or an empty text where the arm has no named branches."""
    return solver_of(robot).branch_of(as_floats(q, (robot.dof,), f"{robot.name}: q"))


def _by_closed_form(robot: Robot, solver: ArmSolver, target: ArrayLike, turns: bool) -> IkSolutions:
    assert solver.closed is not None
    assert solver.family is not None
    T: Floats = target  # type: ignore[assignment]
    count, is_loose = REFUSED, False
    if type(T) is np.ndarray and T.shape == (4, 4) and T.dtype is FLOAT64 and T.flags.carray:
        count, is_loose, q, errors, branch = every(*solver.closed, T, solver.branches, TOLERANCE, RESIDUAL, turns)
    if count == REFUSED:
        targets, single = as_targets(target)
        if not single:
            raise _one_pose_only(len(targets))
        T = targets[0]
        count, is_loose, q, errors, branch = every(*solver.closed, T, solver.branches, TOLERANCE, RESIDUAL, turns)
    if count == TOO_MANY:
        raise too_many_turns(robot)
    if count == 0:
        return _second_opinion(robot, solver, T, turns)
    solutions = IkSolutions(q, solver.family.branch_names, branch, errors)
    return _polished(robot, solver, T, solutions) if is_loose else solutions


def _from_proposals(
    robot: Robot, solver: ArmSolver, T: Floats, rows: Floats, names: Sequence[str], turns: bool
) -> IkSolutions:
    """Return the proposals (k, n) that pass the gate; `names` are their branches."""
    constants = solver.chain[0]
    count, is_loose, q, errors, branch = listed(
        constants, solver.rows, T, rows, np.ones(len(rows)), TOLERANCE, RESIDUAL, turns
    )
    if count == TOO_MANY:
        raise too_many_turns(robot)
    if count == 0:
        return _second_opinion(robot, solver, T, turns)
    solutions = IkSolutions(q, names, branch, errors)
    return _polished(robot, solver, T, solutions) if is_loose else solutions


def _second_opinion(robot: Robot, solver: ArmSolver, T: Floats, turns: bool) -> IkSolutions:
    """Return what the search of `attempt_ik` finds from home where nothing else found a solution."""
    answer = second_opinions(robot, solver, T[None], robot.home[None])
    if not answer.converged[0]:
        return IkSolutions.of((), robot.dof)
    name = solver.branch_of(answer.q[0]) or SEARCHED
    constants = solver.chain[0]
    count, _loose, q, errors, branch = listed(
        constants, solver.rows, T, answer.q, np.ones(1), TOLERANCE, RESIDUAL, turns
    )
    if count == TOO_MANY:
        raise too_many_turns(robot)
    return IkSolutions(q, (name,), branch, errors)


def _polished(robot: Robot, solver: ArmSolver, T: Floats, solutions: IkSolutions) -> IkSolutions:
    """Bring solutions that are off by more than RESIDUAL nearer to the target, where a search can; each once."""
    kept: list[IkSolution] = []
    for solution in solutions:
        better = solution
        if max(solution.position_error, solution.rotation_error) > RESIDUAL:
            answer = search_batch(robot, T[None], solution.q[None], POSE, searches=1)
            position, rotation = pose_errors(solver, T, answer.q[0])
            if max(position, rotation) < max(solution.position_error, solution.rotation_error):
                better = IkSolution(answer.q[0], solution.branch, position, rotation)
        if not any(np.abs(better.q - other.q).max() < SAME for other in kept):
            kept.append(better)
    return IkSolutions.of(kept, robot.dof)


def _clear_up(robot: Robot, solver: ArmSolver, T: Floats, q: Floats, flags: Floats, valid: NDArray[np.bool_]) -> None:
    """Polish proposals that nearly passed the gate, and let a search look for targets that have no solution at all."""
    target, branch = np.nonzero(flags == NEARLY)
    if len(target):
        answer = search_batch(robot, T[target], q[target, branch], POSE, searches=1)
        q[target[answer.converged], branch[answer.converged]] = answer.q[answer.converged]
        valid[target, branch] = True  # as it was, it is within what `converged` promises
    (none,) = np.nonzero(~valid.any(axis=1))
    if len(none) and q.shape[1]:
        starts = np.repeat(robot.home[None], len(none), axis=0)
        answer = second_opinions(robot, solver, T[none], starts)
        for i in np.flatnonzero(answer.converged):
            place = solver.branch_number(answer.q[i])
            q[none[i], place], valid[none[i], place] = answer.q[i], True


def pose_errors(solver: ArmSolver, T: Floats, q: Floats) -> tuple[float, float]:
    """Return how far the tool at `q` is from `T`: m and rad."""
    out = np.empty(2)
    constants, _, _, _ = solver.chain
    errors_into(constants, T, q, np.empty((4, 4)), out)
    return float(out[0]), float(out[1])


def _proposals(robot: Robot, solver: ArmSolver, T: Floats) -> tuple[Floats, list[str]]:
    """Return what a sweep or many searches find for an arm without a closed form, and the names of the branches."""
    if solver.six is not None:
        rows, branches = solve_general_six(robot, solver.six, T)
        return rows, [solver.six.branch_names[int(b)] for b in branches]
    rows = _searched(robot, T, POSE).q
    return rows, [SEARCHED] * len(rows)


def _all_of_task(robot: Robot, solver: ArmSolver, T: Floats, task: Task) -> list[IkSolution]:
    """Return what searches find for a task, or members of the continuum where it leaves joints free."""
    free = free_joints(robot, task)
    if free:
        return nearest_first(robot, solver.weights, sampled_self_motion(robot, T, task, free))
    found = _searched(robot, T, task)
    solutions = [
        IkSolution(q, solver.branch_of(q) or SEARCHED, float(p), float(r))
        for q, p, r in zip(found.q, found.position_error, found.rotation_error, strict=True)
    ]
    return nearest_first(robot, solver.weights, solutions)


def _searched(robot: Robot, T: Floats, task: Task) -> NumericAnswers:
    """Return what many numeric searches from seeded starts and from home find, each once."""
    rng = np.random.default_rng(0)
    starts = robot.lower + (robot.upper - robot.lower) * rng.random((STARTS, robot.dof))
    starts[0] = robot.home
    return distinct(search_batch(robot, np.repeat(T[None], STARTS, axis=0), starts, task, searches=4))


def _seven(robot: Robot, solver: ArmSolver, T: Floats) -> list[IkSolution]:
    """Return one member per branch and interval of the last joint."""
    assert solver.seven is not None
    found: list[IkSolution] = []
    for interval in redundant_intervals(robot, solver.seven, T):
        position, rotation = pose_errors(solver, T, interval.q)
        if not outside_limits(robot, interval.q).any() and position <= RESIDUAL and rotation <= RESIDUAL:
            free = FreeJoint(robot.joints[-1].name, float(interval.q[-1]), interval.lower, interval.upper)
            name = solver.seven.branch_names[interval.branch]
            if not any(_is_same_piece(s, interval.q, free) for s in found):
                found.append(IkSolution(interval.q, name, position, rotation, (free,)))
    if not found:
        found = [
            replace(s, free=(FreeJoint(robot.joints[-1].name, float(s.q[-1]), float(s.q[-1]), float(s.q[-1])),))
            for s in _second_opinion(robot, solver, T, False)
        ]
    return found


def _is_same_piece(solution: IkSolution, q: Floats, free: FreeJoint) -> bool:
    """Whether two intervals of a redundant arm are one: where branches meet, each of them finds it."""
    other = solution.free[0]
    ends = (other.lower - free.lower, other.upper - free.upper)
    return bool(np.abs(solution.q - q).max() < SAME and max(abs(end) for end in ends) < SAME)


def _seven_batch(robot: Robot, solver: ArmSolver, T: Floats) -> tuple[Floats, Floats]:
    """The branches at evenly spaced values of the last joint, and at one that a search finds inside all limits."""
    assert solver.seven is not None
    m, k = len(T), len(solver.seven.branch_names)
    last = np.empty((SEVEN_SAMPLES, m))
    last[:-1] = np.linspace(robot.lower[-1], robot.upper[-1], SEVEN_SAMPLES - 1)[:, None]
    last[-1] = search_batch(robot, T, np.repeat(robot.home[None], m, axis=0), TASKS["pose"]).q[:, -1]
    q, valid = np.empty((m, SEVEN_SAMPLES, k, 7)), np.empty((m, SEVEN_SAMPLES, k))
    for s, values in enumerate(last):
        q_s, valid_s = np.empty((m, k, 7)), np.empty((m, k))
        solver.seven.solve_into(T, values, q_s, valid_s)
        q[:, s], valid[:, s] = q_s, valid_s
    return q.reshape(m, SEVEN_SAMPLES * k, 7), valid.reshape(m, SEVEN_SAMPLES * k)


def _ragged(rows: Sequence[Sequence[Floats] | Floats], n: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Return lists of solutions of different lengths, at least one place each, as q (m, k, n) and valid (m, k)."""
    k = max((len(row) for row in rows), default=0)
    q, valid = np.zeros((len(rows), max(k, 1), n)), np.zeros((len(rows), max(k, 1)), np.bool_)
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            q[i, j], valid[i, j] = value, True
    return q, valid


def _listed(robot: Robot, solver: ArmSolver, solutions: list[IkSolution], turns: bool) -> IkSolutions:
    return (every_turn if turns else one_per_branch)(robot, solver.weights, solutions)


def _one_pose_only(count: int) -> InvalidInput:
    return InvalidInput(
        "one_pose_only", _("target: all_ik takes one pose (4, 4), got {count}; all_ik_batch takes many"), count=count
    )
