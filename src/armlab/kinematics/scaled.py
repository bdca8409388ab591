"""The Jacobian of a task in units that can be compared.

A Jacobian mixes metres and radians, so its singular values mean nothing until one is turned into the other. Here a
length counts in characteristic lengths: linear rows are divided by it, the columns of sliding joints multiplied. The
characteristic length is the arm's reach unless another is given; with 1.0 the numbers are those of the plain Jacobian
in metres and radians.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.kinematics.reach import reach
from armlab.kinematics.task import Task, TaskLike, as_task
from armlab.messages import _
from armlab.model.robot import Robot

KEPT = 256
SAMPLES = 64
STILL = 1e-9
"""A row whose entries all stay below this cannot be moved by the arm."""
DEPENDENT = 1e-6
"""Singular values below this count as zero: of a Jacobian that is scaled, 1 means the reach per radian."""


@dataclass(frozen=True, slots=True, eq=False)
class ScaledTask:
    """The rows of the Jacobian that an arm is judged by, how they are scaled, and what rank they nearly always have."""

    robot: Robot
    task: Task
    rows: tuple[int, ...]
    """Out of x, y, z, rx, ry, rz; for a task of the tool's axis the last two are its turns about the tool's x and y."""
    rank: int
    length: float
    row_scale: Floats
    column_scale: Floats
    """What a joint value of one unit (rad in comparison) is in rad or m."""

    def jacobian(self, q: Floats) -> Floats:
        """Return the scaled Jacobian (m, rows, n) at poses (m, n)."""
        return self._picked(self.robot.jacobian(q), q)

    def both(self, q: Floats) -> tuple[Floats, Floats]:
        """Return the scaled Jacobian (m, rows, n) and its slopes (m, n, rows, n); [:, i] is the one by joint i."""
        arm, coupling = self.robot.uncoupled, self.robot.coupling
        J = arm.jacobian(q if coupling is None else coupling.expand(q))
        v, w = np.swapaxes(J[:, :3], 1, 2), np.swapaxes(J[:, 3:], 1, 2)
        turned = np.cross(w[:, :, None], v[:, None])  # [i, k] = ω_i × v_k
        before = np.tri(arm.dof, dtype=bool).T[None, :, :, None]  # i ≤ k
        linear = np.where(before, turned, np.swapaxes(turned, 1, 2))
        spun = np.cross(w[:, :, None], w[:, None])
        angular = np.where(before, 0.0, -spun) if self.task.axis_only else np.where(before, spun, 0.0)
        slopes = np.swapaxes(np.concatenate([linear, angular], axis=3), 2, 3)
        if coupling is not None:
            J = coupling.fold(J)
            slopes = np.einsum("mirk,ij,kl->mjrl", slopes, coupling.matrix, coupling.matrix, optimize=True)
        m, n = q.shape
        flat = self._picked(slopes.reshape(m * n, 6, n), np.repeat(q, n, axis=0)).reshape(m, n, len(self.rows), n)
        return self._picked(J, q), flat * self.column_scale[:, None, None]

    def twist(self, q: Floats, twist: Floats) -> Floats:
        """Return twists (m, 6) as what the rows see of them, scaled: (m, rows)."""
        return np.asarray(self._rows_of(twist[:, :, None], q)[:, :, 0] * self.row_scale)

    def singular_values(self, q: Floats) -> Floats:
        """Return the singular values (m, rank) of the scaled Jacobian, largest first."""
        return np.asarray(np.linalg.svd(self.jacobian(q), compute_uv=False)[:, : self.rank])

    def _picked(self, J: Floats, q: Floats) -> Floats:
        return self._rows_of(J, q) * self.row_scale[:, None] * self.column_scale

    def _rows_of(self, J: Floats, q: Floats) -> Floats:
        if self.task.axis_only:
            J = J.copy()
            J[:, 3:] = np.swapaxes(self.robot.fk(q)[:, :3, :3], 1, 2) @ J[:, 3:]
        return J[:, list(self.rows)]


def scaled_task(robot: Robot, task: TaskLike = "pose", length: float | None = None) -> ScaledTask:
    """Return how the arm is judged for a task; found once and kept.

    Rows that the arm cannot move at all are left out. An arm whose axes are all used up by moving the tool point (two
    links in a plane) cannot also turn the tool: for a full pose it is judged by the point alone.

    Raises:
        InvalidInput: if the arm can move nothing of what the task asks for, or the length is not positive.
    """
    if length is not None and not (length > 0.0 and math.isfinite(length)):
        raise InvalidInput("length_not_positive", _("length must be > 0, got {length:g} m"), length=length)
    return _kept(robot, as_task(task), length)


@lru_cache(maxsize=KEPT)
def _kept(robot: Robot, task: Task, length: float | None) -> ScaledTask:
    scale = _characteristic_length(robot) if length is None else length
    columns = np.where(robot.chain.revolute > 0.5, 1.0, scale)
    wanted = [i for i in range(6) if task.mask[i] and not (task.axis_only and i == 5)]
    lower, upper = robot.lower, robot.upper
    q = lower + (upper - lower) * np.random.default_rng(0).random((SAMPLES, robot.dof))

    def judged(rows: list[int]) -> ScaledTask:
        row_scale = np.array([1.0 / scale if i < 3 else 1.0 for i in rows])
        return ScaledTask(robot, task, tuple(rows), len(rows), scale, row_scale, columns)

    def rank(rows: list[int]) -> int:
        return int(np.linalg.matrix_rank(judged(rows).jacobian(q), tol=DEPENDENT).max()) if rows else 0

    moved = np.abs(judged(wanted).jacobian(q)).max(axis=(0, 2)) > STILL
    rows = [i for i, moves in zip(wanted, moved, strict=True) if moves]
    if not rows:
        template = _("{robot}: no joint moves anything that task '{task}' asks for")
        raise InvalidInput("task_cannot_move", template, robot=robot.name, task=task.name)
    point = [i for i in rows if i < 3]
    if all(task.mask) and not task.axis_only and len(rows) > robot.dof == rank(point):
        rows = point
    full = judged(rows)
    return ScaledTask(robot, task, full.rows, rank(rows), scale, full.row_scale, columns)


def _characteristic_length(robot: Robot) -> float:
    length = reach(robot)
    return length if length > STILL else 1.0
