"""How far an arm reaches."""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.model.coupling import repeating
from armlab.model.robot import Robot

SMALLEST_GAIN = 1e-9  # m; less is rounding
STARTS = 4096
KEPT = 12
ROUNDS = 6000
"""Rounds of the search times the number of joints, at most, but FEWEST_ROUNDS for any arm."""
FEWEST_ROUNDS = 200
SMALLEST_STEP = 1e-5  # of a joint's range: the distance is flat at its maximum, so this is far below 1e-6 m
STRIDES = np.array([1.0, 3.0, 10.0])
TURN = 2.0 * math.pi
WRIST_DOF = 6
ON_AXIS = 1e-9
"""m: a point nearer to an axis than this is on it."""


def wrist_reach(robot: Robot) -> float | None:
    """Return the largest distance (m) of the wrist centre from the first joint's axis, as most makers state the reach.

    None for an arm whose last three axes do not meet in one point.
    """
    if robot.followers or robot.dof != WRIST_DOF or any(joint.kind != "revolute" for joint in robot.joints):
        return None
    frames = robot.frames(0.5 * (robot.lower + robot.upper) + 0.1)
    centre = frames[WRIST_DOF - 1, :3, 3]
    for k in range(WRIST_DOF - 2, WRIST_DOF + 1):
        offset = centre - frames[k, :3, 3]
        axis = frames[k, :3, :3] @ robot.joints[k - 1].axis
        if float(np.linalg.norm(np.cross(axis, offset))) > ON_AXIS:
            return None
    return reach(robot, WRIST_DOF - 1)


def reach(robot: Robot, frame: int = -1) -> float:
    """Return the largest distance (m) of the tool point from the first joint's axis, inside the joint limits.

    For a robot whose first joint slides, it is the distance from that joint's origin. `frame` picks another
    point: the origin of that entry of `robot.frames(q)`.

    The maximum is looked for from the best of many seeded starts, one joint at a time, with a step that halves whenever
    nothing improves; after a bounded number of rounds the best so far is returned. Of a range that is longer than a
    turn, one turn is looked at.
    """
    count = len(robot.links) + 1
    if not -count <= frame < count:
        template = _("frame: {frame} is not one of the {count} frames of '{robot}'")
        raise InvalidInput("frame_index", template, frame=frame, count=count, robot=robot.name)
    rng = np.random.default_rng(0)
    lower = robot.lower
    span = np.where(
        repeating(robot.joints, robot.followers), np.minimum(robot.upper - lower, TURN), robot.upper - lower
    )
    q = lower + span * rng.random((STARTS, robot.dof))
    value = _distance(robot, q, frame)
    best = np.argsort(value)[-KEPT:]
    q, value = q[best], value[best]
    moves = np.concatenate([np.eye(robot.dof), -np.eye(robot.dof)]) * span
    step, anchor = 0.25, q
    for number in range(max(FEWEST_ROUNDS, ROUNDS // robot.dof)):
        if step <= SMALLEST_STEP:
            break
        # one joint at a time, and on along what the last rounds did together: where the maximum is a narrow ridge,
        # single joints alone zigzag (Hooke and Jeeves 1961)
        onward = STRIDES[:, None, None] * (q - anchor)
        tried = np.concatenate([q[:, None] + step * moves, q[:, None] + np.swapaxes(onward, 0, 1)], axis=1)
        tried = np.clip(tried, lower, lower + span)
        values = _distance(robot, tried.reshape(-1, robot.dof), frame).reshape(len(q), -1)
        if number % robot.dof == 0:
            anchor = q
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
    first = robot.uncoupled.joints[0]
    T_world_joint = robot.base @ first.T_parent_joint
    arm: Floats = points - T_world_joint[:3, 3]
    if first.kind == "revolute":
        axis = T_world_joint[:3, :3] @ first.axis
        arm = arm - np.outer(arm @ axis, axis)
    return np.asarray(np.linalg.norm(arm, axis=1))
