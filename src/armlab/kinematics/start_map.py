"""Where the Levenberg–Marquardt method ends, for a grid of starts: which solution, after how many steps, or nowhere.

All starts go down together, each exactly as `lm_trace` would take it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.kinematics.lm_trace import LEAST_DAMPING, MOST_DAMPING, LmProblem, LmSettings
from armlab.kinematics.solvers import solver_of
from armlab.kinematics.targets import as_starts
from armlab.kinematics.task import TaskLike
from armlab.messages import _
from armlab.model.robot import Robot

FEWEST_CELLS, MOST_CELLS = 4, 80
SAME = 1e-3
"""rad or m: ends that are no farther apart in any joint are one solution."""
MOST_SOLUTIONS = 12
"""Where there are more, the solutions form a continuum, and are told apart by their branches."""
WIDEST = 2.0 * math.pi
"""A revolute joint's starts go at most so far to both sides of zero."""


@dataclass(frozen=True, slots=True, eq=False)
class LmEnds:
    """Where m starts ended: `q` (m, n), after `steps` (m,), and whether at the target (m,)."""

    q: Floats
    steps: NDArray[np.int64]
    converged: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class MapSolution:
    """A solution that some starts end in: joint values (n,), its branch ("" where there are no names), how many."""

    q: Floats
    branch: str
    cells: int


@dataclass(frozen=True, slots=True, eq=False)
class StartMap:
    """A grid of starts over two joints; arrays are (rows, columns), the first joint to the right, the second up."""

    joints: tuple[int, int]
    across: Floats
    """(columns,): start values of the first joint, rad or m"""
    up: Floats
    """(rows,): those of the second"""
    solution: NDArray[np.int64]
    """The number of the solution, -1 where the target was not reached."""
    steps: NDArray[np.int64]
    solutions: tuple[MapSolution, ...]
    """The most frequent first."""
    is_continuum: bool
    """Whether ends are told apart by their branch only, because there are too many different ones."""


def start_map(
    robot: Robot,
    T_world_tool: ArrayLike,
    start: ArrayLike,
    joints: tuple[int, int] = (0, 1),
    *,
    cells: int = 40,
    task: TaskLike | None = None,
    settings: LmSettings | None = None,
) -> StartMap:
    """Return where the method ends from `start` (n,) with two of its joints varied over their limits.

    Raises:
        InvalidInput: if the target, a joint, a number or the count of cells per side (4 to 80) cannot be used.
        LimitViolation: if the start is outside the limits; the sentence names the joint.
    """
    first, second = joints
    if first == second or not all(0 <= joint < robot.dof for joint in joints):
        template = _("joints: two different ones of 0…{most} are needed, got {first} and {second}")
        raise InvalidInput("map_joints", template, most=robot.dof - 1, first=first, second=second)
    if not FEWEST_CELLS <= cells <= MOST_CELLS:
        template = _("cells: {cells} is outside {fewest}…{most}")
        raise InvalidInput("cells_outside", template, cells=cells, fewest=FEWEST_CELLS, most=MOST_CELLS)
    q = as_starts(robot, start, 1)[0]
    across, up = (_centres(robot, joint, cells) for joint in joints)
    starts = np.tile(q, (cells * cells, 1))
    starts[:, first], starts[:, second] = np.tile(across, cells), np.repeat(up, cells)
    ends = lm_ends(robot, T_world_tool, starts, task=task, settings=settings)
    labels, solutions, is_continuum = _told_apart(robot, ends)
    shape = (cells, cells)
    return StartMap(joints, across, up, labels.reshape(shape), ends.steps.reshape(shape), solutions, is_continuum)


