"""What the writers for languages share that armlab does not read: lines, joint targets, and limits without a reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.messages import _, term
from armlab.program.instructions import MotionSettings, MoveC, MoveHelix, MoveJ, MoveL, MoveSpline, Probe, ReadInput
from armlab.program.translate.corners import corner
from armlab.program.translate.fitting import TranslationJob
from armlab.program.translate.record import PlainMove, ProgramRecord, RecordedStep
from armlab.program.translate.sampling import sampled_frames
from armlab.program.translate.step_writer import StepWriter
from armlab.program.translate.text import peak_speeds, programmed_speed

CHORD = 5e-5
"""m: how far lines may be from a curve."""
ROUND_SPEEDS = (0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
"""m/s: what is written where a program says no speed of the tool: the next above what the arm reached, or the last."""
JOINT_POINTS = 40
BETWEEN = 0.001
"""m: how far from the points that stand for a curve the path may be rounded."""
MOST_OF_LINE = 0.45
"""Share of a line that is rounded at most at either end: what both ends take must not meet."""


class Waypoint(NamedTuple):
    """A frame (4, 4) that a straight line leads to, the joint values (n,) there, and how far the corner is rounded."""

    frame: Floats
    q: Floats
    radius: float
    """m; 0: stop."""


class JointWaypoint(NamedTuple):
    """Joint values (n,) that a joint move leads to, from where it comes, and how far the corner is rounded."""

    q: Floats
    before: Floats
    radius: float
    seconds: float | None
    """How long that takes; None: as long as the program's share of speed makes it."""


def corner_radius(record: ProgramRecord, k: int, step: RecordedStep) -> float:
    """Return the radius (m) with which the corner behind a move is rounded; 0: stop."""
    move = step.instruction
    if not isinstance(move, PlainMove) or move.settings.blend is None:
        return 0.0
    if isinstance(move, MoveJ):
        return _joint_radius(record, k, step, move)
    following = record.curve_behind(k)
    return 0.0 if following is None else corner(move.settings.blend, step, following).radius


def _joint_radius(record: ProgramRecord, k: int, step: RecordedStep, move: MoveJ) -> float:
    """Return how far the tool is from the corner where a joint move begins to leave its line."""
    later = (one for one in record.steps[k + 1 :] if isinstance(one.instruction, MoveJ) and one.parts)
    following = next(later, None)
    if following is None or not step.parts or move.settings.blend is None:
        return 0.0
    robot = record.robot_of(move.settings)
    here, share = move.targets[-1], min(move.settings.blend.joints, MOST_OF_LINE)
    before = move.targets[-2] if len(move.targets) > 1 else step.sampled(2)[1][0]
    after = following.instruction.targets[0]  # type: ignore[union-attr]
    points = robot.fk(np.stack([here, here + share * (before - here), before, after]))[:, :3, 3]
    cut, *lines = np.linalg.norm(points[1:] - points[0], axis=1)
    return float(min(cut, *(MOST_OF_LINE * line for line in lines)))


def _between(points: Floats, most: float) -> list[float]:
    """Return how far corners at points (k, 3) behind the first may be rounded: `most`, or what their lines allow."""
    lengths = np.append(np.linalg.norm(np.diff(points, axis=0), axis=1), np.inf)
    return [min(most, MOST_OF_LINE * float(length)) for length in np.minimum(lengths[:-1], lengths[1:])]


def tool_speed(record: ProgramRecord, step: RecordedStep, settings: MotionSettings) -> float:
    """Return the speed (m/s) that is written for a move: the programmed one, or a round one above what it reaches."""
    programmed = programmed_speed(record, step, settings)
    if programmed is not None:
        return programmed
    reached = peak_speeds(record, step)[0]
    return next((speed for speed in ROUND_SPEEDS if speed >= reached), ROUND_SPEEDS[-1])


class PlainMoves(StepWriter):
    """Turns moves into targets."""

    def __init__(self, job: TranslationJob) -> None:
        super().__init__(job.record)

    def joint_waypoints(self, k: int, step: RecordedStep, move: MoveJ) -> list[JointWaypoint]:
        """Return what a joint move goes to or through."""
        own = list(move.targets)
        before = step.sampled(2)[1][0] if step.parts else self._joints_now
        seconds = None
        if step.parts and (move.scheme is not None or move.times is not None or len(own) > 1):
            self.flattening.add(term(_("schemes and times of joint motions")), step)
            own = list(step.sampled(JOINT_POINTS + 1)[1][1:])
            seconds = step.duration / JOINT_POINTS
        path = np.stack([before, *own])
        radii = _between(self._record.robot_of(move.settings).fk(path)[:, :3, 3], BETWEEN)
        radii[-1] = corner_radius(self._record, k, step)
        return [JointWaypoint(q, here, r, seconds) for q, here, r in zip(own, path[:-1], radii, strict=True)]

    def waypoints(
        self, k: int, step: RecordedStep, move: MoveL | MoveC | MoveHelix | MoveSpline | Probe
    ) -> list[Waypoint]:
        """Return the frames to which straight lines lead."""
        robot = self._record.robot_of(move.settings)
        if isinstance(move, MoveL):
            frames, inner = list(move.frames), move.corners or move.settings.blend
            most = 0.0 if inner is None else inner.radius or inner.tolerance
        elif isinstance(move, Probe):
            self.flattening.add(term(_("probing")), step)
            frames, most = [step.answer[1] if isinstance(step.answer, tuple) else move.frame], 0.0
        else:
            self.flattening.add(term(_("curves, which become short lines")), step)
            frames = list(sampled_frames(robot, step, CHORD).frames) if step.parts else []
            most = BETWEEN
        if not frames:
            return []
        radii = _between(np.stack([step.T_start, *frames])[:, :3, 3], most)
        radii[-1] = corner_radius(self._record, k, step)
        return [Waypoint(*one) for one in zip(frames, self.joints(step, frames), radii, strict=True)]

    def waited_for(
        self, step: RecordedStep, read: Callable[[str], str], words: tuple[str, str, str]
    ) -> list[str] | None:
        """Return the conditions that a step waits for, one after the other; None where only its time is known."""
        awaited = step.awaited
        if awaited is None or (isinstance(step.instruction, ReadInput) and step.instruction.mode == "now"):
            return None
        both = [one for one in (awaited.before, awaited) if one is not None and one.terms is not None]
        return [one.text(read, words) for one in both]
