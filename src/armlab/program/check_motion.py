"""What a motion asks of the drives: feeds that the joints cannot hold, and torques."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from armlab.arrays import Floats
from armlab.dynamics.along import torques_along
from armlab.dynamics.bodies import with_payload
from armlab.geometry.inertia import Inertia
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.motion.trajectory import JointState, Trajectory
from armlab.program.executor.pieces import CoveredTime, Numbered, Piece
from armlab.program.executor.tracking import placed
from armlab.program.executor.windows import is_move
from armlab.program.instructions import MoveC, MoveHelix, MoveL, MoveSpline
from armlab.units import MM_PER_M

TORQUE_STEP = 0.01
"""s between the places where torques are computed."""
MOST_TOLD = 10_000
"""Lines and joints that are remembered as told."""
AT_LIMIT, HELD = 0.99, 0.98
"""Shares of a joint's top speed and of the feed: where one is reached and the other is not, the feed is not held."""
MM_PER_MIN = 60.0 * MM_PER_M
FEED_NOT_HELD = _(
    "the feed of {feed:.0f} mm/min is not held: joint '{joint}' is at its top speed; slowest {speed:.0f} mm/min"
)


@dataclass(frozen=True, slots=True, eq=False)
class _Shifted:
    """A trajectory whose times count from the start of the program."""

    trajectory: Trajectory
    start: float

    def times(self, step: float, /) -> Floats:
        return np.asarray(self.trajectory.times(step) + self.start)

    def sample(self, t: Floats, /) -> JointState:
        return self.trajectory.sample(t - self.start)


class DriveMonitor:
    """Checks the pieces of a program one after the other; each joint is told once per line."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._has_efforts = bool(np.isfinite(robot.effort).any())
        self._is_estimated = "effort" in robot.estimated
        self._told: set[tuple[str, str, str]] = set()

    def check(
        self, piece: Piece, times: Floats, sample: JointState, points: Floats, load: Inertia
    ) -> Iterator[Finding]:
        """Yield what a piece asks too much of; times (m,) from its start, states there, points (m, 3) of the tool.

        `load` is what the tool holds, in its frame.
        """
        yield from self._feeds(piece, times, sample, points)
        if self._has_efforts and is_move(piece.covered[0].instruction):
            yield from self._torques(piece, load)

    def _torques(self, piece: Piece, load: Inertia) -> Iterator[Finding]:
        robot = with_payload(self._robot, load.mass, load.com, load.matrix) if load.mass > 0.0 else self._robot
        report = torques_along(robot, _Shifted(piece.trajectory, piece.start), step=TORQUE_STEP)
        for finding in report.findings:
            if "time" not in finding.where:
                continue
            if self._is_estimated and finding.severity == "error":
                finding = replace(finding, severity="warning")  # noqa: PLW2901 - the same one, less certain
            at = piece.covering(float(finding.where["time"]))
            yield from self._once(finding, at, str(finding.where["joint"]))

    def _feeds(self, piece: Piece, times: Floats, sample: JointState, points: Floats) -> Iterator[Finding]:
        """Yield the lines where a joint is at its top speed, and the tool slower than its feed."""
        shares = np.abs(sample.qd) / self._robot.velocity
        is_limited = shares.max(axis=1) >= AT_LIMIT
        if len(times) < 3 or not is_limited.any():
            return
        speeds = np.linalg.norm(np.gradient(points, times, axis=0), axis=1)
        ends = np.array([one.end for one in piece.covered])
        owner = np.minimum(np.searchsorted(ends, times), len(ends) - 1)
        feeds = np.array([_feed(one) for one in piece.covered])[owner]
        slow = np.flatnonzero(is_limited & (speeds < HELD * feeds))
        for k in np.unique(owner[slow]).tolist():
            rows = slow[owner[slow] == k]
            worst = int(rows[np.argmin(speeds[rows])])
            joint = self._robot.joints[int(np.argmax(shares[worst]))].name
            message = Message(
                "feed_not_held",
                FEED_NOT_HELD,
                feed=float(feeds[worst]) * MM_PER_MIN,
                speed=float(speeds[worst]) * MM_PER_MIN,
                joint=joint,
            )
            where: dict[str, float | int | str] = {"joint": joint, "time": piece.start + float(times[worst])}
            yield from self._once(Finding("warning", message, where), piece.covered[k], joint)

    def _once(self, finding: Finding, at: CoveredTime, joint: str) -> Iterator[Finding]:
        key = finding.code, joint, str(at.instruction.span or at.index)
        if key not in self._told:
            if len(self._told) < MOST_TOLD:
                self._told.add(key)
            yield placed(finding, Numbered(at.index, at.instruction), 0.0)


def _feed(one: CoveredTime) -> float:
    """Return the tool's speed that a move asks for, m/s; 0 where it asks for none."""
    move = one.instruction
    speed = move.settings.tool_speed if isinstance(move, MoveL | MoveC | MoveHelix | MoveSpline) else None
    return speed or 0.0
