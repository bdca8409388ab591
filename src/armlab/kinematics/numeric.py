"""Numeric inverse kinematics for any arm and any task: the searching kernels, called with as little around as possible.

Nothing is checked here: poses and starts come from a public function that has done so.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.kernels.chain import KIND
from armlab.kernels.gate import TOLERANCE
from armlab.kernels.jit import DirectCall
from armlab.kernels.search.lm import (
    CONVERGED,
    ITERATIONS,
    OUT_SIZE,
    POSITION_ERROR,
    ROTATION_ERROR,
    Bools,
    solve_each_into,
    solve_into,
)
from armlab.kernels.search.lm_batch import descend_into
from armlab.kernels.search.problem import SearchBounds, SearchChain, SearchTask
from armlab.kinematics.coupled_search import CoupledProblem, search_rows
from armlab.kinematics.task import TOOL_AXIS, WORLD_ROWS, Task
from armlab.model.robot import Robot

Ints: TypeAlias = NDArray[np.int64]

SECOND_OPINIONS = 8
"""How many searches may look where a closed form has already said that there is nothing."""
SEARCHES, STEPS, SEED = 1000, 9_000, 1
"""From random starts 99 % of reachable targets need fewer than 15 searches; to refuse an unreachable one: 1 to 3 ms."""
POSITION_TOLERANCE, ROTATION_TOLERANCE = 0.999 * TOLERANCE, 0.999 * TOLERANCE
"""m and rad: the gate's, less what another judge's rounding may add."""
SAME = 1e-5
"""Answers nearer than this in every joint are one."""
LENGTH_PER_SIZE = 0.35
"""A length of this part of the stretched arm weighs as much as one radian."""


_ONE_JOINT = SearchChain(np.zeros((2, KIND + 1)), np.ones(1), -np.ones(1), np.ones(1), 1.0)
_solve = DirectCall(
    solve_into,
    _ONE_JOINT,
    np.eye(4),
    SearchTask(np.ones(6), WORLD_ROWS),
    SearchBounds(SEED, 0, STEPS, POSITION_TOLERANCE, ROTATION_TOLERANCE),
    np.zeros(1),
    np.empty(OUT_SIZE),
)


class NumericAnswer(NamedTuple):
    """What a search found: `q` (n,) inside the limits, met or nearest; errors (m, rad) of the rows that matter."""

    q: Floats
    converged: bool
    position_error: float
    rotation_error: float
    iterations: int
    restarts: int


@lru_cache(maxsize=256)
def chain_of(robot: Robot) -> SearchChain:
    """Return the robot's chain with limits that kernels can take (writable) and its length for weighing."""
    return SearchChain(*robot.chain[:4], length_of(robot))


@lru_cache(maxsize=256)
def length_of(robot: Robot) -> float:
    """Return the length (m) that weighs as much as one radian."""
    travel = (robot.upper - robot.lower)[robot.chain.revolute < 0.5]
    size = float(robot.chain.length + travel.sum())
    return LENGTH_PER_SIZE * size if size > 0.0 else 1.0


@lru_cache(maxsize=64)
def weights_of(mask: tuple[bool, bool, bool, bool, bool, bool]) -> Floats:
    """Return a mask as the kernels take it."""
    return np.array(mask, dtype=np.float64)


@lru_cache(maxsize=64)
def _search_task(task: Task) -> SearchTask:
    return SearchTask(weights_of(task.mask), TOOL_AXIS if task.axis_only else WORLD_ROWS)


@lru_cache(maxsize=64)
def _search_bounds(seed: int, searches: int) -> SearchBounds:
    return SearchBounds(seed, searches, STEPS, POSITION_TOLERANCE, ROTATION_TOLERANCE)


