"""Motions as points: as few frames as keep a polyline near to the tool's path, and joint values at even times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.kinematics.ik import attempt_ik
from armlab.model.robot import Robot
from armlab.program.translate.record import RecordedStep

LEVER = 0.2
"""m: a turn counts as the way of a point so far from the tool's."""
DENSE = 0.001
"""s between the samples that frames are chosen from."""
FEWEST, MOST = 60, 6000
MOST_NEAR = 1000
SAME_BRANCH = 0.3
"""rad: joint values for a frame that are farther from the motion's belong to another motion."""


class TimedFrames(NamedTuple):
    """Frames (k, 4, 4) of the tool behind the start, and the seconds (k,) from each to the next."""

    frames: Floats
    seconds: Floats


def sampled_frames(robot: Robot, step: RecordedStep, tolerance: float) -> TimedFrames:
    """Return frames so that straight lines between them stay within `tolerance` (m) of the motion of a step."""
    count = int(np.clip(step.duration / DENSE, FEWEST, MOST))
    times, q = step.sampled(count)
    frames = robot.fk(q)
    flat = np.concatenate([frames[:, :3, 3], LEVER * frames[:, :3, :3].reshape(count, 9)], axis=1)
    chosen = [0]
    while chosen[-1] < count - 1:
        chosen.append(_farthest_straight(flat, chosen[-1], tolerance))
    kept = np.array(chosen)
    return TimedFrames(frames[kept[1:]], np.diff(times[kept]))


def joints_at(robot: Robot, step: RecordedStep, frames: Sequence[Floats]) -> list[Floats]:
    """Return the joint values (n,) with which a step passes each of the frames (4, 4), in their order.

    The samples of the motion that are nearest to the frames, each no earlier than the one before, are where a search
    begins: at a corner that was rounded the motion only comes near.
    """
    count = int(np.clip(step.duration / DENSE, FEWEST, MOST_NEAR))
    q = step.sampled(count)[1]
    path = robot.fk(q)
    flat = np.concatenate([path[:, :3, 3], LEVER * path[:, :3, :3].reshape(count, 9)], axis=1)
    costs, best = np.zeros(count), []
    for T in frames:
        wanted = np.concatenate([T[:3, 3], LEVER * T[:3, :3].ravel()])
        least = np.minimum.accumulate(costs)
        costs = least + np.linalg.norm(flat - wanted, axis=1)
        best.append(costs)
    chosen, last = [], count
    for row in reversed(best):
        last = int(np.argmin(row[:last])) + 1
        chosen.append(last - 1)
    near = np.clip(q[chosen[::-1]], robot.lower, robot.upper)
    answer = attempt_ik(robot, np.stack(frames), start=near)
    is_near = answer.converged & (np.abs(answer.q - near).max(axis=1) < SAME_BRANCH)
    return list(np.where(is_near[:, None], answer.q, near))


def _farthest_straight(points: Floats, start: int, tolerance: float) -> int:
    """Return the last index up to which all points are near to a straight line from `start`."""
    low, high, last = start + 1, start + 2, len(points) - 1
    while high <= last and _is_straight(points[start : high + 1], tolerance):
        low, high = high, start + 2 * (high - start)
    high = min(high, last)
    if _is_straight(points[start : high + 1], tolerance):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if _is_straight(points[start : middle + 1], tolerance):
            low = middle
        else:
            high = middle
    return low


def _is_straight(points: Floats, tolerance: float) -> bool:
    d = points[-1] - points[0]
    size = float(d @ d)
    offsets = points - points[0]
    if size < 1e-24:
        return bool(np.linalg.norm(offsets, axis=1).max() <= tolerance)
    share = np.clip(offsets @ d / size, 0.0, 1.0)
    return bool(np.linalg.norm(offsets - share[:, None] * d, axis=1).max() <= tolerance)
