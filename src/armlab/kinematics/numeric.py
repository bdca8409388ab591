"""Numeric inverse kinematics for any arm and any task: the searching kernels, called with as little around as possible.

Nothing is checked here: poses and starts come from a public function that has done so.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.kernels.lm import (
    CONVERGED,
    ITERATIONS,
    OUT_SIZE,
    POSITION_ERROR,
    ROTATION_ERROR,
    Bools,
    solve_each_into,
    solve_into,
)
from armlab.kernels.lm_batch import descend_into
from armlab.kinematics.task import TOOL_AXIS, WORLD_ROWS, Task
from armlab.model.robot import Robot

Ints: TypeAlias = NDArray[np.int64]

SEARCHES, STEPS, SEED = 1000, 9_000, 1
"""From random starts 99 % of reachable targets need fewer than 15 searches; to refuse an unreachable one: 1 to 3 ms."""
POSITION_TOLERANCE, ROTATION_TOLERANCE = 0.999e-6, 0.999e-6
"""1e-6 m and 1e-6 rad, less what another judge's rounding may add."""
LENGTH_PER_SIZE = 0.35
"""A length of this part of the stretched arm weighs as much as one radian."""


class NumericAnswer(NamedTuple):
    """What a search found: `q` (n,) inside the limits, met or nearest; errors (m, rad) of the rows that matter."""

    q: Floats
    converged: bool
    position_error: float
    rotation_error: float
    iterations: int
    restarts: int


class Chain(NamedTuple):
    """A robot as the kernels take it."""

    constants: Floats
    revolute: Floats
    lower: Floats
    upper: Floats
    length: float


@lru_cache(maxsize=256)
def chain_of(robot: Robot) -> Chain:
    """Return the robot's chain with limits that kernels can take (writable) and its length for weighing."""
    offsets = np.linalg.norm(robot._constants[1:, 9:], axis=1).sum()
    travel = (robot.upper - robot.lower)[robot._revolute < 0.5]
    size = float(offsets + travel.sum())
    length = LENGTH_PER_SIZE * size if size > 0.0 else 1.0
    return Chain(robot._constants, robot._revolute, robot.lower.copy(), robot.upper.copy(), length)


@lru_cache(maxsize=64)
def weights_of(mask: tuple[bool, bool, bool, bool, bool, bool]) -> Floats:
    """Return a mask as the kernels take it."""
    return np.array(mask, dtype=np.float64)


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
    constants, revolute, lower, upper, length = chain_of(robot)
    q, out = start.copy(), np.empty(OUT_SIZE)
    status = solve_into(
        constants,
        revolute,
        lower,
        upper,
        T_world_tool,
        weights_of(task.mask),
        TOOL_AXIS if task.axis_only else WORLD_ROWS,
        length,
        q,
        seed,
        searches,
        STEPS,
        POSITION_TOLERANCE,
        ROTATION_TOLERANCE,
        out,
    )
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
) -> NumericAnswers:
    """Return joints for each pose of a batch (m, 4, 4), from the rows of `start` (m, n), each as `search_one` does."""
    q, out, converged = start.copy(), np.empty((len(start), OUT_SIZE)), np.empty(len(start), np.bool_)
    work = np.zeros((len(start), 2))
    weights, mode = weights_of(task.mask), TOOL_AXIS if task.axis_only else WORLD_ROWS
    problem = (*chain_of(robot)[:4], T_world_tool, weights, mode, chain_of(robot).length)
    bounds = (seed, searches, STEPS, POSITION_TOLERANCE, ROTATION_TOLERANCE)
    if fits_lanes(task):
        descend_into(*problem, *bounds, q, work)
    solve_each_into(*problem, q, *bounds, out, converged)
    work += out[:, ITERATIONS:]
    iterations, restarts = work.astype(np.int64).T
    return NumericAnswers(q, converged, out[:, POSITION_ERROR], out[:, ROTATION_ERROR], iterations, restarts)


def fits_lanes(task: Task) -> bool:
    """Say whether a batch with this task can go through the vector lanes: rotation rows all or none."""
    return not task.axis_only and sum(task.mask[3:]) in {0, 3}
