"""Targets and starts from outside, checked once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_rows
from armlab.errors import InvalidInput, LimitViolation
from armlab.kernels.gate import LIMIT_SLACK, are_exact_poses, is_inside
from armlab.kernels.trig import LARGEST
from armlab.model import pose
from armlab.model.robot import Robot
from armlab.units import joint_scale, joint_unit

_FLOAT64 = np.dtype(np.float64)


def as_targets(T: ArrayLike) -> tuple[Floats, bool]:
    """Return targets (m, 4, 4) whose rotations are exact, and whether a single (4, 4) was given.

    Raises:
        InvalidInput: if it is no pose; the sentence says why.
    """
    plain = type(T) is np.ndarray and T.dtype is _FLOAT64 and T.flags.carray and T.shape[-2:] == (4, 4)
    array: Floats = T if plain else pose.as_pose(T, "target")  # type: ignore[assignment]
    if array.ndim not in {2, 3}:
        raise InvalidInput(f"target: expected shape (4, 4) or (m, 4, 4), got {array.shape}")
    rows = array.reshape(-1, 4, 4)
    if not are_exact_poses(rows, pose.EXACT):
        rows = pose.as_pose(array, "target").reshape(-1, 4, 4)
        if np.abs(rows[:, :3, 3]).max(initial=0.0) > LARGEST:
            raise InvalidInput(f"target: {np.abs(rows[:, :3, 3]).max():g} m is outside ±{LARGEST:g} m")
    return rows, array.ndim == 2


def as_start(robot: Robot, limits: tuple[Floats, Floats], start: ArrayLike | None) -> Floats:
    """Return the start (n,) of a single target; None is the home pose. `limits` are the arm's, as kernels take them."""
    if start is None:
        return robot.home.copy()
    if robot.is_plain_row(start) and start.flags.carray and is_inside(start, *limits):
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
