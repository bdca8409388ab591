"""The moves of a program: joined into runs or planned by themselves; what is done about those that fail."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from typing import Literal, TypeAlias, assert_never

import numpy as np

from armlab.arrays import Floats
from armlab.errors import ArmlabError
from armlab.kinematics.ik import attempt_ik
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.motion.trajectory import Trajectory
from armlab.program.executor.continuous import ContinuousRun, RunFailure, TimedWindow
from armlab.program.executor.joint_windows import JointSegment, JointWindows
from armlab.program.executor.pieces import CoveredTime, Event, Numbered, Piece
from armlab.program.executor.single import joints_of, plan_single
from armlab.program.executor.tool_segments import ToolMove, ToolSegment, distance_of_rows, segments_of
from armlab.program.executor.tool_windows import ToolWindows
from armlab.program.executor.tracking import Tracking, placed
from armlab.program.instructions import (
    MotionSettings,
    MoveC,
    MoveHelix,
    MoveJ,
    MoveL,
    MoveSpline,
    Probe,
    Report,
    SetOutput,
)

OnError = Literal["stop", "skip"]
Yielded: TypeAlias = Piece | Event

SHIFT_SAMPLES = 400
"""Points of a motion between which its tool travels evenly."""


class Motions:
    """Plans the moves of a program for one arm from joints `q` (n,) on; `track` knows the time."""

    def __init__(self, robot: Robot, q: Floats, track: Tracking, lookahead: int, on_error: OnError) -> None:
        self.robot, self.q = robot, q
        """The arm, and its joints (n,) when all that was yielded is over."""
        self.is_stopped = False
        """Whether an error ended the program."""
        self._is_lost = False
        """Whether the arm is nowhere: after a move that cannot be done, until one whose end can be reached."""
        self._track, self._lookahead, self._on_error = track, lookahead, on_error
        self._T: Floats | None = None
        self._rows: tuple[Floats | None, list[list[float]]] = (None, [])
        """The frame that was appended last, and the same as plain numbers."""
        self._run: ContinuousRun | None = None
        self._run_end = q
        self._ahead: list[Numbered] = []
        """Outputs that come along the next move."""
        self._key: tuple[object, ...] = ()
        self._robots: dict[bytes, Robot] = {}
        self._moving = robot

    def stop_at_errors(self) -> bool:
        """End the program here, if errors do that; tell whether."""
        self.is_stopped = self._on_error == "stop"
        return self.is_stopped

    def ride(self, numbered: Numbered) -> bool:
        """Let an instruction happen when the moves so far are over, without a stop; False where none is under way.

        An output that is shifted into the next move waits for it.
        """
        instruction = numbered.instruction
        if self._run is not None:
            self._run.ride(numbered)
        elif isinstance(instruction, SetOutput) and max(instruction.delay, instruction.distance) > 0.0:
            self._ahead.append(numbered)
        else:
            return False
        return True

    def rest(self) -> Iterator[Event]:
        """Yield the outputs that waited for a move, when none follows."""
        for rider in self._ahead:
            yield Event(self._track.time, rider.index, rider.instruction)
        self._ahead = []

    def _begin(self, run: ContinuousRun, key: tuple[object, ...]) -> None:
        self._run, self._key = run, key
        for rider in self._ahead:
            run.ride(rider)
        self._ahead = []

    def tool_robot(self, settings: MotionSettings) -> Robot:
        """Return the arm with the tool that the settings name."""
        if settings.T_flange_tool is None:
            return self.robot
        key = settings.T_flange_tool.tobytes()
        if key not in self._robots:
            tool = replace(self.robot.tool, T_flange_tool=settings.T_flange_tool)
            self._robots[key] = self.robot.with_tool(tool)
        return self._robots[key]

    def _frame(self, robot: Robot) -> Floats:
        """Return where the tool of an arm is: where its last move was to end, or by its joints."""
        if self._T is None or robot is not self._moving:
            self._T = robot.fk(self.q)
        self._moving = robot
        return self._T

    def append(self, numbered: Numbered) -> bool:
        """Add a line to the run that is under way, if it is like the last one and nothing has to be planned yet.

        Most lines of long programs are: this is `tool_move` without all that they do not need.
        """
        move, run = numbered.instruction, self._run
        if run is None or self._T is None or run.is_full or not isinstance(move, MoveL):
            return False
        if move.settings is not run.last_settings or len(move.frames) != 1:
            return False
        frame = move.frames[0]
        known, before = self._rows
        rows = frame.tolist()
        length = distance_of_rows(before if known is self._T else self._T.tolist(), rows)
        if length > 0.0:
            run.append(ToolSegment(numbered, move.settings, move.settings.blend, frame, None, length))
            self._T, self._rows = frame, (frame, rows)
        return True

    def tool_move(self, numbered: Numbered) -> Iterator[Yielded]:
        """Move the tool: join the run that is under way, or begin one."""
        move = numbered.instruction
        assert isinstance(move, ToolMove)
        robot = self.tool_robot(move.settings)
        if self._is_lost:
            yield from self._found_again(numbered, robot, _end_of(move))
            return
        key = ("tool", id(robot), move.settings.task)
        if self._run is not None and key != self._key:
            yield from self.flush()
            if self._is_lost or self.is_stopped:
                return
        T = self._frame(robot)
        try:
            segments = list(segments_of(numbered, T))
        except ArmlabError as error:
            yield from self.flush()
            yield from self.failed(numbered, Finding("error", error.message), robot, _end_of(move))
            return
        if self._run is None and segments:
            windows = ToolWindows(robot, self.q, T, move.settings.task)
            self._begin(ContinuousRun(windows, self._lookahead, can_continue=windows.can_continue), key)
        if segments:
            self._T = segments[-1].frame
        yield from self._added(segments)
        if move.settings.blend is None:
            yield from self.flush()

    def joint_move(self, numbered: Numbered) -> Iterator[Yielded]:
        """Move the joints: by itself, or in a run of joint moves that are blended."""
        move = numbered.instruction
        assert isinstance(move, MoveJ)
        robot = self.tool_robot(move.settings)
        blend = move.settings.blend
        is_plain = move.scheme is None and move.times is None and move.settings.seconds is None
        key = ("joint", id(robot))
        joins = blend is not None and blend.joints > 0.0 and is_plain
        if self._run is not None and (key != self._key or not is_plain):
            yield from self.flush()
        if self.is_stopped:
            return
        if self._run is None and (self._is_lost or not joins):
            yield from self.alone(numbered, numbered)
            return
        before = self._run_end if self._run is not None else self.q
        try:
            points = joints_of(robot, before, move)
        except ArmlabError as error:
            yield from self.flush()
            yield from self.failed(numbered, Finding("error", error.message), robot, _end_of(move))
            return
        if self._run is None:
            self._begin(ContinuousRun(JointWindows(robot, self.q), self._lookahead), key)
        self._T = None
        segments = [JointSegment(numbered, move.settings, blend, point) for point in points]
        self._run_end = points[-1]
        yield from self._added([s for s, a in zip(segments, [before, *points], strict=False) if s.is_away_from(a)])
        if not joins:
            yield from self.flush()

    def _added(self, segments: Iterable[ToolSegment | JointSegment]) -> Iterator[Yielded]:
        for segment in segments:
            run = self._run
            if run is None:
                return
            for window in run.add(segment):
                yield self._piece(window)
            if run.failure is not None:
                self._run = None
                yield from self._recovered(run.failure)

    def flush(self) -> Generator[Yielded, None, None]:
        """Bring the run to its end: the arm stands."""
        run, self._run = self._run, None
        if run is None:
            return
        pending = run.pending
        if run.is_untouched and pending and all(s.numbered is pending[0].numbered for s in pending):
            riders = run.riders
            self._ahead = [rider for after, rider in riders if after == 0]
            yield from self.alone(pending[0].numbered, pending[0].numbered)
            yield from self.rest()
            for after, rider in riders:
                if after > 0:
                    yield Event(self._track.time, rider.index, rider.instruction)
            return
        for window in run.finish():
            yield self._piece(window)
        if run.failure is not None:
            yield from self._recovered(run.failure)
            yield from self.flush()

    def _piece(self, window: TimedWindow) -> Piece:
        start = self._track.time
        self.q = window.trajectory.end
        events = tuple(Event(start + time, rider.index, rider.instruction) for time, rider in window.passed)
        found = tuple(placed(finding, number, start) for number, finding in window.findings)
        return Piece(start, window.trajectory, window.covered, events, found, window.ends_within)

    def alone(self, planned: Numbered, numbered: Numbered) -> Iterator[Yielded]:
        """Do one move by itself."""
        move = planned.instruction
        assert isinstance(move, MoveJ | ToolMove)
        robot = self.tool_robot(move.settings)
        if self._is_lost:
            yield from self._found_again(numbered, robot, _end_of(move))
            return
        try:
            motion = plan_single(robot, self.q, move)
        except ArmlabError as error:
            yield from self.failed(numbered, Finding("error", error.message), robot, _end_of(move))
            return
        self._T = None
        if motion.trajectory is None:
            return
        start = self._track.time
        self.q = motion.trajectory.end
        covered = CoveredTime(numbered.index, numbered.instruction, 0.0, motion.trajectory.duration)
        found = tuple(placed(finding, numbered, start) for finding in motion.findings)
        events = [Event(start + time_along(robot, motion.trajectory, r), r.index, r.instruction) for r in self._ahead]
        self._ahead = []
        yield Piece(start, motion.trajectory, (covered,), tuple(sorted(events, key=lambda event: event.time)), found)

    # -- what goes wrong ---------------------------------------------------------------------------------------------

    def failed(
        self, numbered: Numbered, finding: Finding, robot: Robot | None = None, end: Floats | None = None
    ) -> Iterator[Yielded]:
        """Report what cannot be done; then end, or go on where the move would have ended."""
        span = numbered.instruction.span
        yield Event(self._track.time, numbered.index, Report(placed(finding, numbered, self._track.time), span))
        if self._on_error == "stop":
            self.is_stopped = True
            return
        if robot is not None and end is not None:
            self._move_there(robot, end, numbered)

    def _move_there(self, robot: Robot, end: Floats, numbered: Numbered) -> Message:
        """Put the arm where a move ends, without a motion; where that is out of reach it is nowhere: return why."""
        move = numbered.instruction
        assert isinstance(move, MoveJ | ToolMove)
        if end.ndim == 1:
            self._T, self._is_lost = None, bool((end < robot.lower).any() or (end > robot.upper).any())
            self.q = self.q if self._is_lost else end
            return Message("joints_outside", _("the target is outside the joint limits"))
        there = attempt_ik(robot, end, start=self.q, task=move.settings.task)
        self._moving, self._T = robot, end
        self._is_lost = not there.converged
        if there.converged:
            self.q = np.asarray(there.q)
        reason: Message = there.reason
        return reason

    def _found_again(self, numbered: Numbered, robot: Robot, end: Floats) -> Iterator[Yielded]:
        """Go on after a move that could not be done: with the first one whose end can be reached."""
        move = numbered.instruction
        assert isinstance(move, MoveJ | ToolMove)
        reason = self._move_there(robot, end, numbered)
        if self._is_lost:
            message = Message("move_unreachable", _("end of the move: {reason}"), reason=reason)
            finding = placed(Finding("error", message), numbered, self._track.time)
            yield Event(self._track.time, numbered.index, Report(finding, move.span))

    def _recovered(self, failure: RunFailure) -> Iterator[Yielded]:
        """Report what ended a run, and go on with the segments behind it."""
        segment = failure.segment
        move = segment.numbered.instruction
        assert isinstance(move, MoveJ | ToolMove)
        robot = self.tool_robot(move.settings)
        end = segment.frame if isinstance(segment, ToolSegment) else _end_of(move)
        T_last = self._T
        yield from self.failed(segment.numbered, failure.finding, robot, end)
        done = segment.numbered
        for rest in failure.rest:
            if self.is_stopped or rest.numbered is done or not isinstance(rest, ToolSegment):
                continue
            if self._is_lost:
                yield from self._found_again(rest.numbered, robot, rest.frame)
                done = rest.numbered
                continue
            if self._run is None:
                windows = ToolWindows(robot, self.q, self._frame(robot), rest.settings.task)
                self._run = ContinuousRun(windows, self._lookahead, can_continue=windows.can_continue)
            yield from self._added([rest])
        if not self._is_lost and self._run is not None:
            self._T = T_last


def _end_of(move: MoveJ | ToolMove) -> Floats:
    """Return where a move ends: a frame (4, 4), or joints (n,)."""
    match move:
        case MoveL() | MoveSpline():
            return move.frames[-1]
        case MoveC() | MoveHelix() | Probe():
            return move.frame
        case MoveJ():
            return move.targets[-1]
        case _:
            assert_never(move)


def time_along(robot: Robot, trajectory: Trajectory, rider: Numbered) -> float:
    """Return when (s) an instruction comes that is shifted from the beginning of a motion, by travel and time."""
    if not isinstance(rider.instruction, SetOutput):
        return 0.0
    times = np.linspace(0.0, trajectory.duration, SHIFT_SAMPLES)
    steps = np.linalg.norm(np.diff(robot.fk(trajectory.sample(times).q)[:, :3, 3], axis=0), axis=1)
    travelled = np.concatenate([[0.0], np.cumsum(steps)])
    reached = float(np.interp(rider.instruction.distance, travelled, times))
    return min(max(reached + rider.instruction.delay, 0.0), trajectory.duration)
