"""The cells of a map over a plane, and how random configurations of an arm fill them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.kinematics.scaled import scaled_task
from armlab.kinematics.singularity import manipulability
from armlab.model.robot import Robot

PlaneName = Literal["xy", "xz", "yz"]
Counts: TypeAlias = NDArray[np.int64]
Truths: TypeAlias = NDArray[np.bool_]

AXES: dict[str, tuple[int, int, int]] = {"xy": (0, 1, 2), "xz": (0, 2, 1), "yz": (1, 2, 0)}
"""The coordinates of each plane to the right and up, and the one that is square to it."""
CHUNK = 50_000
"""How many poses are looked at together: some 50 MB."""
COARSE_CELLS = 48
MARGIN = 0.04
ROUNDS, QUIET_ROUNDS, TRIES, FRONT = 80, 3, 12, 8192
POLISH_ROUNDS = 24
TURN = 2.0 * math.pi


@dataclass(frozen=True, slots=True)
class Grid:
    """Square cells over a plane: row 0 is the lowest, column 0 the leftmost; lengths in m."""

    plane: PlaneName
    left: float
    bottom: float
    cell: float
    rows: int
    columns: int

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom, top."""
        return self.left, self.left + self.cell * self.columns, self.bottom, self.bottom + self.cell * self.rows

    def centres(self) -> Floats:
        """Return the middle of every cell, (rows, columns, 2)."""
        across = self.left + self.cell * (np.arange(self.columns) + 0.5)
        up = self.bottom + self.cell * (np.arange(self.rows) + 0.5)
        return np.stack(np.meshgrid(across, up), axis=-1)

    def numbers(self, points: Floats) -> Counts:
        """Return the number of the cell (row · columns + column) of points (m, 2), -1 outside."""
        place = np.floor((points - [self.left, self.bottom]) / self.cell).astype(np.int64)
        inside = ((place >= 0) & (place < [self.columns, self.rows])).all(axis=1)
        return np.where(inside, place[:, 1] * self.columns + place[:, 0], -1)


