"""Which part of a pose matters: all six coordinates, or fewer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.model.robot import Robot

WORLD_ROWS, TOOL_AXIS = 0, 1
"""How kernels read a task: rows along the world's axes, or the tool's z axis with the turn about it left free."""


@dataclass(frozen=True, slots=True)
class Task:
    """What must be met: a mask of the rows x, y, z, rx, ry, rz in world axes, or the direction of the tool's z axis.

    With `axis_only` the three rotation rows mean the direction of the tool's z axis; the turn about it is free.
    """

    name: str
    mask: tuple[bool, bool, bool, bool, bool, bool]
    axis_only: bool = False

    def __post_init__(self) -> None:
        if not any(self.mask):
            raise InvalidInput("task_without_rows", _("task: set at least one of the rows x, y, z, rx, ry, rz"))

    @property
    def is_whole_pose(self) -> bool:
        """Whether all six coordinates matter."""
        return all(self.mask) and not self.axis_only

    @property
    def has_position(self) -> bool:
        """Whether all three coordinates of the tool point matter."""
        return all(self.mask[:3])

    @property
    def rows(self) -> int:
        """How many independent conditions the task has."""
        return sum(self.mask) - int(self.axis_only)

    @property
    def weights(self) -> Floats:
        """One number per row for the kernels: 1.0 for a row that matters."""
        return np.array(self.mask, dtype=np.float64)

    @property
    def mode(self) -> int:
        """WORLD_ROWS or TOOL_AXIS, for the kernels."""
        return TOOL_AXIS if self.axis_only else WORLD_ROWS


TaskLike: TypeAlias = Task | str | Sequence[bool]
"""A task, its name (one of TASKS), or a mask of six rows."""

TASKS: dict[str, Task] = {
    "pose": Task("pose", (True,) * 6),
    "position": Task("position", (True, True, True, False, False, False)),
    "approach": Task("approach", (True,) * 6, axis_only=True),
    "planar": Task("planar", (True, True, False, False, False, False)),
    "planar-pose": Task("planar-pose", (True, True, False, False, False, True)),
    "scara": Task("scara", (True, True, True, False, False, True)),
}


UPRIGHT = 1e-9
"""How far (rad) the axes of a SCARA may lean from the world's z for its yaw to be the row rz."""


@lru_cache(maxsize=256)
def default_task(robot: Robot) -> Task:
    """Return what an arm of this kind can be asked for, which `task=None` means everywhere.

    Six axes and more: the pose. Five: the point and the direction of the tool's z axis ("approach"). A SCARA with
    three turning axes, which stand upright, or four axes whose coupled joints keep the tool upright: the point and the
    yaw ("scara"). All other arms, planar ones among them: the point ("position").
    """
    if robot.dof >= 6:
        return TASKS["pose"]
    if robot.dof == 5:
        return TASKS["approach"]
    if robot.coupling is not None:
        return TASKS["scara"] if robot.dof == 4 and _stays_level(robot) else TASKS["position"]
    T, axes = robot.base, []
    for joint in robot.joints:
        T = T @ joint.T_parent_joint
        axes.append(T[:3, :3] @ joint.axis)
    upright = all(np.hypot(axis[0], axis[1]) <= UPRIGHT for axis in axes)
    turning = sum(joint.kind == "revolute" for joint in robot.joints)
    return TASKS["scara"] if upright and robot.dof == 4 and turning == 3 else TASKS["position"]


def _stays_level(robot: Robot) -> bool:
    """Whether the tool turns about the world's z axis alone, as coupled joints make it in a palletiser."""
    q = robot.lower + (robot.upper - robot.lower) * np.random.default_rng(0).random((16, robot.dof))
    turns = np.abs(robot.jacobian(q)[:, 3:]).max(axis=(0, 2))
    return bool(turns[0] <= UPRIGHT and turns[1] <= UPRIGHT < turns[2])


def task_for(robot: Robot, task: TaskLike | None) -> Task:
    """Return `task`, or the arm's default task for None."""
    return default_task(robot) if task is None else as_task(task)


def as_task(task: TaskLike) -> Task:
    """Return a task from its name, or from six truth values, one per row.

    Raises:
        InvalidInput: if it is neither.
    """
    if isinstance(task, Task):
        return task
    if isinstance(task, str):
        if task not in TASKS:
            raise InvalidInput(
                "unknown_task",
                _("task: '{task}' is not one of {known}, nor a mask of six rows"),
                task=task,
                known=list(TASKS),
            )
        return TASKS[task]
    rows = list(task) if isinstance(task, Iterable) else []
    if len(rows) != 6 or not all(isinstance(row, bool | np.bool_) for row in rows):
        raise InvalidInput(
            "task_mask", _("task: got {task}; a mask has six truth values, for x, y, z, rx, ry, rz"), task=repr(task)
        )
    x, y, z, rx, ry, rz = (bool(row) for row in rows)
    return Task("mask", (x, y, z, rx, ry, rz))
