"""Windows of a run of joint moves: straight in joint space, with blended corners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.motion.limits import limits_of
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.timing.stream import PathPart
from armlab.motion.toolpath import turns
from armlab.program.executor.pieces import Numbered
from armlab.program.executor.windows import MoveSegment, Window, WindowEnds
from armlab.program.instructions import Blend, MotionSettings

SAME = 1e-6
"""rad or m: nearer joint values are the same."""
MOST_CUT = 0.49
"""A corner takes at most this share of a move."""
STRAIGHT_BACK = 1e-6
"""A corner turns straight back where the cosine of its directions is within this of -1: the arm stops there."""


@dataclass(frozen=True, slots=True, eq=False)
class JointSegment:
    """A straight line in joint space to joint values (n,)."""

    numbered: Numbered
    settings: MotionSettings
    blend: Blend | None
    q: Floats

    def is_away_from(self, q: Floats) -> bool:
        """Tell whether there is anything to do from `q` on."""
        return float(np.abs(self.q - q).max()) >= SAME


class JointWindows:
    """Plans windows of joint moves from joints `q` (n,) on; s counts seconds at the joints' top speeds."""

    def __init__(self, robot: Robot, q: Floats) -> None:
        self._robot, self._q = robot, q

    def window(self, segments: Sequence[MoveSegment], ends: WindowEnds) -> Window:
        """Return the window along segments; see WindowPlanner."""
        own = [segment for segment in segments if isinstance(segment, JointSegment)]
        limits = limits_of(self._robot)
        points = np.array([self._q, *(segment.q for segment in own)])
        steps = np.diff(points, axis=0)
        lengths = (np.abs(steps) / limits.velocity).max(axis=1)
        shares = np.array([segment.blend.joints if segment.blend is not None else 0.0 for segment in own[:-1]])
        shares = np.minimum(shares, MOST_CUT) * np.minimum(lengths[:-1], lengths[1:])
        slopes = steps / lengths[:, None]
        sizes = np.where(_turns_back(slopes), 0.0, shares)
        before, after = np.append(0.0, sizes), np.append(sizes, 0.0)
        first = 0.0 if ends.starts_at_rest else 0.5 * lengths[0]
        last = lengths[-1] if ends.is_last else 0.5 * lengths[-1]
        breaks, rows, places = [0.0], [], []
        for i in range(len(own)):
            low = first if i == 0 else before[i]
            high = last if i == len(own) - 1 else lengths[i] - after[i]
            if high - low > 1e-12 * lengths[i]:
                rows.append(_line(points[i] + slopes[i] * low, slopes[i] * (high - low)))
                breaks.append(breaks[-1] + high - low)
            if i == len(own) - 1:
                places.append(breaks[-1])
            elif after[i] > 0.0:
                size = float(after[i])
                rows.append(_corner(points[i + 1], slopes[i], slopes[i + 1], size))
                breaks.append(breaks[-1] + 2.0 * size)
                places.append(breaks[-1] - size)
            else:
                places.append(breaks[-1])
        path = PiecewisePolynomial(np.array(breaks), np.array(rows))
        corner = (after[:-1] <= 0.0) & (np.abs(np.diff(slopes, axis=0)).max(axis=1) > 1e-9)
        stops = np.array(places[:-1])[corner] if len(own) > 1 else np.empty(0)
        settings = [(segment.settings.speed, segment.settings.acceleration) for segment in own]
        scaled = limits.scaled(min(speed for speed, _a in settings), min(a for _s, a in settings))
        part = PathPart(path, scaled, None, stops, np.empty(0), ends.starts_at_rest, ends.is_last)
        self._q = points[-1] if ends.is_last else points[-2]
        return Window(part, segments, np.array(places))

    def explained(self, segment: MoveSegment, finding: Finding) -> Finding:
        """Return the finding: a line in joint space says all there is."""
        del segment
        return finding


def _turns_back(slopes: Floats) -> Floats:
    sizes = np.linalg.norm(slopes, axis=1)
    cosines = (slopes[:-1] * slopes[1:]).sum(axis=1) / (sizes[:-1] * sizes[1:])
    return np.asarray(cosines < STRAIGHT_BACK - 1.0)


def _line(start: Floats, step: Floats) -> Floats:
    out = np.zeros((6, len(start)))
    out[0], out[1] = start, step
    return out


def _corner(point: Floats, before: Floats, after: Floats, size: float) -> Floats:
    """Return the quintic (6, n) from `size` before a point to `size` behind it, with no bend at its ends."""
    flat = np.zeros((1, len(point)))
    width = 2.0 * size
    start, end = point - before * size, point + after * size
    return np.asarray(
        turns.quintics(start[None], (before * width)[None], flat, end[None], (after * width)[None], flat)[0]
    )
