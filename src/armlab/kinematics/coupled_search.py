"""Numeric inverse kinematics of arms with coupled joints: Levenberg–Marquardt on the arm's own joints, in rows.

The method is that of armlab.kernels.search.lm, on NumPy arrays and for many targets at once: the Jacobian of the chain
is folded onto the joints that the arm has (J C), and their limits are kept by projection.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from armlab.arrays import Floats
from armlab.kinematics.task import Task
from armlab.model.robot import Robot

MOST_SEARCHES = 40
"""New places are tried at most so often: a step costs a hundred times that of a kernel."""
STEPS, LAST_STEPS = 40, 40
FINE = 1e-20
"""Below this squared error no further step is made."""
STALL_PERIOD, STALL_RATIO = 4, 0.7
DAMPING, LEAST_DAMPING, LEAST_FACTOR, MOST_FACTOR = 0.05, 1e-13, 1e-3, 1e9
CANDIDATES = 4
TURN = 2.0 * np.pi

Bools = NDArray[np.bool_]


class CoupledProblem(NamedTuple):
    """An arm with coupled joints, the task, its limits, and the length (m) that weighs as much as one radian."""

    robot: Robot
    task: Task
    lower: Floats
    upper: Floats
    length: float


class CoupledAnswers(NamedTuple):
    """Joints (m, n), squared errors in m² and rad², and the work of each."""

    q: Floats
    position: Floats
    rotation: Floats
    steps: NDArray[np.int64]
    restarts: NDArray[np.int64]


def search_rows(
    problem: CoupledProblem, targets: Floats, start: Floats, searches: int, seed: int, tolerances: tuple[float, float]
) -> CoupledAnswers:
    """Return joints for targets (m, 4, 4) from the rows of `start` (m, n): met, or the nearest that was found."""
    m, rng = len(targets), np.random.default_rng(seed)
    q = np.clip(start, problem.lower, problem.upper)
    steps, restarts = np.zeros(m, np.int64), np.zeros(m, np.int64)
    position, rotation = np.full(m, np.inf), np.full(m, np.inf)
    limits = np.array(tolerances)[:, None] ** 2
    rest = np.arange(m)
    for search in range(max(min(searches, MOST_SEARCHES), 1)):
        begin = q[rest] if search == 0 else _random_places(problem, targets[rest], rng)
        found, (p, r), count = _descended(problem, targets[rest], begin, STEPS, STALL_RATIO)
        steps[rest] += count
        restarts[rest] = search
        better = _weighed(problem, p, r) < _weighed(problem, position[rest], rotation[rest])
        better |= search == 0
        q[rest[better]], position[rest[better]], rotation[rest[better]] = found[better], p[better], r[better]
        rest = rest[(np.array([position[rest], rotation[rest]]) > limits).any(axis=0)]
        if not len(rest):
            break
    if len(rest):  # nothing found: the nearest of all, as near as it gets
        q[rest], (position[rest], rotation[rest]), count = _descended(
            problem, targets[rest], q[rest], LAST_STEPS, 1.0 - 1e-9
        )
        steps[rest] += count
    return CoupledAnswers(q, position, rotation, steps, restarts)


def _weighed(problem: CoupledProblem, position: Floats, rotation: Floats) -> Floats:
    return np.asarray(position / problem.length**2 + rotation)


def _random_places(problem: CoupledProblem, targets: Floats, rng: np.random.Generator) -> Floats:
    """Return for each target the best of a few places inside the limits; endless joints within two turns."""
    turns = problem.robot.chain.revolute > 0.5
    widest = np.where(turns, 2.0 * TURN, 4.0 * problem.length)
    span = np.minimum(problem.upper - problem.lower, widest)
    middle = np.clip(0.0, problem.lower + 0.5 * span, problem.upper - 0.5 * span)
    m, n = len(targets), problem.robot.dof
    places = middle + span * (rng.random((m, CANDIDATES, n)) - 0.5)
    errors = _errors(problem, np.repeat(targets, CANDIDATES, axis=0), places.reshape(-1, n))
    best = _weighed(problem, errors.position, errors.rotation).reshape(m, CANDIDATES).argmin(axis=1)
    return np.asarray(places[np.arange(m), best])


class _Errors(NamedTuple):
    """Rows (m, 6) of what is missing to the targets, the Jacobian (m, 6, n) of the task, and the squares in m, rad."""

    rows: Floats
    jacobian: Floats
    position: Floats
    rotation: Floats


def _errors(problem: CoupledProblem, targets: Floats, q: Floats) -> _Errors:
    T, J = problem.robot.fk(q), problem.robot.jacobian(q)
    weights = problem.task.weights
    e = np.zeros((len(q), 6))
    e[:, :3] = weights[:3] * (targets[:, :3, 3] - T[:, :3, 3])
    position = (e[:, :3] ** 2).sum(axis=1)
    e[:, :3] /= problem.length
    J = J.copy()
    J[:, :3] *= weights[:3, None] / problem.length
    if problem.task.axis_only:
        e[:, 3:], mixing = _axis_rows(T[:, :3, 2], targets[:, :3, 2], T[:, :3, 0])
        angle = np.arctan2(np.linalg.norm(e[:, 3:], axis=1) * 0.5, _half_cosine(T[:, :3, 2], targets[:, :3, 2])) * 2.0
        rotation = angle**2
    else:
        log = Rotation.from_matrix(targets[:, :3, :3] @ np.swapaxes(T[:, :3, :3], 1, 2)).as_rotvec()
        e[:, 3:], mixing = weights[3:] * log, weights[3:, None] * _log_slope(log)
        rotation = (e[:, 3:] ** 2).sum(axis=1)
    J[:, 3:] = mixing @ J[:, 3:]
    turns = problem.robot.chain.revolute > 0.5
    return _Errors(e, J * np.where(turns, 1.0, problem.length), position, rotation)


def _half_cosine(u: Floats, v: Floats) -> Floats:
    return np.asarray(0.5 * np.linalg.norm(u + v, axis=1))


def _axis_rows(u: Floats, v: Floats, across: Floats) -> tuple[Floats, Floats]:
    """Return 2 sin(angle/2) · axis of the smallest turn from axes u to v (m, 3), and what turns lead to it."""
    half = _half_cosine(u, v)[:, None]
    rows = np.where(half > 1e-7, np.cross(u, v) / np.maximum(half, 1e-7), 2.0 * across)
    return rows, np.eye(3) - u[:, :, None] * u[:, None, :]


def _log_slope(log: Floats) -> Floats:
    """Return the change (m, 3, 3) of rotation vectors (m, 3) per turn: 1 + ½ [log]× + bend [log]×²."""
    angle = np.linalg.norm(log, axis=1)
    safe = np.maximum(angle, 1e-4)
    bend = np.where(angle > 1e-4, (1.0 - 0.5 * safe / np.tan(0.5 * safe)) / safe**2, 1.0 / 12.0)
    K = np.zeros((len(log), 3, 3))
    K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -log[:, 2], log[:, 1], -log[:, 0]
    K -= np.swapaxes(K, 1, 2)
    return np.asarray(np.eye(3) + 0.5 * K + bend[:, None, None] * (K @ K))


def _descended(
    problem: CoupledProblem, targets: Floats, start: Floats, steps: int, ratio: float
) -> tuple[Floats, tuple[Floats, Floats], NDArray[np.int64]]:
    """Go down from `start` (m, n) while the error falls by `ratio` in each period; steps that lead up are undone."""
    q = start.copy()
    now = _errors(problem, targets, q)
    square = _weighed(problem, now.position, now.rotation)
    position, rotation = now.position.copy(), now.rotation.copy()
    factor, reference = np.ones(len(q)), square.copy()
    count, active = np.zeros(len(q), np.int64), square > FINE
    for step in range(1, steps + 1):
        rows = np.flatnonzero(active)
        if not len(rows):
            break
        tried = _stepped(problem, q[rows], now.rows[rows], now.jacobian[rows], factor[rows] * square[rows])
        there = _errors(problem, targets[rows], tried)
        value = _weighed(problem, there.position, there.rotation)
        better = value < square[rows]
        good = rows[better]
        for field, other in zip(now, there, strict=True):
            field[good] = other[better]
        q[good], square[good] = tried[better], value[better]
        position[good], rotation[good] = there.position[better], there.rotation[better]
        factor[rows] = np.clip(factor[rows] * np.where(better, 0.5, 8.0), LEAST_FACTOR, MOST_FACTOR)
        count[rows] += 1
        active &= square > FINE
        active[rows] &= (factor[rows] < MOST_FACTOR) & (better | (square[rows] > 1e-16))
        if step % STALL_PERIOD == 0:
            active &= square <= ratio * reference
            reference = square.copy()
    return q, (position, rotation), count


def _stepped(problem: CoupledProblem, q: Floats, e: Floats, J: Floats, damping: Floats) -> Floats:
    """Return q + Jᵀ (J Jᵀ + λ)⁻¹ e inside the limits, without joints that the step would push out of them."""
    turns = problem.robot.chain.revolute > 0.5
    J, at_lower, at_upper = J.copy(), q <= problem.lower, q >= problem.upper
    push = np.einsum("mij,mi->mj", J, e)
    _hold(J, (at_lower & (push < 0.0)) | (at_upper & (push > 0.0)))
    ridge = (DAMPING * damping + LEAST_DAMPING)[:, None, None] * np.eye(6)
    move = np.zeros(q.shape)
    for _pass in range(2):
        y = np.linalg.solve(J @ np.swapaxes(J, 1, 2) + ridge, e[:, :, None])
        move = np.asarray((np.swapaxes(J, 1, 2) @ y)[:, :, 0])
        held = (at_lower & (move < 0.0)) | (at_upper & (move > 0.0))
        if not held.any():
            break
        _hold(J, held)
    move = np.where(turns, move, move * problem.length)
    return np.asarray(np.clip(q + move, problem.lower, problem.upper))


def _hold(J: Floats, held: Bools) -> None:
    J[np.broadcast_to(held[:, None, :], J.shape)] = 0.0
