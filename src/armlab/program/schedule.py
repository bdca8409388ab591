"""A whole program ahead of time: what the executor yields, for those who go back and forth in it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from armlab.errors import PlanningFailed
from armlab.model.robot import Robot
from armlab.motion.trajectory import Trajectory
from armlab.program.execution import Execution
from armlab.program.executor import Event, Executor, Piece
from armlab.program.executor.pieces import CoveredTime
from armlab.program.instructions import Pick, Place, Program, Report


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """All pieces of a program's motion, one after the other without gaps."""

    robot: Robot
    segments: tuple[Piece, ...]
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
    for item in Execution(Executor(robot, program.instructions, start=program.start)):
        check_planned(item)
        match item:
            case Piece():
                segments.append(item)
            case Event(instruction=Pick() | Place()):
                acts.append(item)
            case Event():
                pass  # a player shows motions; what is said is for checks and runs
    return Schedule(robot, tuple(segments), tuple(acts))


def check_planned(item: Piece | Event) -> None:
    """Refuse a step that cannot be planned.

    Raises:
        PlanningFailed: the message says which step and why, as does its parameter `step`.
    """
    match item:
        case Event(instruction=Report(finding=finding)) if finding.severity == "error":
            raise PlanningFailed(finding.message, step=item.index + 1)
        case _:
            pass
