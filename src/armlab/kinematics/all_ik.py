"""Every solution of inverse kinematics, each with the name of its branch.

| arm | how | complete? |
|---|---|---|
| planar, SCARA, 5R like the Braccio, 6R with a spherical wrist, 6R with three parallel axes | closed form | yes |
| 6R whose axes 2 and 3 are parallel and whose axes 4 and 5 meet (xArm6) | search over one joint | up to its sampling |
| 7R with a spherical shoulder whose axes 5 and 6 meet (Panda, iiwa) | closed form per joint 7 | up to its sampling |
| any other | many numeric searches | no: what was found |

At a singular pose a branch can have a continuum of solutions; one member of it is returned.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.kernels.gate import LIMIT_SLACK, errors_into, gate_batch_into
from armlab.kinematics.answers import FreeJoint, IkSolution
from armlab.kinematics.general_six import solve_general_six
from armlab.kinematics.numeric import search_batch
from armlab.kinematics.seven import redundant_intervals
from armlab.kinematics.solvers import ArmSolver, solver_of
from armlab.kinematics.targets import as_targets
from armlab.kinematics.task import TASKS, Task, TaskLike, as_task
from armlab.model.robot import Robot

RESIDUAL = 1e-9
"""What the gate lets through, m and rad; away from singular poses closed forms leave 1e-12."""

SAME = 1e-6
"""Two solutions nearer than this in every joint are one: where branches meet, rounding alone parts them by 3e-7."""

SEARCHED = "found by search"
TURN = 2.0 * math.pi
MAX_COPIES = 4096
STARTS = 256
SEVEN_SAMPLES = 16


class _Searched(NamedTuple):
    q: Floats
    position_error: Floats
    rotation_error: Floats


def all_ik(robot: Robot, T_world_tool: ArrayLike, *, task: TaskLike = "pose") -> list[IkSolution]:
    """Return every solution inside the limits that puts the tool at `T_world_tool` (4, 4), nearest to home first.

    Solutions that differ by whole turns of a joint are listed each, as far as the limits allow. A `task` that asks for
    less than the whole pose is answered by many searches.

    Raises:
        InvalidInput: if the target is no pose, or the task leaves the arm infinitely many solutions.
    """
    targets, single = as_targets(T_world_tool)
    if not single:
        raise InvalidInput(f"target: all_ik takes one pose (4, 4), got {len(targets)}; all_ik_batch takes many")
    solver, wanted = solver_of(robot), as_task(task)
    if not wanted.is_whole_pose:
        return _all_of_task(robot, solver, targets[0], wanted)
    if solver.seven is not None:
        return _seven(robot, solver, targets[0])
    proposals = list(_proposals(robot, solver, targets))
    rows = np.array([q for q, _ in proposals]).reshape(-1, robot.dof)
    copies, owners = _copies(robot, rows, _first_of_each(robot, rows))
    position, rotation = _errors(robot, targets[0], copies)
    passed = np.flatnonzero((position <= RESIDUAL) & (rotation <= RESIDUAL))
    order = passed[np.argsort(np.linalg.norm((copies[passed] - robot.home) * solver.weights, axis=1), kind="stable")]
    return [
        IkSolution(copies[i], proposals[owners[i]][1], float(position[i]), float(rotation[i])) for i in order.tolist()
    ]


def all_ik_batch(robot: Robot, T_world_tool: ArrayLike) -> tuple[Floats, NDArray[np.bool_]]:
    """Return q (m, k, n) and valid (m, k), true where q is a solution inside the limits, for targets (m, 4, 4).

    The middle axis is the branch, in the order of `branch_names(robot)`. Each angle is shifted by whole turns into the
    limits, once: further copies are up to the caller. A redundant arm has its branches at several values of its last
    joint: evenly spaced ones, and one that a search finds. Where a solution is not valid, its q means nothing.
    """
    targets, _ = as_targets(T_world_tool)
    solver = solver_of(robot)
    if solver.family is not None:
        q, valid = solver.proposals(targets)
    elif solver.seven is not None:
        q, valid = _seven_batch(robot, solver, targets)
    else:
        q, valid = _ragged_batch(robot, solver, targets)
    gate_batch_into(*solver.chain, targets, q, valid, RESIDUAL)
    return q, valid > 0.5


def branch_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of the arm's branches, in the order of `all_ik_batch`; empty where the arm has no named ones."""
    solver = solver_of(robot)
    kind = solver.family or solver.seven or solver.six
    return () if kind is None else tuple(kind.branch_names)


