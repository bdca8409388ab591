"""A whole program ahead of time: what the executor yields, for those who go back and forth in it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from armlab.errors import PlanningFailed
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.motion.trajectory import Trajectory
from armlab.program.executor import Event, Executor, Piece
from armlab.program.executor.pieces import CoveredTime
from armlab.program.instructions import Instruction, Pick, Place, Program, Report


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """A piece of motion at its time, and its first instruction; `covered` tells all of them."""

    index: int
    instruction: Instruction
    start: float
    trajectory: Trajectory
    covered: tuple[CoveredTime, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def end(self) -> float:
        """When it is over (s)."""
        return self.start + self.trajectory.duration


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """All segments of a program, one after the other without gaps."""

    robot: Robot
    segments: tuple[Segment, ...]
    acts: tuple[Event, ...] = ()
    """What the tool does, picks and places, in the order of time."""

    @property
    def covered(self) -> tuple[CoveredTime, ...]:
        """Every instruction that takes time, with its times from the start of the program."""
        return tuple(
            replace(one, start=segment.start + one.start, end=segment.start + one.end)
            for segment in self.segments
            for one in segment.covered
        )

    @property
    def duration(self) -> float:
        """How long the whole program takes (s)."""
        return self.segments[-1].end if self.segments else 0.0

    @property
    def trajectory(self) -> Trajectory:
        """The whole motion as one trajectory."""
        whole = self.segments[0].trajectory
        for segment in self.segments[1:]:
            whole = whole.then(segment.trajectory)
        return whole


def plan_program(robot: Robot, program: Program) -> Schedule:
    """Return every piece of a program's motion; each starts where the one before ends.

    Raises:
        PlanningFailed: if one cannot be planned; the message says which step and why, as does its parameter `step`.
    """
    segments, acts = [], []
    for item in Executor(robot, program.instructions, start=program.start):
        match item:
            case Event(instruction=Report(finding=finding)) if finding.severity == "error":
                raise PlanningFailed(finding.message, step=item.index + 1)
            case Piece(covered=covered):
                first = covered[0]
                segments.append(
                    Segment(first.index, first.instruction, item.start, item.trajectory, covered, item.findings)
                )
            case Event(instruction=Pick() | Place()):
                acts.append(item)
            case Event():
                pass  # a player shows motions; what is said is for checks and runs
    return Schedule(robot, tuple(segments), tuple(acts))
