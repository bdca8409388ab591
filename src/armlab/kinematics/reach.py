"""How far an arm reaches."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.model.robot import Robot

SMALLEST_GAIN = 1e-9  # m; less is rounding
STARTS = 4096
KEPT = 12
SMALLEST_STEP = 1e-5  # of a joint's range: the distance is flat at its maximum, so this is far below 1e-6 m


def reach(robot: Robot, frame: int = -1) -> float:
    """Return the largest distance (m) of the tool point from the first joint's axis, inside the joint limits.

    For a robot whose first joint slides, it is the distance from that joint's origin. `frame` picks another
    point: the origin of that entry of `robot.frames(q)`.

    The maximum is looked for from the best of many seeded starts, one joint at a time, with a step that halves whenever
    nothing improves.
    """
    if not -robot.dof - 2 <= frame < robot.dof + 2:
        raise InvalidInput(f"frame: {frame} is not one of the {robot.dof + 2} frames of {robot.name}")
    rng = np.random.default_rng(0)
    span = robot.upper - robot.lower
    q = robot.lower + span * rng.random((STARTS, robot.dof))
    value = _distance(robot, q, frame)
    best = np.argsort(value)[-KEPT:]
    q, value = q[best], value[best]
    moves = np.concatenate([np.eye(robot.dof), -np.eye(robot.dof)]) * span
    step = 0.25
    while step > SMALLEST_STEP:
        tried = np.clip(q[:, None] + step * moves, robot.lower, robot.upper)
        values = _distance(robot, tried.reshape(-1, robot.dof), frame).reshape(len(q), -1)
        choice = values.argmax(axis=1)
        rows = np.arange(len(q))
        better = values[rows, choice] > value + SMALLEST_GAIN
        q = np.where(better[:, None], tried[rows, choice], q)
        value = np.where(better, values[rows, choice], value)
        if not better.any():
            step *= 0.5
    return float(value.max())


def _distance(robot: Robot, q: Floats, frame: int) -> Floats:
    points = robot.fk(q)[:, :3, 3] if frame == -1 else robot.frames(q)[:, frame, :3, 3]
    first = robot.joints[0]
    T_world_joint = robot.base @ first.T_parent_joint
    arm: Floats = points - T_world_joint[:3, 3]
    if first.kind == "revolute":
        axis = T_world_joint[:3, :3] @ first.axis
        arm = arm - np.outer(arm @ axis, axis)
    return np.asarray(np.linalg.norm(arm, axis=1))
