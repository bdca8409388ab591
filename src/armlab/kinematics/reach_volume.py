"""Where an arm's tool point can be in space, how well it can move there, and in how many branches: a grid of cubes.

As `reach_map` does over a plane: random configurations fill the cubes, those at the edge are varied until it stands
still. A cube that is reached is certain; one at the edge may be missed, and so may a branch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.kinematics.all_ik import branches_batch
from armlab.kinematics.cells import Counts, Truths
from armlab.kinematics.scaled import scaled_task
from armlab.kinematics.singularity import manipulability
from armlab.kinematics.solvers import solver_of
from armlab.kinematics.workspace import MOST_SAMPLES, Progress
from armlab.messages import _
from armlab.model.robot import Robot

FEWEST_CELLS, MOST_CELLS = 8, 160
FLAT_CELLS = 3
"""A flat workspace may have so many times as many cells along its sides."""
CHUNK = 20_000
ROUNDS, QUIET_ROUNDS, TRIES, FRONT = 30, 2, 8, 4096
MARGIN = 0.02
EXTENT_SAMPLES = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class ReachVolume:
    """Cubes of side `cell` (m) in the world; `reached` and the others have one entry per cube that is reached."""

    robot: Robot
    low: Floats
    """(3,): the corner with the smallest coordinates, m"""
    cell: float
    shape: tuple[int, int, int]
    """How many cubes along x, y and z."""
    reached: Counts
    """(k,): the number of each cube, (ix · ny + iy) · nz + iz"""
    best: Floats
    """(k,): the highest manipulability found in it"""
    branches: Counts | None
    """(k,): in how many branches its point can be reached; None where the arm has no closed form with branches."""

    @property
    def volume(self) -> float:
        """The volume of all cubes that are reached, m³; of a flat workspace that of one layer."""
        return float(len(self.reached) * self.cell**3)

    def centres(self) -> Floats:
        """Return the middle of each cube that is reached, (k, 3)."""
        index = np.stack(np.unravel_index(self.reached, self.shape), axis=1)
        return np.asarray(self.low + (index + 0.5) * self.cell)


def reach_volume(
    robot: Robot,
    *,
    cells: int = 40,
    samples: int = 400_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> ReachVolume:
    """Return where the tool point can be inside the joint limits, as cubes.

    Args:
        robot: the arm with its tool.
        cells: along the longest side, 8 to 160; a flat workspace has three times as many.
        samples: how many random configurations.
        seed: of the random configurations.
        progress: called now and then with what is done and the total; what it raises ends the search.

    Raises:
        InvalidInput: if cells or samples are none of those.
    """
    if not FEWEST_CELLS <= cells <= MOST_CELLS:
        template = _("cells: {cells} is outside {fewest}…{most}")
        raise InvalidInput("cells_outside", template, cells=cells, fewest=FEWEST_CELLS, most=MOST_CELLS)
    if not 1 <= samples <= MOST_SAMPLES:
        template = _("samples: {samples} is outside 1…{most}")
        raise InvalidInput("samples_outside", template, samples=samples, most=MOST_SAMPLES)
    sampler = _VolumeSampler(robot, cells, seed)
    chunks = math.ceil(samples / CHUNK)
    total = chunks + ROUNDS + 1
    told = progress or (lambda _done, _total: None)
    for done in range(chunks):
        told(done, total)
        sampler.sample(min(CHUNK, samples - done * CHUNK))
    quiet = 0
    for done in range(ROUNDS):
        told(chunks + done, total)
        quiet = 0 if sampler.grow() else quiet + 1
        if quiet == QUIET_ROUNDS:
            break
    told(total - 1, total)
    found = sampler.volume()
    told(total, total)
    return found


class _VolumeSampler:
    def __init__(self, robot: Robot, cells: int, seed: int) -> None:
        self.robot, self.rng = robot, np.random.default_rng(seed)
        points = robot.fk(self._random(EXTENT_SAMPLES))[:, :3, 3]
        low, high = points.min(axis=0), points.max(axis=0)
        longest = max(float((high - low).max()), 1e-6)
        flat = high - low < 1e-6 * longest
        self.cell = longest * (1.0 + 2.0 * MARGIN) / (cells * (FLAT_CELLS if flat.any() else 1))
        counts = np.where(flat, 1, np.ceil((high - low) / self.cell + 2.0)).astype(int)
        self.shape = tuple(counts.tolist())
        self.low = (low + high) / 2.0 - self.cell * np.array(self.shape) / 2.0
        size = math.prod(self.shape)
        self.best = np.full(size, -1.0)
        self.q = np.zeros((size, robot.dof))
        self.last = np.zeros((size, robot.dof))
        """Some configuration of each cube: another than the best, where there are several."""
        self.solver = solver_of(robot)
        self.has = np.zeros((size, self.solver.branches), dtype=bool)

    def sample(self, count: int) -> None:
        """Sample random configurations."""
        self._take(self._random(count))

    def grow(self) -> bool:
        """Vary configurations at the edge; return whether new cubes were reached."""
        scale = scaled_task(self.robot)
        front = self.rng.permutation(np.flatnonzero(_surface((self.best >= 0.0).reshape(self.shape))))[:FRONT]
        q = np.repeat(self.q[front], TRIES, axis=0)
        size = self.cell / scale.length * 10.0 ** self.rng.uniform(-0.5, 1.0, (len(q), 1))
        some = self.rng.random(q.shape) < self.rng.choice([0.3, 1.0], (len(q), 1))
        q = np.clip(
            q + size * self.rng.normal(size=q.shape) * some * scale.column_scale, self.robot.lower, self.robot.upper
        )
        before = int((self.best >= 0.0).sum())
        self._take(q)
        return int((self.best >= 0.0).sum()) > before

    def volume(self) -> ReachVolume:
        """Return what was found."""
        reached = np.flatnonzero(self.best >= 0.0)
        nx, ny, nz = self.shape
        return ReachVolume(
            self.robot, self.low, self.cell, (nx, ny, nz), reached, self.best[reached], self._branches(reached)
        )

    def _random(self, count: int) -> Floats:
        lower, upper = self.robot.lower, self.robot.upper
        return np.asarray(lower + (upper - lower) * self.rng.random((count, self.robot.dof)))

    def _take(self, q: Floats) -> None:
        place = np.floor((self.robot.fk(q)[:, :3, 3] - self.low) / self.cell).astype(np.int64)
        inside = ((place >= 0) & (place < self.shape)).all(axis=1)
        q, place = q[inside], place[inside]
        cell = np.ravel_multi_index(tuple(place.T), self.shape)
        value = manipulability(self.robot, q)
        self.last[cell] = q
        if self.solver.family is not None:
            self.has[cell, self.solver.family.branches_of(q)] = True
        better = value > self.best[cell]
        order = np.argsort(value[better])  # where several fall into one cube, the last written is the best
        cell, q, value = cell[better][order], q[better][order], value[better][order]
        self.best[cell], self.q[cell] = value, q

    def _branches(self, reached: Counts) -> Counts | None:
        """Return in how many branches each cube was reached; the poses that were kept for it are solved for all."""
        if self.solver.family is None:
            return None
        has = self.has[reached]
        for q in (self.q[reached], self.last[reached]):
            for first in range(0, len(reached), CHUNK):
                part = slice(first, first + CHUNK)
                has[part] |= branches_batch(self.robot, self.solver, self.robot.fk(q[part]))[2]
        return np.asarray(has.sum(axis=1), dtype=np.int64)


def _surface(reached: Truths) -> NDArray[np.bool_]:
    """Return the cubes that have a neighbour, along one of the axes, that is not reached."""
    padded = np.pad(reached, 1)
    inner = reached.copy()
    for axis in range(3):
        if reached.shape[axis] == 1:
            continue
        for shift in (-1, 1):
            inner &= np.roll(padded, shift, axis=axis)[1:-1, 1:-1, 1:-1]
    return np.asarray(reached & ~inner)