def pose_errors(solver: ArmSolver, T: Floats, q: Floats) -> tuple[float, float]:
    """Return how far the tool at `q` is from `T`: m and rad."""
    out = np.empty(2)
    constants, revolute, _, _ = solver.chain
    errors_into(constants, revolute, T, q, np.empty((4, 4)), out)
    return float(out[0]), float(out[1])


def _proposals(robot: Robot, solver: ArmSolver, targets: Floats) -> Iterator[tuple[Floats, str]]:
    if solver.family is not None:
        q, valid = solver.proposals(targets)
        for b in np.flatnonzero(valid[0] > 0.5):
            yield q[0, b], solver.family.branch_names[b]
    elif solver.six is not None:
        rows, branches = solve_general_six(robot, solver.six, targets[0])
        for row, b in zip(rows, branches, strict=True):
            yield row, solver.six.branch_names[int(b)]
    else:
        yield from ((row, SEARCHED) for row in _searched(robot, targets[0], TASKS["pose"]).q)


def _all_of_task(robot: Robot, solver: ArmSolver, T: Floats, task: Task) -> list[IkSolution]:
    rng = np.random.default_rng(0)
    samples = robot.jacobian(robot.lower + (robot.upper - robot.lower) * rng.random((8, robot.dof)))
    rows = np.array(task.mask) if not task.axis_only else np.array([True, True, True, False, False, False])
    rank = int(np.linalg.matrix_rank(samples[:, rows], tol=1e-9).max())
    if rank < robot.dof and not (task.axis_only and robot.dof <= task.rows):
        raise InvalidInput(
            f"{robot.name} has {robot.dof} axes and the task '{task.name}' only {rank} conditions for them: infinitely "
            "many solutions; give a whole pose, or ask for one solution"
        )
    found = _searched(robot, T, task)
    solutions = [
        IkSolution(q, branch_of(robot, q) or SEARCHED, float(p), float(r))
        for q, p, r in zip(found.q, found.position_error, found.rotation_error, strict=True)
    ]
    return sorted(solutions, key=lambda solution: _way(solver, solution.q - robot.home))


def branch_of(robot: Robot, q: ArrayLike) -> str:
    """Return the name of the branch that `q` (n,) is on, or an empty text where the arm has no named branches."""
    solver = solver_of(robot)
    kind = solver.family or solver.seven or solver.six
    values = as_floats(q, (robot.dof,), f"{robot.name}: q")
    return "" if kind is None else kind.branch_names[kind.branch_of(values)]


def _searched(robot: Robot, T: Floats, task: Task) -> _Searched:
    """Return what many numeric searches from seeded starts find, each once."""
    rng = np.random.default_rng(0)
    starts = robot.lower + (robot.upper - robot.lower) * rng.random((STARTS, robot.dof))
    answer = search_batch(robot, np.repeat(T[None], STARTS, axis=0), starts, task, searches=4)
    kept: list[int] = []
    for i in np.flatnonzero(answer.converged):
        if not any(np.abs(answer.q[i] - answer.q[j]).max() < 1e-5 for j in kept):
            kept.append(int(i))
    return _Searched(answer.q[kept], answer.position_error[kept], answer.rotation_error[kept])


def _first_of_each(robot: Robot, rows: Floats) -> list[int]:
    """Return which rows (k, n) differ from all before them by more than whole turns."""
    gaps = rows[:, None] - rows
    gaps -= TURN * np.round(gaps / TURN) * robot._revolute
    same = np.abs(gaps).max(axis=2, initial=0.0) < SAME
    return [i for i in range(len(rows)) if not same[i, :i].any()]


