"""What the writers for languages share that armlab does not read: lines, joint targets, and limits without a reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from armlab.arrays import Floats
from armlab.messages import _, term
from armlab.program.instructions import MotionSettings, MoveC, MoveHelix, MoveJ, MoveL, MoveSpline, Probe, ReadInput
from armlab.program.translate.corners import corner
from armlab.program.translate.fitting import TranslationJob
from armlab.program.translate.record import PlainMove, ProgramRecord, RecordedStep
from armlab.program.translate.sampling import sampled_frames
from armlab.program.translate.step_writer import StepWriter
from armlab.program.translate.text import peak_speeds

CHORD = 5e-5
"""m: how far lines may be from a curve."""
FREE = 1.25
LEAST_SPEED, LEAST_ACCELERATION, LEAST_TURN = 1e-3, 0.1, 0.1
JOINT_POINTS = 40
BLEND_OF_JOINTS = 0.02
"""m: a blend of joint moves, in languages that have a radius for it."""


class SettingsLimits(NamedTuple):
    """m/s, m/s² and rad/s of the tool."""

    speed: float
    acceleration: float
    turn_speed: float


def corner_radius(record: ProgramRecord, k: int, step: RecordedStep) -> float:
    """Return the radius (m) with which the corner behind a move is rounded; 0: stop."""
    move = step.instruction
    if not isinstance(move, PlainMove) or move.settings.blend is None:
        return 0.0
    if isinstance(move, MoveJ):
        return BLEND_OF_JOINTS
    following = record.curve_behind(k)
    return 0.0 if following is None else corner(move.settings.blend, step, following).radius


def free_limits(record: ProgramRecord) -> SettingsLimits:
    """Return limits that do not bind: a little above what the arm reaches anywhere in a program."""
    peaks = [(0.0, 0.0, 0.0), *(peak_speeds(record, step) for step in record.steps if step.parts)]
    speed, acceleration, turn = (FREE * max(column) for column in zip(*peaks, strict=True))
    return SettingsLimits(max(speed, LEAST_SPEED), max(acceleration, LEAST_ACCELERATION), max(turn, LEAST_TURN))


class PlainMoves(StepWriter):
    """Turns moves into targets."""

    def __init__(self, job: TranslationJob) -> None:
        super().__init__(job.record)
        self._free = free_limits(job.record)

    def limits(self, settings: MotionSettings) -> SettingsLimits:
        """Return the limits of a move; where the program gives none, such that do not bind."""
        free = self._free
        return SettingsLimits(
            settings.tool_speed or free.speed,
            settings.tool_acceleration or free.acceleration,
            settings.turn_speed or free.turn_speed,
        )

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
            frames = (
                list(sampled_frames(self._record.robot_of(move.settings), step, CHORD).frames) if step.parts else []
            )
        for i, frame in enumerate(frames):
            yield frame, q, i == len(frames) - 1

    def waited_for(
        self, step: RecordedStep, read: Callable[[str], str], words: tuple[str, str, str]
    ) -> list[str] | None:
        """Return the conditions that a step waits for, one after the other; None where only its time is known."""
        awaited = step.awaited
        if awaited is None or (isinstance(step.instruction, ReadInput) and step.instruction.mode == "now"):
            return None
        both = [one for one in (awaited.before, awaited) if one is not None and one.terms is not None]
        return [one.text(read, words) for one in both]
