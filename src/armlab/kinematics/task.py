"""Which part of a pose matters: all six coordinates, or fewer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput

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
            raise InvalidInput("task: no row is asked for; at least one of x, y, z, rx, ry, rz must be")

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


def as_task(task: TaskLike) -> Task:
    """Return a task from its name, or from six truth values, one per row.

    Raises:
        InvalidInput: if it is neither.
    """
    if isinstance(task, Task):
        return task
    if isinstance(task, str):
        if task not in TASKS:
            raise InvalidInput(f"task: '{task}' is not one of {', '.join(TASKS)}, nor a mask of six rows")
        return TASKS[task]
    if not isinstance(task, Iterable):
        raise InvalidInput(f"task: {task!r} is neither a name nor a mask of six rows")
    rows = list(task)
    if len(rows) != 6 or not all(isinstance(row, bool | np.bool_) for row in rows):
        raise InvalidInput("task: a mask has six truth values, for x, y, z, rx, ry, rz")
    x, y, z, rx, ry, rz = (bool(row) for row in rows)
    return Task("mask", (x, y, z, rx, ry, rz))