def _copies(robot: Robot, rows: Floats, chosen: list[int]) -> tuple[Floats, list[int]]:
    """Return the chosen rows with all their copies by whole turns inside the limits, and whose copy each is."""
    lower, upper = robot.lower - LIMIT_SLACK, robot.upper + LIMIT_SLACK
    first = np.where(robot._revolute > 0.5, np.ceil((lower - rows) / TURN), 0.0)
    last = np.where(robot._revolute > 0.5, np.floor((upper - rows) / TURN), 0.0)
    last = np.where((rows + TURN * first <= upper) & (rows + TURN * first >= lower), last, first - 1.0)
    if (last - first + 1.0).clip(0.0).prod(axis=1).max(initial=0.0) > MAX_COPIES:
        raise InvalidInput(
            f"{robot.name}: the limits allow more than {MAX_COPIES} copies of a solution by whole turns; "
            "all_ik_batch lists each once"
        )
    turns: list[tuple[int, ...]] = []
    owners: list[int] = []
    for i in chosen:
        spans = zip(first[i].astype(int).tolist(), last[i].astype(int).tolist(), strict=True)
        combinations = list(itertools.product(*(range(low, high + 1) for low, high in spans)))
        turns += combinations
        owners += [i] * len(combinations)
    shifted = rows[owners] + TURN * np.array(turns, dtype=np.float64).reshape(-1, robot.dof)
    return np.clip(shifted, robot.lower, robot.upper), owners


def _errors(robot: Robot, T: Floats, q: Floats) -> tuple[Floats, Floats]:
    """Return how far the tool at each row of `q` (m, n) is from `T` (4, 4): m and rad."""
    difference = robot.fk(q) - T
    position = np.linalg.norm(difference[:, :3, 3], axis=1)
    turn = np.linalg.norm(difference[:, :3, :3].reshape(-1, 9), axis=1)
    return np.asarray(position), np.asarray(2.0 * np.arcsin(np.minimum(1.0, turn / math.sqrt(8.0))))


def _seven(robot: Robot, solver: ArmSolver, T: Floats) -> list[IkSolution]:
    assert solver.seven is not None
    found: list[IkSolution] = []
    for interval in redundant_intervals(robot, solver.seven, T):
        position, rotation = pose_errors(solver, T, interval.q)
        inside = ((interval.q >= robot.lower - LIMIT_SLACK) & (interval.q <= robot.upper + LIMIT_SLACK)).all()
        if inside and position <= RESIDUAL and rotation <= RESIDUAL:
            free = FreeJoint(robot.joints[-1].name, interval.lower, interval.upper)
            name = solver.seven.branch_names[interval.branch]
            if not any(_is_same_piece(s, interval.q, free) for s in found):
                found.append(IkSolution(interval.q, name, position, rotation, free))
    return sorted(found, key=lambda solution: _way(solver, solution.q - robot.home))


def _is_same_piece(solution: IkSolution, q: Floats, free: FreeJoint) -> bool:
    """Whether two intervals of a redundant arm are one: where branches meet, each of them finds it."""
    assert solution.free is not None
    ends = (solution.free.lower - free.lower, solution.free.upper - free.upper)
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
    return q.reshape(m, -1, 7), valid.reshape(m, -1)


def _ragged_batch(robot: Robot, solver: ArmSolver, T: Floats) -> tuple[Floats, Floats]:
    rows = [[q for q, _ in _proposals(robot, solver, target[None])] for target in T]
    k = max((len(row) for row in rows), default=0)
    q, valid = np.zeros((len(T), k, robot.dof)), np.zeros((len(T), k))
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            q[i, j], valid[i, j] = value, 1.0
    return q, valid


def _way(solver: ArmSolver, dq: Floats) -> float:
    return float(np.linalg.norm(dq * solver.weights))
