"""The moves of a program: joined into runs or planned by themselves; what is done about those that fail."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from typing import Literal, TypeAlias, assert_never

import numpy as np

from armlab.arrays import Floats
from armlab.errors import ArmlabError
from armlab.kinematics.ik import attempt_ik
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.joint_limits import violations
from armlab.model.robot import Robot
from armlab.motion.trajectory import Trajectory
from armlab.program.executor.continuous import ContinuousRun, TimedWindow
from armlab.program.executor.joint_windows import JointSegment, JointWindows
from armlab.program.executor.pieces import CoveredTime, Event, Numbered, Piece
from armlab.program.executor.single import joints_of, plan_single
from armlab.program.executor.tool_segments import ToolMove, ToolSegment, distance_of_rows, segments_of
from armlab.program.executor.tool_windows import ToolWindows
from armlab.program.executor.tracking import Tracking, placed
from armlab.program.executor.windows import MoveSegment
from armlab.program.instructions import (
    Instruction,
    MotionSettings,
    MoveC,
    MoveHelix,
    MoveJ,
    MoveL,
    MoveSpline,
    MoveUntil,
    Probe,
    Report,
    SetOutput,
)

OnError = Literal["stop", "skip"]
Yielded: TypeAlias = Piece | Event

MOST_RIDERS = 5000
"""Instructions along moves that wait for the next one: a program that computes longer brings its arm to rest first."""
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

    @property
    def is_crowded(self) -> bool:
        """Whether no more instructions should happen along the moves that are under way."""
        return self._run is not None and len(self._run.riders) >= MOST_RIDERS

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

    def _begin(self, segment: ToolSegment | JointSegment) -> ContinuousRun:
        """Begin a run with a segment."""
        robot, task = self.tool_robot(segment.settings), segment.settings.task
        if isinstance(segment, JointSegment):
            run = ContinuousRun(JointWindows(robot, self.q), self._lookahead)
        else:
            windows = ToolWindows(robot, self.q, self._frame(robot), task)
            run = ContinuousRun(windows, self._lookahead, can_continue=windows.can_continue)
        self._run, self._key = run, _key_of(segment, robot)
        for rider in self._ahead:
            run.ride(rider)
        self._ahead = []
        return run

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
        if self._run is not None and self._key != ("tool", id(robot), move.settings.task):
            yield from self.flush()
        if self.is_stopped:
            return
        if (yield from self.found_again(numbered)):
            return
        try:
            segments = list(segments_of(numbered, self._frame(robot)))
        except ArmlabError as error:
            yield from self.flush()
            yield from self.failed(numbered, Finding("error", error.message))
            return
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
            yield from self.failed(numbered, Finding("error", error.message))
            return
        segments = [JointSegment(numbered, move.settings, blend, point) for point in points]
        yield from self._added([s for s, a in zip(segments, [before, *points], strict=False) if s.is_away_from(a)])
        if not joins:
            yield from self.flush()

    def _added(
        self, items: Iterable[MoveSegment | Numbered], failed: Numbered | None = None
    ) -> Generator[Yielded, None, None]:
        """Add segments to the run that is under way, or to a new one; go on behind the moves that fail.

        The rest of a move that failed is left out: the arm is at its end.
        """
        waiting = deque(items)
        while waiting and not self.is_stopped:
            item = waiting.popleft()
            if isinstance(item, Numbered):
                if not self.ride(item):
                    yield Event(self._track.time, item.index, item.instruction)
            elif item.numbered is failed:
                continue
            elif self._is_lost:
                failed = item.numbered
                yield from self.found_again(failed)
            else:
                assert isinstance(item, ToolSegment | JointSegment)
                run = self._run or self._begin(item)
                if isinstance(item, ToolSegment):
                    self._T = item.frame
                else:
                    self._T, self._run_end = None, item.q
                for window in run.add(item):
                    yield self._piece(window)
                if run.failure is not None:
                    self._run, failed = None, run.failure.segment.numbered
                    waiting.extendleft(reversed(run.failure.rest))
                    yield from self.failed(failed, run.failure.finding)

    def flush(self) -> Generator[Yielded, None, None]:
        """Bring the run to its end: the arm stands."""
        while (run := self._run) is not None:
            self._run, pending = None, run.pending
            if run.is_untouched and pending and all(s.numbered is pending[0].numbered for s in pending):
                yield from self._lone(run, pending[0].numbered)
                return
            for window in run.finish():
                yield self._piece(window)
            if run.failure is not None:
                failed = run.failure.segment.numbered
                yield from self.failed(failed, run.failure.finding)
                yield from self._added(run.failure.rest, failed)

    def _lone(self, run: ContinuousRun, numbered: Numbered) -> Iterator[Yielded]:
        """Do the only move of a run by itself, with what happens before and behind it."""
        riders = run.riders
        self._ahead = [rider for after, rider in riders if after == 0]
        yield from self.alone(numbered, numbered)
        yield from self.rest()
        for after, rider in riders:
            if after > 0 and not self.is_stopped:
                yield Event(self._track.time, rider.index, rider.instruction)

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
        if (yield from self.found_again(numbered)):
            return
        try:
            motion = plan_single(robot, self.q, move)
        except ArmlabError as error:
            yield from self.failed(numbered, Finding("error", error.message))
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

    def part(self, numbered: Numbered, trajectory: Trajectory, *, ends_within: bool = False) -> Piece:
        """Return a part of a move that is planned already, from where the arm is."""
        self._T, self.q = None, trajectory.end
        covered = CoveredTime(numbered.index, numbered.instruction, 0.0, trajectory.duration)
        return Piece(self._track.time, trajectory, (covered,), ends_within=ends_within)

    # -- what goes wrong ---------------------------------------------------------------------------------------------

    def failed(self, numbered: Numbered, finding: Finding) -> Iterator[Yielded]:
        """Report what cannot be done; then end, or go on where the move would have ended."""
        yield self._report(numbered, finding)
        if self._on_error == "stop":
            self.is_stopped = True
            return
        move = _move_of(numbered.instruction)
        if move is not None:
            self._move_there(move)

    def found_again(self, numbered: Numbered) -> Generator[Yielded, None, bool]:
        """Put the arm at the end of a move if it is nowhere; tell whether it was, so that the move is not planned."""
        move = _move_of(numbered.instruction)
        if not self._is_lost or move is None:
            return False
        reason = self._move_there(move)
        if self._is_lost:
            message = Message("move_unreachable", _("end of the move: {reason}"), reason=reason)
            yield self._report(numbered, Finding("error", message))
        else:
            message = Message("move_not_checked", _("not checked: the move begins where the arm cannot be"))
            yield self._report(numbered, Finding("warning", message))
        return True

    def _report(self, numbered: Numbered, finding: Finding) -> Event:
        report = Report(placed(finding, numbered, self._track.time), numbered.instruction.span)
        return Event(self._track.time, numbered.index, report)

    def _move_there(self, move: MoveJ | ToolMove) -> Message | None:
        """Put the arm where a move ends, without a motion; where that is out of reach it is nowhere: say why."""
        robot, end = self.tool_robot(move.settings), _end_of(move)
        if end.ndim == 1:
            outside = violations(robot, end)
            self._T, self._is_lost = None, bool(outside)
            self.q = self.q if outside else end
            return outside[0].message if outside else None
        there = attempt_ik(robot, end, start=self.q, task=move.settings.task)
        self._moving, self._T = robot, end
        self._is_lost = not there.converged
        if there.converged:
            self.q = np.asarray(there.q)
        reason: Message | None = there.reason
        return reason


def _key_of(segment: ToolSegment | JointSegment, robot: Robot) -> tuple[object, ...]:
    """Return what the segments of one run have in common."""
    return ("joint", id(robot)) if isinstance(segment, JointSegment) else ("tool", id(robot), segment.settings.task)


def _move_of(instruction: Instruction) -> MoveJ | ToolMove | None:
    """Return the move that an instruction makes; None where the arm stands."""
    move = instruction.move if isinstance(instruction, MoveUntil) else instruction
    return move if isinstance(move, MoveJ | ToolMove) else None


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
