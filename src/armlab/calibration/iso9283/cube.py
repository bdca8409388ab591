"""The test cube of ISO 9283: the largest that the arm can work in, its inclined plane, and the five poses on it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from armlab.arrays import Floats
from armlab.collision.checker import Checker
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.kinematics.ik import attempt_ik
from armlab.kinematics.reach import reach
from armlab.kinematics.task import TaskLike, default_task
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.motion.follow.follow import attempt_follow
from armlab.motion.toolpath.through import through

SHARES, HEIGHTS = (0.6, 0.5, 0.7, 0.4, 0.8), (0.3, 0.15, 0.45, 0.0, 0.6, -0.15)
"""Where the cube may be: how far out and up from the base, as shares of the arm's reach."""
SIDES = (1.0, 0.63, 0.4, 0.25, 0.16, 0.1, 0.063, 0.04)
"""m: the standard's series, and smaller ones for desktop arms."""
INSET = 0.8
"""P2 to P5 are 10 % of the diagonal away from the corners of the plane."""


@dataclass(frozen=True, slots=True, eq=False)
class MeasuringPlane:
    """Where an arm is tested."""

    side: float
    """Of the cube (m)."""
    centre: Floats
    """Of the cube, in the world (3,) m."""
    T: Floats
    """P1 to P5, T_world_tool (5, 4, 4)."""
    q: Floats
    """Joint values that put the nominal tool there, (5, n)."""
    axes: Floats
    """(2, 3): unit vectors in the plane, along its two sides."""
    task: TaskLike
    """What of a pose the arm can hold: arms of fewer than six axes hold positions."""


def measuring_plane(robot: Robot) -> MeasuringPlane:
    """Return the largest cube in front of the arm whose inclined plane C1 C2 C7 C8 it can work on, free of collisions.

    Raises:
        InvalidInput: if not even the smallest cube fits.
    """
    checker, span = Checker(Scene.of(robot)), reach(robot)
    outward = _outward(robot)
    tasks: list[TaskLike] = [default_task(robot), "position"] if robot.dof < 6 else [default_task(robot)]
    for side, task in product(SIDES, tasks):
        if side > 1.2 * span:
            continue
        for share, height, R in product(SHARES, HEIGHTS, _orientations(robot)):
            centre = robot.base[:3, 3] + share * span * outward + np.array([0.0, 0.0, height * span])
            T, axes = _poses(centre, side, R, outward)
            q = _joints(robot, T, task)
            if q is not None and np.all(checker.is_free(q)) and _can_follow(robot, T, q, task):
                T[:, :3, :3] = robot.fk(q)[:, :3, :3]  # as the arm holds it, where it cannot be held otherwise
                return MeasuringPlane(side, centre, T, q, axes, task)
    raise InvalidInput(
        "no_test_cube",
        _("{robot}: not even a cube of {side:g} mm fits into the workspace in front of it"),
        robot=robot.name,
        side=SIDES[-1] * 1e3,
    )


def _orientations(robot: Robot) -> list[Floats]:
    """Return how the tool may be held: as at home, and pointing down."""
    return [robot.fk(robot.home)[:3, :3], pose.from_xyz_abc(np.zeros(3), [0.0, 0.0, np.pi])[:3, :3]]


def _outward(robot: Robot) -> Floats:
    """Return the level direction from the foot to where the tool is at home, or x."""
    away = robot.fk(robot.home)[:3, 3] - robot.base[:3, 3]
    away[2] = 0.0
    size = float(np.linalg.norm(away))
    return away / size if size > 0.02 else np.array([1.0, 0.0, 0.0])


def _poses(centre: Floats, side: float, R: Floats, outward: Floats) -> tuple[Floats, Floats]:
    """Return P1 to P5 on the plane that rises outward from the cube's near lower edge to its far upper one."""
    left = np.cross([0.0, 0.0, 1.0], outward)
    uphill = (outward + np.array([0.0, 0.0, 1.0])) / np.sqrt(2.0)
    a, b = INSET * side / 2.0, INSET * side / np.sqrt(2.0)
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    T = np.broadcast_to(np.eye(4), (5, 4, 4)).copy()
    T[:, :3, :3] = R
    T[:, :3, 3] = [centre, *(centre + i * a * left + j * b * uphill for i, j in corners)]
    return T, np.array([left, uphill])


def _can_follow(robot: Robot, T: Floats, q: Floats, task: TaskLike) -> bool:
    """Tell whether one branch leads all round the plane."""
    round_it = through(T[[1, 2, 3, 4, 1, 3]])
    return attempt_follow(robot, round_it, start=q[1], task=task).path is not None


def _joints(robot: Robot, T: Floats, task: TaskLike) -> Floats | None:
    rows: list[Floats] = []
    start = robot.home
    for target in T:
        result = attempt_ik(robot, target, start=start, task=task)
        if not result.converged:
            return None
        rows.append(np.asarray(result.q))
        start = rows[0]
    q = np.array(rows)
    return q if np.abs(q - q[0]).max() < np.pi / 2.0 else None  # one branch for all of them
