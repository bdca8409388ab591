"""Where a motion is to end: joint values, or poses with some freedom and every branch that reaches them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.geometry.pose import as_one_pose
from armlab.kernels.gate import LIMIT_SLACK
from armlab.kinematics.all_ik import all_ik
from armlab.kinematics.ik import solve_ik
from armlab.messages import _, term
from armlab.model.coupling import repeating
from armlab.model.joint_limits import check_joint_limits
from armlab.model.robot import Robot

MOST_GOALS = 1000
MOST_POSES = 100
POSES = 48
"""So many poses are tried of one that has some freedom, the pose itself among them."""
TURN = 2.0 * math.pi
ROOT = 1.1127756842787055
SAME = 1e-6
"""m or rad: how far outside of its freedom a pose still counts."""


@dataclass(frozen=True, slots=True, eq=False)
class PoseGoal:
    """A pose of the tool in the world (4, 4), and how far the end may be from it.

    The motion ends at whichever solution it comes to first.
    """

    T_world_tool: ArrayLike
    turn: float = 0.0
    """rad about the tool's z axis, either way; π for any angle."""
    tilt: float = 0.0
    """rad between the tool's z axis and that of the pose: the axis may lie anywhere in this cone."""
    box: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """m along the x, y and z axes of the pose, either way: the tool's origin may be anywhere in this box."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "T_world_tool", as_one_pose(self.T_world_tool, "goal: T_world_tool"))
        box = as_floats(self.box, (3,), "goal: box")
        if not (0.0 <= self.turn <= math.pi and 0.0 <= self.tilt <= math.pi and (box >= 0.0).all()):
            raise InvalidInput("goal_freedom", _("goal: turn and tilt must be between 0 and π rad, box ≥ 0 m"))

    @property
    def is_exact(self) -> bool:
        """Whether it is one pose."""
        return not (self.turn or self.tilt or any(self.box))

    def poses(self, count: int = POSES) -> Floats:
        """Return poses (k, 4, 4) that fit, spread evenly, the first as it is given."""
        T_world_goal = np.asarray(self.T_world_tool)
        if self.is_exact:
            return T_world_goal[None]
        # multiples of powers of the root of x⁷ = x + 1, without their whole parts, fill the unit cube of R⁶ evenly
        u = (0.5 + np.outer(np.arange(1, count), ROOT ** -np.arange(1.0, 7.0))) % 1.0
        T_goal_tool = np.tile(np.eye(4), (count, 1, 1))
        T_goal_tool[1:, :3, 3] = (2.0 * u[:, :3] - 1.0) * np.asarray(self.box)
        # cos of the lean is even between cos(tilt) and 1: axes are spread evenly over the cone's cap of the sphere
        lean = np.arccos(1.0 - u[:, 3] * (1.0 - math.cos(self.tilt)))
        turns = (2.0 * u[:, 5] - 1.0) * self.turn
        for T, angle, side, turn in zip(T_goal_tool[1:], lean, TURN * u[:, 4], turns, strict=True):
            T[:3, :3] = _leaning(angle, side) @ _turned(turn)
        return np.ascontiguousarray(T_world_goal @ T_goal_tool)

    def holds(self, T_world_tool: ArrayLike) -> bool:
        """Return whether a pose is within the freedom of the goal."""
        T = np.linalg.solve(np.asarray(self.T_world_tool), np.asarray(T_world_tool, dtype=float))
        x, y, z = T[:3, 2]
        lean, side = math.atan2(math.hypot(x, y), z), math.atan2(y, x)
        # what is left without the lean is a rotation about z
        R = _leaning(lean, side).T @ T[:3, :3]
        inside = bool((np.abs(T[:3, 3]) <= np.asarray(self.box) + SAME).all())
        return inside and lean <= self.tilt + SAME and abs(math.atan2(R[1, 0], R[0, 0])) <= self.turn + SAME


Goal: TypeAlias = ArrayLike | PoseGoal | Sequence[PoseGoal]
"""Joint values (n,), rows of them (k, n), a pose, or several poses; one of them is enough."""


def _turned(angle: float) -> Floats:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _leaning(angle: float, side: float) -> Floats:
    """Return the shortest rotation that leans the z axis by an angle to a side (rad from x)."""
    c, s = math.cos(angle), math.sin(angle)
    about_y = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    R: Floats = _turned(side) @ about_y @ _turned(-side)
    return R


def goals_of(robot: Robot, start: Floats, goal: Goal) -> Floats:
    """Return the configurations (k, n) at which a motion may end.

    Raises:
        Unreachable: if no configuration reaches a pose, with the reason.
        LimitViolation: if joint values are outside the limits.
    """
    poses = _poses_of(goal)
    if poses:
        return _at_poses(robot, start, poses)
    values = cast("ArrayLike", goal)
    rows = as_floats(values, (robot.dof,) if np.ndim(values) < 2 else (None, robot.dof), f"{robot.name}: goal")
    rows = rows.reshape(-1, robot.dof)
    _check_count(len(rows), MOST_GOALS)
    check_joint_limits(robot, rows, term(_("goal")))
    return rows


def _poses_of(goal: Goal) -> list[PoseGoal]:
    """Return the poses of a goal; none where it is joint values."""
    if isinstance(goal, PoseGoal):
        return [goal]
    if isinstance(goal, Sequence) and goal and all(isinstance(one, PoseGoal) for one in goal):
        _check_count(len(goal), MOST_POSES)
        return list(goal)
    return []


def _check_count(count: int, most: int) -> None:
    if not 0 < count <= most:
        raise InvalidInput(
            "goal_count", _("goal: {count} given; from 1 to {most} are possible"), count=count, most=most
        )


def _at_poses(robot: Robot, start: Floats, poses: list[PoseGoal]) -> Floats:
    """Return every solution of the poses, the ones nearest to the start where there are very many."""
    targets = [T for one in poses for T in one.poses(max(POSES // len(poses), 8))]
    found = [one.q for T in targets for one in all_ik(robot, T)]
    if not found:
        found = [solve_ik(robot, poses[0].T_world_tool, start=start)]  # or the reason why there is none
    rows = _near_turns(robot, start, np.array(found))
    nearest = np.argsort(np.linalg.norm(rows - start, axis=1), kind="stable")[:MOST_GOALS]
    return np.ascontiguousarray(rows[np.sort(nearest)])


def _near_turns(robot: Robot, start: Floats, rows: Floats) -> Floats:
    """Return the configurations with joints that turn all the way round at the turn nearest to the start; each once."""
    back = repeating(robot.joints, robot.followers)
    moved = rows.copy()
    moved[:, back] -= TURN * np.round((rows - start)[:, back] / TURN)
    moved = np.where(moved < robot.lower - LIMIT_SLACK, moved + TURN * back, moved)
    moved = np.where(moved > robot.upper + LIMIT_SLACK, moved - TURN * back, moved)
    _whole, first = np.unique(np.round(moved, 9), axis=0, return_index=True)
    return np.ascontiguousarray(moved[np.sort(first)])