def search_one(
    robot: Robot,
    T_world_tool: Floats,
    start: Floats,
    task: Task,
    *,
    searches: int = SEARCHES,
    seed: int = SEED,
) -> NumericAnswer:
    """Return joints for one pose (4, 4); the first search begins at `start` (n,), and so finds the near solution."""
    if robot.coupling is not None:
        found = _search_coupled(robot, T_world_tool[None], start[None], task, searches, seed, None)
        q, converged, position, rotation, iterations, restarts = (field[0] for field in found)
        return NumericAnswer(q, bool(converged), float(position), float(rotation), int(iterations), int(restarts))
    q, out = start.copy(), np.empty(OUT_SIZE)
    target = np.ascontiguousarray(T_world_tool)  # the direct call reads memory as it comes
    status = _solve.call(chain_of(robot), target, _search_task(task), _search_bounds(seed, searches), q, out)
    position, rotation, iterations, restarts = out.tolist()
    return NumericAnswer(q, status == CONVERGED, position, rotation, int(iterations), int(restarts))


class NumericAnswers(NamedTuple):
    """What the searches of a batch found: the fields of `NumericAnswer` as arrays, one row per target."""

    q: Floats
    converged: Bools
    position_error: Floats
    rotation_error: Floats
    iterations: Ints
    restarts: Ints


def search_batch(
    robot: Robot,
    T_world_tool: Floats,
    start: Floats,
    task: Task,
    *,
    searches: int = SEARCHES,
    seed: int = SEED,
    limits: tuple[Floats, Floats] | None = None,
    length: float | None = None,
) -> NumericAnswers:
    """Return joints for each pose of a batch (m, 4, 4), from the rows of `start` (m, n), each as `search_one` does.

    `limits`, lower and upper (n,), take the place of the arm's own; a joint whose two limits are equal stays there.
    `length` (m) weighs as much as one radian; by default a part of the arm's size.
    """
    if robot.coupling is not None:
        return _search_coupled(robot, T_world_tool, start, task, searches, seed, limits)
    q, out, converged = start.copy(), np.empty((len(start), OUT_SIZE)), np.empty(len(start), np.bool_)
    work = np.zeros((len(start), 2))
    chain = chain_of(robot)
    if limits is not None:
        chain = chain._replace(lower=limits[0], upper=limits[1])
    if length is not None:
        chain = chain._replace(length=length)
    problem = (chain, T_world_tool, _search_task(task), _search_bounds(seed, searches))
    if fits_lanes(task):
        descend_into(*problem, q, work)
    solve_each_into(*problem, q, out, converged)
    work += out[:, ITERATIONS:]
    iterations, restarts = work.astype(np.int64).T
    return NumericAnswers(q, converged, out[:, POSITION_ERROR], out[:, ROTATION_ERROR], iterations, restarts)


def _search_coupled(
    robot: Robot,
    T: Floats,
    start: Floats,
    task: Task,
    searches: int,
    seed: int,
    limits: tuple[Floats, Floats] | None,
) -> NumericAnswers:
    lower, upper = (robot.lower, robot.upper) if limits is None else limits
    problem = CoupledProblem(robot, task, lower, upper, length_of(robot))
    tolerances = POSITION_TOLERANCE, ROTATION_TOLERANCE
    q, position, rotation, steps, restarts = search_rows(problem, T, start, searches, seed, tolerances)
    errors = np.sqrt(position), np.sqrt(rotation)
    converged = (errors[0] <= POSITION_TOLERANCE) & (errors[1] <= ROTATION_TOLERANCE)
    return NumericAnswers(q, converged, *errors, steps, restarts)


def distinct(answers: NumericAnswers) -> NumericAnswers:
    """Return the converged answers, each once."""
    kept: list[int] = []
    for i in np.flatnonzero(answers.converged):
        if not any(np.abs(answers.q[i] - answers.q[j]).max() < SAME for j in kept):
            kept.append(int(i))
    return NumericAnswers(
        answers.q[kept],
        answers.converged[kept],
        answers.position_error[kept],
        answers.rotation_error[kept],
        answers.iterations[kept],
        answers.restarts[kept],
    )


def fits_lanes(task: Task) -> bool:
    """Say whether a batch with this task can go through the vector lanes: rotation rows all or none."""
    return not task.axis_only and sum(task.mask[3:]) in {0, 3}
