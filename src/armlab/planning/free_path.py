"""A path of straight motions that is proved free, and the motion along it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from armlab.arrays import Floats
from armlab.collision import Checker
from armlab.collision.straight import StraightMotions
from armlab.model.robot import Robot
from armlab.motion.limits import Limits, limits_of
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.timing.timing import jerk_limited, time_optimal
from armlab.motion.trajectory import Trajectory
from armlab.planning.certificate import Certificate
from armlab.planning.constraints import Constraint, bounds_of

CORNER = 0.5
"""rad or m along the path: a rounded corner begins at most so far before it."""
SHARE = 0.5
"""A rounded corner takes at most this share of the straight motion on either side."""
HALVINGS = 6
"""A rounded corner that is not free is made smaller so often; then the motion stops at the corner."""
STRAIGHT_BACK = -0.99
"""Cosine of a corner's two directions from which on the motion stops there: a curve would nearly stand, too."""
SAME = 1e-9
# A corner from −d to d in u = 0 … 1 that leaves and meets the straight lines with their direction and no curvature:
# q(u) = A + 2 d (u e₁ + w(u) (e₂ − e₁)), where w' = 10 u³ − 15 u⁴ + 6 u⁵ goes from 0 to 1 with w'' = 0 at both ends.
BLEND = np.array([0.0, 0.0, 0.0, 0.0, 2.5, -3.0, 1.0])


@dataclass(frozen=True, slots=True, eq=False)
class FreePath:
    """Points (m, n) in joint space, from the start to a goal; each straight motion between two of them is free."""

    checker: Checker = field(repr=False)
    robot_name: str
    points: Floats
    certificate: Certificate
    goals: Floats = field(repr=False)
    """(k, n) of which one was to be reached."""
    constraints: tuple[Constraint, ...] = ()
    """What is kept all along, besides being free."""

    @property
    def robot(self) -> Robot:
        """The arm that moves."""
        return self.checker.scene.robot(self.robot_name).robot

    @property
    def length(self) -> float:
        """The sum of the straight motions, each the root of the sum of squares of its joints' (rad and m)."""
        return float(np.linalg.norm(np.diff(self.points, axis=0), axis=1).sum())

    def rounded(self, corner: float = CORNER) -> tuple[PiecewisePolynomial, Floats]:
        """Return the path over its length with rounded corners, and where it still has a corner at which to stop.

        Each rounded corner is proved free as the straight motions are; one that is not is made smaller, and at last
        left as it is.
        """
        points = self.points[np.append(True, np.linalg.norm(np.diff(self.points, axis=0), axis=1) > SAME)]
        steps = np.diff(points, axis=0)
        lengths = np.linalg.norm(steps, axis=1)
        directions = steps / lengths[:, None]
        sizes = np.minimum(corner, SHARE * np.minimum(lengths[:-1], lengths[1:]))
        sizes[(directions[:-1] * directions[1:]).sum(axis=1) < STRAIGHT_BACK] = 0.0
        motions = self.checker.motions(self.robot_name)
        motions.constrain(bounds_of(self.checker, self.robot_name, self.constraints).rules)
        for i in np.flatnonzero(sizes > 0.0):
            sizes[i] = self._free_size(motions, points[i + 1], directions[i], directions[i + 1], float(sizes[i]))
        return _assembled(points, directions, lengths, sizes)

    def trajectory(
        self, limits: Limits | None = None, *, scheme: Literal["jerk", "fastest"] = "jerk", corner: float = CORNER
    ) -> Trajectory:
        """Return the motion along the path within the limits: with limited jerk, or the fastest.

        It runs on the rounded path and nowhere beside it, so that it is free as the path is.
        """
        if len(self.points) < 2 or self.length <= SAME:
            return Trajectory.rest(self.points[0], 1e-3)
        path, stops = self.rounded(corner)
        bounds = limits_of(self.robot) if limits is None else limits
        timed = jerk_limited if scheme == "jerk" else time_optimal
        return timed(path, bounds, stops=stops)

    def _free_size(self, motions: StraightMotions, corner: Floats, before: Floats, after: Floats, size: float) -> float:
        for _ in range(HALVINGS):
            blend = _blend(corner, before, after, size)
            curve = Trajectory(PiecewisePolynomial(np.array([0.0, 1.0]), blend[None]))
            if (
                motions.curve_keeps(blend)
                and self.checker.first_contact(curve, clearance=self.certificate.clearance, robot=self.robot_name)
                is None
            ):
                return size
            size *= 0.5
        return 0.0


def _blend(corner: Floats, before: Floats, after: Floats, size: float) -> Floats:
    """Return the polynomial (7, n) that rounds a corner from `size` before it to `size` behind it."""
    coefficients = np.outer(BLEND, 2.0 * size * (after - before))
    coefficients[0] += corner - size * before
    coefficients[1] += 2.0 * size * before
    return coefficients


def _assembled(
    points: Floats, directions: Floats, lengths: Floats, sizes: Floats
) -> tuple[PiecewisePolynomial, Floats]:
    """Return the curve of straight motions and rounded corners over its length, and the corners that are left."""
    breaks, rows, stops = [0.0], [], []
    terms, n = len(BLEND), points.shape[1]
    ends = np.concatenate([[0.0], sizes, [0.0]])
    for i, length in enumerate(lengths):
        straight = length - ends[i] - ends[i + 1]
        if straight > SAME:
            row = np.zeros((terms, n))
            row[0], row[1] = points[i] + ends[i] * directions[i], straight * directions[i]
            breaks.append(breaks[-1] + straight)
            rows.append(row)
        if i < len(sizes) and sizes[i] > 0.0:
            rows.append(_blend(points[i + 1], directions[i], directions[i + 1], float(sizes[i])))
            breaks.append(breaks[-1] + 2.0 * sizes[i])
        elif i < len(sizes):
            stops.append(breaks[-1])
    return PiecewisePolynomial(np.array(breaks), np.array(rows)), np.array(stops)