def lm_ends(
    robot: Robot,
    T_world_tool: ArrayLike,
    starts: ArrayLike,
    *,
    task: TaskLike | None = None,
    settings: LmSettings | None = None,
) -> LmEnds:
    """Return where `lm_trace` ends from each of `starts` (m, n); all of them go down together."""
    settings = (settings or LmSettings()).checked()
    problem = LmProblem.of(robot, T_world_tool, task, settings.unit)
    q = np.array(as_starts(robot, starts, len(np.asarray(starts))))
    weights, tolerance = problem.weights, settings.error_tolerance / settings.unit
    steps, converged = np.zeros(len(q), dtype=np.int64), np.zeros(len(q), dtype=bool)
    damping = np.full(len(q), float(settings.damping))
    e = weights * _residuals(problem, q)
    active = np.arange(len(q))
    while len(active):
        here, length = q[active], np.linalg.norm(e[active], axis=1)
        converged[active[length <= tolerance]] = True
        J = weights[:, None] * _jacobians(problem, here)
        gradient = np.einsum("mrn,mr->mn", J, e[active])
        goes_on = (length > tolerance) & (np.linalg.norm(gradient, axis=1) > settings.gradient_tolerance)
        goes_on &= steps[active] < settings.max_steps
        active, here, J, gradient, length = (part[goes_on] for part in (active, here, J, gradient, length))
        if not len(active):
            break
        A = np.swapaxes(J, 1, 2) @ J
        largest = A.max(axis=(1, 2))
        damping[active] = np.clip(damping[active], LEAST_DAMPING * largest, MOST_DAMPING * largest)
        solved = np.linalg.solve(A + damping[active, None, None] * np.eye(robot.dof), gradient[:, :, None])
        tried = np.clip(here + solved[:, :, 0], robot.lower, robot.upper)
        e_tried = weights * _residuals(problem, tried)
        size = np.linalg.norm(tried - here, axis=1)
        accepted = np.linalg.norm(e_tried, axis=1) < length
        steps[active] += 1
        damping[active] *= np.where(accepted, settings.shrink, settings.grow)
        q[active[accepted]], e[active[accepted]] = tried[accepted], e_tried[accepted]
        left = np.linalg.norm(e[active], axis=1)
        active = active[(size > settings.step_tolerance) | (left <= tolerance)]
    return LmEnds(q, steps, converged)


def _residuals(problem: LmProblem, q: Floats) -> Floats:
    """Return [p_target − p; rotation vector from R to R_target] (m, 6), as `LmProblem.residual` does for one."""
    if problem.task.axis_only:
        return np.array([problem.residual(row) for row in q])
    T = problem.robot.fk(q)
    turns = pose.rotation_vector(problem.target[:3, :3] @ np.swapaxes(T[:, :3, :3], 1, 2))
    return np.concatenate([problem.target[:3, 3] - T[:, :3, 3], turns], axis=1)


def _jacobians(problem: LmProblem, q: Floats) -> Floats:
    J = problem.robot.jacobian(q)
    if problem.task.axis_only:
        z = problem.robot.fk(q)[:, :3, 2]
        J[:, 3:] -= z[:, :, None] * np.einsum("mi,min->mn", z, J[:, 3:])[:, None, :]
    return J


def _centres(robot: Robot, joint: int, cells: int) -> Floats:
    """Return the middles of cells over a joint's range."""
    lower, upper = float(robot.lower[joint]), float(robot.upper[joint])
    if robot.joints[joint].kind == "revolute":
        lower, upper = max(lower, -WIDEST), min(upper, WIDEST)
    return lower + (upper - lower) * (np.arange(cells) + 0.5) / cells


def _told_apart(robot: Robot, ends: LmEnds) -> tuple[NDArray[np.int64], tuple[MapSolution, ...], bool]:
    """Return the number of each end's solution (m,), the solutions, and whether they are told apart by branch only."""
    labels = np.full(len(ends.q), -1, dtype=np.int64)
    (reached,) = np.nonzero(ends.converged)
    groups = _by_joints(robot, ends.q[reached])
    is_continuum = groups is None
    if groups is None:
        solver = solver_of(robot)
        groups = np.array([solver.branch_number(q) for q in ends.q[reached]], dtype=np.int64)
    found, counts = np.unique(groups, return_counts=True)
    order = found[np.argsort(-counts, kind="stable")]
    solutions = []
    for number, group in enumerate(order):
        members = reached[groups == group]
        labels[members] = number
        first = ends.q[members[0]]
        solutions.append(MapSolution(first, solver_of(robot).branch_of(first), len(members)))
    return labels, tuple(solutions), is_continuum


def _by_joints(robot: Robot, q: Floats) -> NDArray[np.int64] | None:
    """Return a number per row, the same for rows that are the same up to whole turns; None where there are too many."""
    turning = np.array([joint.kind == "revolute" for joint in robot.joints])
    found: list[Floats] = []
    labels = np.full(len(q), -1, dtype=np.int64)
    while (left := np.flatnonzero(labels < 0)).size:
        if len(found) == MOST_SOLUTIONS:
            return None
        apart = q[left] - q[left[0]]
        apart = np.abs(np.where(turning, np.angle(np.exp(1j * apart)), apart)).max(axis=1)
        labels[left[apart < SAME]] = len(found)
        found.append(q[left[0]])
    return labels
