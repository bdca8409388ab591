"""Arcs as G-code wants them: centre, axis and angle, of arcs that a program has and of joint moves that make one."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.model.robot import Robot
from armlab.program.instructions import MoveC, MoveHelix, MoveJ
from armlab.program.translate.record import RecordedStep

SMALLEST_RADIUS = 1e-3
"""m: on a smaller one the tool turns in its place."""
ON_ARC = 1e-7
"""m: how far points of the motion may be from the arc."""
LARGEST_PART = math.pi / 2.0
"""rad: an arc that turns the tool is written in parts that turn it by no more, so that it is known which way round."""
SAMPLES = 33


class ArcMotion(NamedTuple):
    """An arc in the world."""

    center: Floats
    axis: Floats
    """Of length 1."""
    angle: float
    """rad, positive to the left about the axis."""
    end: Floats
    """Frame of the tool (4, 4)."""


def arc_of(step: RecordedStep, move: MoveC | MoveHelix) -> ArcMotion | None:
    """Return an arc of a program; None where it is told by an angle of its own or is straight."""
    if isinstance(move, MoveHelix):
        return ArcMotion(move.center, move.axis / np.linalg.norm(move.axis), move.angle, move.frame)
    from armlab.program.krl.arcs import circle

    begin = step.T_start[:3, 3]
    found = circle(begin, move.via, move.frame[:3, 3])
    if found is None or move.angle is not None:
        return None
    center, axis = found
    a, b = begin - center, move.frame[:3, 3] - center
    angle = float(np.arctan2(axis @ np.cross(a, b), a @ b) % (2.0 * np.pi))
    return ArcMotion(center, axis, angle, move.frame)


def turning_arcs(robot: Robot, step: RecordedStep, move: MoveJ) -> list[ArcMotion]:
    """Return the arcs, one behind the other, on which a joint move leads its tool; empty where it is on no circle.

    A single joint that turns carries the tool round its axis.
    """
    q, q_end = step.sampled(2)[1][0], move.targets[-1]
    moving = np.flatnonzero(np.abs(q_end - q) > 1e-9)
    if len(moving) != 1 or len(move.targets) != 1:
        return []
    shares = np.linspace(0.0, 1.0, SAMPLES)
    frames = robot.fk(q + shares[:, None] * (q_end - q))
    turns = pose.rotation_vector(frames[1:, :3, :3] @ np.swapaxes(frames[:-1, :3, :3], 1, 2))
    angles = np.linalg.norm(turns, axis=1)
    if angles[0] < 1e-9:  # a joint that slides
        return []
    axis = turns[0] / angles[0]
    start = frames[0, :3, 3]
    step_of_p = frames[1, :3, 3] - start
    # A chord and the angle over it give the centre: half the chord aside, and half of it over tan(angle / 2) inwards.
    center = start + 0.5 * step_of_p + np.cross(axis, step_of_p) / (2.0 * math.tan(angles[0] / 2.0))
    radius = float(np.linalg.norm(start - center))
    whole = float(angles.sum())
    rotations = pose.from_xyz_axis_angle(np.zeros(3), axis, shares * whole)[:, :3, :3]
    off = np.abs(center + rotations @ (start - center) - frames[:, :3, 3]).max()
    if radius < SMALLEST_RADIUS or off > ON_ARC:
        return []
    count = max(1, math.ceil(whole / LARGEST_PART - 1e-9))
    ends = robot.fk(q + np.linspace(0.0, 1.0, count + 1)[1:, None] * (q_end - q))
    return [ArcMotion(center, axis, whole / count, end) for end in ends]
