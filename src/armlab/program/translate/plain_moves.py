"""What the writers for languages share that armlab does not read: lines, joint targets, and limits without a reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from armlab.arrays import Floats
from armlab.messages import _, term
from armlab.program.instructions import MoveC, MoveHelix, MoveJ, MoveL, MoveSpline, Pace, Probe, ReadInput
from armlab.program.translate.corners import corner
from armlab.program.translate.fitting import TranslationJob
from armlab.program.translate.record import PlainMove, ProgramRecord, RecordedStep, ToolCurve
from armlab.program.translate.sampling import sampled_frames
from armlab.program.translate.text import Flattening, peak_speeds

CHORD = 5e-5
"""m: how far lines may be from a curve."""
FREE = 1.25
LEAST_SPEED, LEAST_ACCELERATION, LEAST_TURN = 1e-3, 0.1, 0.1
JOINT_POINTS = 40
BLEND_OF_JOINTS = 0.02
"""m: a blend of joint moves, in languages that have a radius for it."""


class PaceLimits(NamedTuple):
    """m/s, m/s² and rad/s of the tool."""

    speed: float
    acceleration: float
    turn_speed: float


def limits_of_pace(record: ProgramRecord, step: RecordedStep, pace: Pace) -> PaceLimits:
    """Return the limits of a move; where the program gives none, a little above what the arm reaches."""
    speed, acceleration, turn = (FREE * value for value in peak_speeds(record, step))
    return PaceLimits(
        pace.tool_speed or max(speed, LEAST_SPEED),
        pace.tool_acceleration or max(acceleration, LEAST_ACCELERATION),
        pace.turn_speed or max(turn, LEAST_TURN),
    )


def corner_radius(record: ProgramRecord, k: int, step: RecordedStep) -> float:
    """Return the radius (m) with which the corner behind a move is rounded; 0: stop."""
    move = step.instruction
    if not isinstance(move, PlainMove) or move.pace.blend is None:
        return 0.0
    if isinstance(move, MoveJ):
        return BLEND_OF_JOINTS
    following = next((s for s in record.steps[k + 1 :] if isinstance(s.instruction, ToolCurve)), None)
    return 0.0 if following is None else corner(move.pace.blend, step, following).radius


class PlainMoves:
    """Turns moves into targets."""

    def __init__(self, job: TranslationJob) -> None:
        self.flattening = Flattening()
        self._record = job.record

    def joint_targets(self, step: RecordedStep, move: MoveJ) -> list[Floats]:
        """Return the joint values (n,) that a move goes to or through."""
        if (move.scheme is None and move.times is None and len(move.targets) == 1) or not step.parts:
            return list(move.targets)
        self.flattening.add(term(_("schemes and times of joint motions")), step)
        return list(step.sampled(JOINT_POINTS + 1)[1][1:])

    def frames(
        self, step: RecordedStep, move: MoveL | MoveC | MoveHelix | MoveSpline | Probe
    ) -> Iterator[tuple[Floats, Floats, bool]]:
        """Yield frames to which straight lines lead, joint values near them, and whether it is the last."""
        q = step.q_end if step.parts else self._record.start
        if isinstance(move, Probe):
            self.flattening.add(term(_("probing")), step)
            yield (step.answer[1] if isinstance(step.answer, tuple) else move.frame), q, True
            return
        if isinstance(move, MoveL):
            frames = list(move.frames)
        else:
            self.flattening.add(term(_("curves, which become short lines")), step)
            frames = list(sampled_frames(self._record.robot_of(move.pace), step, CHORD).frames) if step.parts else []
        for i, frame in enumerate(frames):
            yield frame, q, i == len(frames) - 1

    def waited_for(
        self, step: RecordedStep, read: Callable[[str], str], words: tuple[str, str, str]
    ) -> list[str] | None:
        """Return the conditions that a step waits for, one after the other; None where only its time is known."""
        awaited = step.awaited
        if awaited is None or (isinstance(step.instruction, ReadInput) and step.instruction.mode == "now"):
            if isinstance(step.instruction, ReadInput) or step.duration > 0.0:
                self.flattening.add(term(_("decisions by inputs and the time")), step)
            return None
        both = [one for one in (awaited.before, awaited) if one is not None and one.terms is not None]
        return [one.text(read, words) for one in both]