class ReachSampler:
    """Fills a map by sampling: which cells are reached, how often, how well, and by which configuration."""

    def __init__(self, robot: Robot, grid: Grid, seed: int) -> None:
        self.robot, self.grid = robot, grid
        self.rng = np.random.default_rng(seed)
        self.lower, self.upper = robot.lower, robot.upper
        self.turn = _turn_into_plane(robot, grid.plane)
        self.low, self.high = np.full(2, np.inf), np.full(2, -np.inf)
        size = grid.rows * grid.columns
        self.count = np.zeros(size, dtype=np.int64)
        self.best = np.full(size, -1.0)
        self.q = np.zeros((size, robot.dof))

    @property
    def is_section(self) -> bool:
        """Whether the map is a cut through the first axis."""
        return self.turn is not None

    def sample(self, count: int) -> None:
        """Sample random configurations."""
        q = self.lower + (self.upper - self.lower) * self.rng.random((count, self.robot.dof))
        value = manipulability(self.robot, q)
        for cell, kept in self._hits(q):
            self.count += np.bincount(cell, minlength=len(self.count))
            self._keep_best(cell, q[kept], value[kept])

    def grow(self) -> None:
        """Vary configurations at the edge until no new cell is reached for some rounds."""
        quiet = 0
        scale = scaled_task(self.robot)
        step = self.grid.cell / scale.length
        for _ in range(ROUNDS):
            front = np.flatnonzero(_edge((self.best >= 0.0).reshape(self.grid.rows, self.grid.columns)))
            front = self.rng.permutation(front)[:FRONT]
            q = np.repeat(self.q[front], TRIES, axis=0)
            size = step * 10.0 ** self.rng.uniform(-0.5, 1.2, (len(q), 1))
            some = self.rng.random(q.shape) < self.rng.choice([0.3, 1.0], (len(q), 1))
            q = np.clip(q + size * self.rng.normal(size=q.shape) * some * scale.column_scale, self.lower, self.upper)
            before = int((self.best >= 0.0).sum())
            for cell, kept in self._hits(q):
                new = self.best[cell] < 0.0
                rows = q[kept][new]
                if len(rows):
                    self._keep_best(cell[new], rows, manipulability(self.robot, rows))
            quiet = quiet + 1 if int((self.best >= 0.0).sum()) == before else 0
            if quiet == QUIET_ROUNDS:
                return

    def polish(self, most: int) -> None:
        """Vary the configuration of every cell for a better one, by at most `most` samples."""
        reached = np.flatnonzero(self.best >= 0.0)
        unit = scaled_task(self.robot).column_scale
        for _ in range(min(POLISH_ROUNDS, most // max(1, len(reached)))):
            for part in np.array_split(reached, len(reached) // CHUNK + 1):
                size = 10.0 ** self.rng.uniform(-1.8, 0.0, (len(part), 1))
                q = self.q[part] + size * self.rng.normal(size=(len(part), self.robot.dof)) * unit
                q = np.clip(q, self.lower, self.upper)
                value = manipulability(self.robot, q)
                for cell, kept in self._hits(q):
                    self._keep_best(cell, q[kept], value[kept])

    def _keep_best(self, cell: Counts, q: Floats, value: Floats) -> None:
        better = value > self.best[cell]
        order = np.argsort(value[better])  # where several fall into one cell, the last written is the best
        cell, q, value = cell[better][order], q[better][order], value[better][order]
        self.best[cell], self.q[cell] = value, q

    def _hits(self, q: Floats) -> list[tuple[Counts, Any]]:
        """Return the cells that the configurations hit, and which ones hit them; in a cut each can hit two."""
        across, up, _ = AXES[self.grid.plane]
        points = self.robot.fk(q)[:, :3, 3]
        if self.turn is None:
            return [self._inside(points[:, [across, up]], np.ones(len(q), dtype=bool))]
        return [
            self._inside(np.stack([position, points[:, 2]], axis=1), allowed)
            for position, allowed in self.turn(q, points)
        ]

    def _inside(self, flat: Floats, allowed: Truths) -> tuple[Counts, Any]:
        if allowed.any():
            self.low = np.minimum(self.low, flat[allowed].min(axis=0))
            self.high = np.maximum(self.high, flat[allowed].max(axis=0))
        number = self.grid.numbers(flat)
        kept = np.flatnonzero(allowed & (number >= 0))
        return number[kept], kept


def _turn_into_plane(robot: Robot, plane: PlaneName) -> Callable[[Floats, Floats], list[tuple[Floats, Truths]]] | None:
    """Return what turns points into an upright plane by the first joint, or None if that joint cannot."""
    first = robot.uncoupled.joints[0]
    if any(follower.leader == 0 or follower.place == 0 for follower in robot.followers):
        return None
    T = robot.base @ first.T_parent_joint
    axis = T[:3, :3] @ first.axis
    if plane == "xy" or first.kind != "revolute" or abs(axis[2]) < 1.0 - 1e-9:
        return None
    lower, upper = (float(limits[0]) for limits in (robot.lower, robot.upper))
    across = AXES[plane][0]
    start = 0.0 if plane == "xz" else 0.5 * math.pi

    def turned(q: Floats, points: Floats) -> list[tuple[Floats, Truths]]:
        beside = points[:, :2] - T[:2, 3]
        radius, angle = np.hypot(beside[:, 0], beside[:, 1]), np.arctan2(beside[:, 1], beside[:, 0])
        sides = []
        for sign, goal in ((1.0, start), (-1.0, start + math.pi)):
            first_q = q[:, 0] + math.copysign(1.0, axis[2]) * (goal - angle)
            first_q = first_q + TURN * np.ceil((lower - first_q) / TURN)
            sides.append((T[across, 3] + sign * radius, np.asarray(first_q <= upper)))
        return sides

    return turned


def grid_around_reach(robot: Robot, plane: PlaneName, cells: int) -> Grid:
    """Return a grid around all that the tool point reaches and the arm itself at home."""
    across, up, _ = AXES[plane]
    lower, upper = robot.lower, robot.upper
    q = lower + (upper - lower) * np.random.default_rng(0).random((CHUNK, robot.dof))
    points = robot.fk(q)[:, :3, 3]
    arm = robot.frames(robot.home)[:, :3, 3]
    flat = np.concatenate([points, arm])[:, [across, up]]
    if _turn_into_plane(robot, plane) is not None:
        axis = (robot.base @ robot.uncoupled.joints[0].T_parent_joint)[:3, 3]
        radius = np.hypot(*(points - axis)[:, :2].T).max()
        flat = np.concatenate([flat, [[axis[across] - radius, axis[2]], [axis[across] + radius, axis[2]]]])
    low, high = flat.min(axis=0), flat.max(axis=0)
    margin = 0.25 * float((high - low).max())
    sampler = ReachSampler(robot, _around(plane, low - margin, high + margin, COARSE_CELLS), 0)
    sampler.sample(CHUNK)
    sampler.grow()
    shown = arm[:, [across, up]]
    low, high = np.minimum(sampler.low, shown.min(axis=0)), np.maximum(sampler.high, shown.max(axis=0))
    margin = MARGIN * float((high - low).max())
    return _around(plane, low - margin, high + margin, cells)


def _around(plane: PlaneName, low: Floats, high: Floats, cells: int) -> Grid:
    cell = max(float((high - low).max()), 1e-6) / cells
    columns, rows = (max(1, math.ceil(side / cell - 1e-9)) for side in (high - low))
    return Grid(plane, float(low[0]), float(low[1]), cell, rows, columns)


def _edge(reached: Truths) -> Truths:
    """Return the reached cells that have a neighbour, to a side, above or below, that is not reached."""
    padded = np.pad(reached, 1)
    inner = padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:]
    return np.asarray(reached & ~inner)


def covered_area(reached: Truths, cell: float) -> float:
    """Return the area that touches the reached cells.

    Every cell that the area touches is reached, which is too much: in the mean by half a cell for each side between a
    cell that is reached and one that is not.
    """
    padded = np.pad(reached, 1)
    sides = (padded[1:] != padded[:-1]).sum() + (padded[:, 1:] != padded[:, :-1]).sum()
    return float(max(reached.sum() - 0.5 * sides, 0.0) * cell * cell)
