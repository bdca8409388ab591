"""Rounded numbers made exact: right angles that a file writes as 1.5708, lengths that should be zero.

Closed forms need axes that are exactly square, parallel or crossing. A snapped arm is taken where it differs by less
than MOST_CHANGE from the given one at every pose, by a bound that holds for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.model.robot import Robot
from armlab.units import DEG_PER_RAD, MM_PER_M

NEAR = 1e-4
"""How far from a whole number entries of rotations, and from zero lengths (m), may be."""
LEAST = 1e-12
"""rad or m: smaller changes are those of the arithmetic."""
MOST_CHANGE = 1e-6
"""m: how far the tool of a snapped arm may be from the given one's, at any pose."""


MOST_NAMED = 20


class Snapped(NamedTuple):
    """An arm with exact right angles, and how far its tool is from the given arm's at most (m), at any pose."""

    robot: Robot
    change: float
    numbers: tuple[str, ...]
    """By how much which frames were changed: `A2: 0.00021°`, `flange: y 0.0003 mm`."""


def snapped(robot: Robot) -> Snapped | None:
    """Return the arm with right angles and zeros made exact; None if it has them already.

    Short lengths are left as they are where making them zero would change the arm too much.
    """
    if robot.followers:  # an arm with coupled joints has no closed form to be found
        return None
    tries = [_snapped(robot, length) for length in (NEAR, 0.0)]
    found = [each for each in tries if each.change > 0.0]
    return next((each for each in found if each.change <= MOST_CHANGE), found[-1] if found else None)


def _snapped(robot: Robot, length: float) -> Snapped:
    joints = [
        replace(joint, T_parent_joint=_whole(joint.T_parent_joint, length), axis=_whole_axis(joint.axis))
        for joint in robot.joints
    ]
    flange = _whole(robot.flange, length)
    made = replace(robot, joints=tuple(joints), flange=flange, configurations=dict(robot.configurations))
    places = [*(joint.T_parent_joint for joint in robot.joints), robot.flange]
    others = [*(joint.T_parent_joint for joint in joints), flange]
    turns = [_angle(one.axis, other.axis) for one, other in zip(robot.joints, joints, strict=True)]
    names = [*(joint.name for joint in robot.joints), "flange"]
    numbers = [text for row in zip(names, places, others, [*turns, 0.0], strict=True) for text in _changes(*row)]
    return Snapped(made, _bound(robot, places, others, [*turns, 0.0]), tuple(numbers[:MOST_NAMED]))


def _changes(name: str, given: Floats, made: Floats, turn: float) -> list[str]:
    """Return what was changed in one joint's frame: the angle by which it or its axis was turned, and lengths."""
    R = given[:3, :3].T @ made[:3, :3]
    angle = float(np.arcsin(min(np.linalg.norm(R - R.T) / np.sqrt(8.0), 1.0)))
    found = [f"{name}: {value * DEG_PER_RAD:.2g}°" for value in (angle, turn) if value > LEAST]
    for axis, one, other in zip("xyz", given[:3, 3], made[:3, 3], strict=True):
        if abs(one - other) > LEAST:
            found.append(f"{name}: {axis} {(one - other) * MM_PER_M:.2g} mm")
    return found


def _bound(robot: Robot, given: Sequence[Floats], made: Sequence[Floats], turns: Sequence[float]) -> float:
    """Return how far the tool moves at most: each step's shift, and its turn times the length of all after it.

    An axis that is turned turns what it carries by at most twice that angle.
    """
    strokes = [max(abs(j.lower), abs(j.upper)) if j.kind == "prismatic" else 0.0 for j in robot.joints]
    lengths = [float(np.linalg.norm(T[:3, 3])) for T in given]
    after = float(np.linalg.norm(robot.tool.T_flange_tool[:3, 3]))
    total = 0.0
    for i in reversed(range(len(given))):
        stroke = strokes[i] if i < len(strokes) else 0.0
        R, S = given[i][:3, :3], made[i][:3, :3]
        turn = float(np.linalg.norm(R - S, 2)) + 2.0 * turns[i]
        total += float(np.linalg.norm(given[i][:3, 3] - made[i][:3, 3])) + turn * (after + stroke)
        after += lengths[i] + stroke
    return total


def _whole(T: Floats, length: float) -> Floats:
    out = T.copy()
    R = np.rint(T[:3, :3])
    if np.abs(T[:3, :3] - R).max() <= NEAR and np.array_equal(R @ R.T, np.eye(3)):
        out[:3, :3] = R + 0.0
    out[:3, 3] = np.where(np.abs(T[:3, 3]) <= length, 0.0, T[:3, 3])
    return out


def _whole_axis(axis: Floats) -> Floats:
    whole = np.rint(axis)
    return whole + 0.0 if np.abs(axis - whole).max() <= NEAR and np.abs(whole).sum() == 1.0 else axis


def _angle(a: Floats, b: Floats) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))
