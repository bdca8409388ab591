"""Targets and starts from outside, checked once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_rows
from armlab.errors import InvalidInput, LimitViolation
from armlab.kernels.gate import EXACT_POSE, LIMIT_SLACK, NO_POSE, grade_poses, is_inside
from armlab.model import pose
from armlab.model.robot import Robot
from armlab.units import joint_scale, joint_unit

EXACT = 1e-13

_FLOAT64 = np.dtype(np.float64)


def as_targets(T: ArrayLike) -> tuple[Floats, bool]:
    """Return targets (m, 4, 4) whose rotations are exact, and whether a single (4, 4) was given.

    Raises:
        InvalidInput: if it is no pose; the sentence says why.
    """
    plain = type(T) is np.ndarray and T.dtype is _FLOAT64 and T.flags.carray and T.shape[-2:] == (4, 4)
    array: Floats = T if plain else pose.as_pose(T, "target")  # type: ignore[assignment]
    single = array.ndim == 2
    if array.ndim not in {2, 3}:
        raise InvalidInput(f"target: expected shape (4, 4) or (m, 4, 4), got {array.shape}")
    rows = array.reshape(-1, 4, 4)
    grade = grade_poses(rows, pose.ROTATION_TOLERANCE, EXACT)
    if grade == EXACT_POSE:
        return rows, single
    if grade == NO_POSE:
        pose.as_pose(rows[0] if single else rows, "target")
        raise InvalidInput("target: the upper left 3×3 is no rotation")
    return _nearest_rotations(rows), single


def as_start(robot: Robot, limits: tuple[Floats, Floats], start: ArrayLike | None) -> Floats:
    """Return the start (n,) of a single target; None is the home pose. `limits` are the arm's, as kernels take them."""
    if start is None:
        return robot.home.copy()
    if robot.is_plain_row(start) and is_inside(start, *limits):
        return start
    row: Floats = as_starts(robot, start, 1)[0]
    return row


def as_starts(robot: Robot, start: ArrayLike | None, m: int) -> Floats:
    """Return one start per target, (m, n); None is the home pose.

    Raises:
        LimitViolation: if a start is outside the limits; the sentence names the joint.
    """
    if start is None:
        return np.repeat(robot.home[None], m, axis=0)
    rows, single = as_rows(start, robot.dof, f"{robot.name}: start")
    if not single and len(rows) != m:
        raise InvalidInput(f"start: {len(rows)} starts for {m} targets; give one, or one for each")
    outside = (rows < robot.lower - LIMIT_SLACK) | (rows > robot.upper + LIMIT_SLACK)
    if outside.any():
        row, i = (int(v) for v in np.argwhere(outside)[0])
        raise limit_violation(robot, i, float(rows[row, i]), "start: ")
    inside = np.clip(rows, robot.lower, robot.upper)
    return inside if len(rows) == m else np.repeat(inside, m, axis=0)


def limit_violation(robot: Robot, i: int, value: float, who: str = "") -> LimitViolation:
    """Return the error that joint `i` cannot have `value`."""
    joint = robot.joints[i]
    scale, unit = joint_scale(joint.kind), joint_unit(joint.kind)
    lower, upper = joint.lower / scale, joint.upper / scale
    return LimitViolation(
        f"{who}joint '{joint.name}': {value / scale:.1f}{unit} is outside {lower:.1f}…{upper:.1f}{unit}",
        joint=joint.name,
        value=value,
        limits=[joint.lower, joint.upper],
    )


def _nearest_rotations(T: Floats) -> Floats:
    """Return poses whose rotations, a little off, are replaced by the nearest exact ones."""
    U, _, Vt = np.linalg.svd(T[:, :3, :3])
    out = T.copy()
    out[:, :3, :3] = U @ Vt
    return out
