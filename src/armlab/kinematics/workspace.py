"""Where an arm's tool can go, and in how many ways: maps over a plane.

`reach_map` asks where the tool point can be at all; `branch_atlas` how many solutions inverse kinematics has where the
tool keeps its orientation. Both are grids of square cells over a plane of the world.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.errors import InvalidInput, NotSupported
from armlab.geometry import pose
from armlab.kinematics.cells import (
    AXES,
    CHUNK,
    Counts,
    Grid,
    PlaneName,
    ReachSampler,
    Truths,
    covered_area,
    grid_around_reach,
)
from armlab.kinematics.scaled import scaled_task
from armlab.messages import _, term
from armlab.model.coupling import not_for_coupled
from armlab.model.robot import Robot

FEWEST_CELLS, MOST_CELLS = 8, 1000
MOST_SAMPLES = 1_000_000_000
TARGETS = 1024

Progress: TypeAlias = Callable[[int, int], object]


@dataclass(frozen=True, slots=True, eq=False)
class ReachMap:
    """Where the tool point can be; arrays are (rows, columns)."""

    robot: Robot
    grid: Grid
    is_section: bool
    """True for a cut through the first axis, False where all points are seen square to the plane."""
    samples: Counts
    """How many of the random poses fell into each cell."""
    best: Floats
    """The highest manipulability found in each cell, NaN where the tool point cannot be."""

    @property
    def reached(self) -> Truths:
        """True for cells in which the tool point can be."""
        return np.asarray(np.isfinite(self.best))

    @property
    def area(self) -> float:
        """The area that is reached, m²; cells at its edge count in part."""
        return covered_area(self.reached, self.grid.cell)


@dataclass(frozen=True, slots=True, eq=False)
class BranchAtlas:
    """How many solutions inverse kinematics has for one orientation of the tool; `solutions` is (rows, columns)."""

    robot: Robot
    grid: Grid
    at: float
    """The coordinate square to the plane, m."""
    rotation: Floats
    """The orientation of the tool, (3, 3)."""
    solutions: Counts

    @property
    def reached(self) -> Truths:
        """True for cells with at least one solution."""
        return np.asarray(self.solutions > 0)

    @property
    def area(self) -> float:
        """The area with at least one solution, m²; cells at its edge count in part."""
        return covered_area(self.reached, self.grid.cell)

    @property
    def most(self) -> int:
        """The largest number of solutions of any cell."""
        return int(self.solutions.max(initial=0))


def usual_plane(robot: Robot) -> PlaneName:
    """Return the plane that shows most of an arm: xy if all its axes are upright or the tool stays level, else xz."""
    frames = robot.frames(robot.home)[1:-1]
    upright = [
        abs((T[:3, :3] @ joint.axis)[2]) > 1.0 - 1e-9 for T, joint in zip(frames, robot.uncoupled.joints, strict=True)
    ]
    lower, upper = robot.lower, robot.upper
    heights = robot.fk(lower + (upper - lower) * np.random.default_rng(0).random((64, robot.dof)))[:, 2, 3]
    return "xy" if all(upright) or np.ptp(heights) < 1e-9 else "xz"


def reach_map(
    robot: Robot,
    *,
    plane: PlaneName | None = None,
    cells: int = 200,
    samples: int = 500_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> ReachMap:
    """Return where the tool point can be inside the joint limits, as a map over a plane.

    If the first joint turns about an upright axis, xz and yz are cuts through that axis: of each random pose the first
    joint is turned so that the tool point lies in the plane, if its limits allow. Otherwise, and for xy, points are
    seen square to the plane. After the random poses, poses at the edge of what was reached are varied until the edge
    stands still, and all poses for better ones. A cell that is reached is certain; one at an edge may be missed.

    Args:
        robot: the arm with its tool.
        plane: xy, xz or yz; left out, the one that shows most of the arm.
        cells: along the longer side, 8 to 1000.
        samples: how many random poses.
        seed: of the random poses.
        progress: called now and then with what is done and the total.

    Raises:
        InvalidInput: if plane, cells or samples are none of those.
    """
    plane = _checked(robot, plane, cells)
    if not 1 <= samples <= MOST_SAMPLES:
        template = _("samples: {samples} is outside 1…{most}")
        raise InvalidInput("samples_outside", template, samples=samples, most=MOST_SAMPLES)
    sampler = ReachSampler(robot, grid_around_reach(robot, plane, cells), seed)
    for done in range(0, samples, CHUNK):
        if progress is not None:
            progress(done, samples)
        sampler.sample(min(CHUNK, samples - done))
    sampler.grow()
    sampler.polish(samples)
    if progress is not None:
        progress(samples, samples)
    shape = (sampler.grid.rows, sampler.grid.columns)
    best = np.where(sampler.best < 0.0, np.nan, sampler.best).reshape(shape)
    return ReachMap(robot, sampler.grid, sampler.is_section, sampler.count.reshape(shape), best)


def branch_atlas(
    robot: Robot,
    orientation: ArrayLike | None = None,
    *,
    plane: PlaneName | None = None,
    at: float | None = None,
    cells: int = 120,
    progress: Progress | None = None,
) -> BranchAtlas:
    """Return how many solutions inverse kinematics has in each cell of a plane for one orientation of the tool.

    Solutions that differ only by whole turns count once. Of a redundant arm the branches are counted that have any.

    Args:
        robot: the arm with its tool.
        orientation: a rotation (3, 3) or pose (4, 4) whose rotation the tool keeps; left out, that at home.
        plane: xy, xz or yz; left out, the one that shows most of the arm.
        at: where the plane lies on the axis square to it (m); left out, through the first axis, or for xy through the
            tool at the home configuration.
        cells: along the longer side, 8 to 1000.
        progress: called now and then with what is done and the total.

    Raises:
        InvalidInput: if an argument is none of those.
        NotSupported: if the arm cannot choose an orientation at all, because moving the point uses up its axes, or if
            it has coupled joints.
    """
    from armlab.kinematics.all_ik import branches_batch
    from armlab.kinematics.seven import BRANCH_NAMES, recognise_seven
    from armlab.kinematics.solvers import solver_of

    plane = _checked(robot, plane, cells)
    _check_branches(robot)
    across, up, square = AXES[plane]
    rotation = robot.fk(robot.home)[:3, :3] if orientation is None else _rotation(orientation)
    level = _level(robot, plane, at)
    grid = grid_around_reach(robot, plane, cells)
    targets = np.tile(np.eye(4), (grid.rows * grid.columns, 1, 1))
    targets[:, :3, :3] = rotation
    targets[:, [across, up], 3] = grid.centres().reshape(-1, 2)
    targets[:, square, 3] = level
    solver = solver_of(robot)
    is_redundant = robot.dof == 7 and recognise_seven(robot) is not None
    solutions = np.zeros(len(targets), dtype=np.int64)
    for first in range(0, len(targets), TARGETS):
        if progress is not None:
            progress(first, len(targets))
        part = slice(first, min(first + TARGETS, len(targets)))
        _q, _flags, valid, _unclear = branches_batch(robot, solver, targets[part])
        if is_redundant:  # the same branches at several values of the free joint
            valid = np.asarray(valid.reshape(len(valid), -1, len(BRANCH_NAMES)).any(axis=1))
        solutions[part] = valid.sum(axis=1)
    if progress is not None:
        progress(len(targets), len(targets))
    return BranchAtlas(robot, grid, level, rotation.copy(), solutions.reshape(grid.rows, grid.columns))


def _check_branches(robot: Robot) -> None:
    if robot.followers:
        raise not_for_coupled(term(_("a map of branches")))
    if max(scaled_task(robot).rows) < 3 and (robot.chain.revolute > 0.5).any():
        raise NotSupported(
            "orientation_not_free",
            _("{robot} has {axes} axes, which moving its point uses up: it cannot keep an orientation"),
            robot=robot.name,
            axes=robot.dof,
        )


def _level(robot: Robot, plane: PlaneName, at: float | None) -> float:
    """Return where the plane lies on the axis square to it (m)."""
    if at is not None:
        level = float(at)
        if not math.isfinite(level):
            raise InvalidInput("level_not_finite", _("at: {level} is not a finite number"), level=level)
        return level
    if plane == "xy":
        return float(robot.fk(robot.home)[2, 3])
    return float((robot.base @ robot.uncoupled.joints[0].T_parent_joint)[AXES[plane][2], 3])


def _rotation(orientation: ArrayLike) -> Floats:
    array = np.asarray(orientation)
    if array.shape == (3, 3):
        T = np.eye(4)
        T[:3, :3] = array
        return pose.as_pose(T, "orientation")[:3, :3]
    return pose.as_pose(orientation, "orientation")[:3, :3]


def _checked(robot: Robot, plane: PlaneName | None, cells: int) -> PlaneName:
    if plane is not None and plane not in get_args(PlaneName):
        template = _("plane: '{plane}' is none of {known}")
        raise InvalidInput("unknown_plane", template, plane=plane, known=list(get_args(PlaneName)))
    if not FEWEST_CELLS <= cells <= MOST_CELLS:
        template = _("cells: {cells} is outside {fewest}…{most}")
        raise InvalidInput("cells_outside", template, cells=cells, fewest=FEWEST_CELLS, most=MOST_CELLS)
    return usual_plane(robot) if plane is None else plane
