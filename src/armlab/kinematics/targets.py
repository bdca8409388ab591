"""Targets and starts from outside, checked once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import FLOAT64, Floats, as_rows
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.kernels.gate import are_exact_poses, is_inside
from armlab.kernels.trig import LARGEST
from armlab.messages import _
from armlab.model.joint_limits import check_joint_limits
from armlab.model.robot import Robot


def as_targets(T: ArrayLike) -> tuple[Floats, bool]:
    """Return targets (m, 4, 4) whose rotations are exact, and whether a single (4, 4) was given.

    Raises:
        InvalidInput: if it is no pose; the sentence says why.
    """
    plain = type(T) is np.ndarray and T.dtype is FLOAT64 and T.flags.carray and T.shape[-2:] == (4, 4)
    array: Floats = T if plain else pose.as_pose(T, "target")  # type: ignore[assignment]
    if array.ndim not in {2, 3}:
        raise InvalidInput(
            "target_shape", _("target: expected shape (4, 4) or (m, 4, 4), got {shape}"), shape=str(array.shape)
        )
    rows = array.reshape(-1, 4, 4)
    if not are_exact_poses(rows, pose.EXACT):
        rows = pose.as_pose(array, "target").reshape(-1, 4, 4)
        if np.abs(rows[:, :3, 3]).max(initial=0.0) > LARGEST:
            raise InvalidInput(
                "target_outside",
                _("target: {value:g} m is outside ±{limit:g} m"),
                value=float(np.abs(rows[:, :3, 3]).max()),
                limit=LARGEST,
            )
    return rows, array.ndim == 2


def as_start(robot: Robot, limits: tuple[Floats, Floats], start: ArrayLike | None) -> Floats:
    """Return the start (n,) of a single target; None is home. `limits` are the arm's, as kernels take them."""
    if start is None:
        return robot.home.copy()
    if robot.is_plain_row(start) and start.flags.carray and is_inside(start, *limits):
        return start
    row: Floats = as_starts(robot, start, 1)[0]
    return row


def as_starts(robot: Robot, start: ArrayLike | None, m: int) -> Floats:
    """Return one start per target, (m, n); None is home.

    Raises:
        LimitViolation: if a start is outside the limits; the sentence names the joint.
    """
    if start is None:
        return np.repeat(robot.home[None], m, axis=0)
    rows, single = as_rows(start, robot.dof, f"{robot.name}: start")
    if not single and len(rows) != m:
        raise InvalidInput(
            "start_count",
            _("start: {starts} starts for {targets} targets; give one, or one for each"),
            starts=len(rows),
            targets=m,
        )
    check_joint_limits(robot, rows, "start")
    inside = np.clip(rows, robot.lower, robot.upper)
    return inside if len(rows) == m else np.repeat(inside, m, axis=0)
